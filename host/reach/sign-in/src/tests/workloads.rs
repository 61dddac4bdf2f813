//! Workloads, which sign in by the token that their platform leaves in a file.

use ampoule_upstream::AuthorizationError;

use super::*;
use crate::{Exchange, Grant, Secret, assertion};

fn workload(server: &Server, file: &Path) -> SignInOptions {
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = Grant::JwtBearer;
    options.client_id = Some("workload".into());
    options.assertion = Some(file.to_owned());
    options
}

#[tokio::test]
async fn a_workloads_token_is_read_anew_each_time() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("token");
    std::fs::write(&file, "first.of.workload\n")?;
    server.told.lock().assertion = Some("first.of.workload".into());
    let sign_in = with(workload(&server, &file), folder.path())?;
    assert_eq!(status(&server, &sign_in).await?, 200);
    {
        let told = server.told.lock();
        let form = &told.forms[0];
        assert_eq!(form["client_id"], "workload");
        assert_eq!(form["resource"], server.resource().as_str());
    }
    // The platform replaced it.
    std::fs::write(&file, "second.of.workload")?;
    {
        let mut told = server.told.lock();
        told.assertion = Some("second.of.workload".into());
        told.forget_access();
    }
    sign_in.0.state.lock().await.settle();
    assert!(sign_in.refused(401, &[]).await?);
    assert_eq!(status(&server, &sign_in).await?, 200);
    // Nothing of it is kept on disk, and nobody can sign in by hand.
    assert!(!folder.path().join("sign-in").exists());
    let login = sign_in
        .begin()
        .await
        .err()
        .expect("nobody signs in")
        .to_string();
    assert_eq!(
        login,
        "notes signs in with the token of its workload, so nobody has to"
    );
    Ok(())
}

#[tokio::test]
async fn a_refused_workload_asks_once_and_with_nothing_else() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("token");
    std::fs::write(&file, "ended.token.that-nobody-may-see")?;
    server.told.lock().assertion = Some("another.of.workload".into());
    let mut options = workload(&server, &file);
    options.scopes = vec!["read".into()];
    let sign_in = with(options, folder.path())?;
    for _ in 0..3 {
        let why = sign_in.authorization().await.expect_err("it is refused");
        assert!(matches!(why, AuthorizationError::NeedsSignIn(_)), "{why:?}");
        let why = why.to_string();
        assert!(
            why.contains("invalid_grant") && why.contains("check the server's `assertion`"),
            "{why}"
        );
        assert!(!why.contains("nobody-may-see"), "{why}");
    }
    assert_eq!(server.told.lock().forms.len(), 1);

    // Without a file, nothing is sent.
    std::fs::remove_file(&file)?;
    let sign_in = with(workload(&server, &file), folder.path())?;
    let why = sign_in
        .authorization()
        .await
        .expect_err("there is none")
        .to_string();
    assert!(
        why.contains("`assertion`") && why.contains("can't be read"),
        "{why}"
    );
    assert_eq!(server.told.lock().forms.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_platforms_token_stands_for_a_clients_secret() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("token");
    let key = Secret::new(private_key());
    std::fs::write(&file, assertion::signed(&key, "robot", &server.base)?)?;
    let mut options = workload(&server, &file);
    options.grant = Grant::ClientCredentials;
    let robot = with(options.clone(), folder.path())?;
    assert_eq!(status(&server, &robot).await?, 200);
    std::fs::write(&file, "not.signed.by-anybody")?;
    let other = with(options, folder.path())?;
    let why = other.authorization().await.expect_err("it is refused");
    assert!(why.to_string().contains("invalid_client"), "{why}");
    Ok(())
}

#[tokio::test]
async fn what_is_missing_is_named() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let of = |grant: Grant| {
        let mut options = SignInOptions::new("notes", server.resource());
        options.grant = grant;
        with(options, folder.path())
            .expect_err("something is missing")
            .to_string()
    };
    assert!(of(Grant::JwtBearer).contains("`assertion`"));
    assert!(of(Grant::TokenExchange).contains("`exchange`"));
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = Grant::TokenExchange;
    options.exchange = Some(Exchange::at("login.example.com"));
    let why = with(options.clone(), folder.path())
        .expect_err("no address")
        .to_string();
    assert!(why.contains("must be an address"), "{why}");

    // An issuer that calls itself otherwise gets no token.
    let file = folder.path().join("token");
    std::fs::write(&file, "token.of.somebody")?;
    options.assertion = Some(file);
    options.exchange = Some(Exchange {
        is_direct: true,
        ..Exchange::at(&server.base)
    });
    server.told.lock().issuer = Some("https://evil.example.com".into());
    let sign_in = with(options, folder.path())?;
    let why = sign_in
        .authorization()
        .await
        .expect_err("it is another")
        .to_string();
    assert!(
        why.contains("calls itself https://evil.example.com"),
        "{why}"
    );
    assert_eq!(server.told.lock().forms.len(), 0);
    Ok(())
}
