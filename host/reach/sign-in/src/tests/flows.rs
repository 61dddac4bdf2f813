//! The ways to sign in.

use ampoule_upstream::Authorizer as _;

use super::*;
use crate::{Endpoints, Grant, Secret, SignOutOutcome};

#[tokio::test]
async fn a_person_signs_in_with_a_client_that_registers_itself() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    assert_eq!(notes.authorization().await?, None);
    assert_eq!(notes.signed_in().await?, None);

    let signed_in = sign_in(&notes).await?;
    assert_eq!(signed_in.who.as_deref(), Some("ada@example.com"));
    assert_eq!(signed_in.issuer, server.base);
    // What the challenge names, and what makes a refresh token, since it is listed.
    assert_eq!(signed_in.scopes, ["read", "offline_access"]);
    assert_eq!(status(&server, &notes).await?, 200);
    {
        let told = server.told.lock();
        assert_eq!(told.asked[0]["code_challenge_method"], "S256");
        assert_eq!(told.asked[0]["resource"], server.resource().as_str());
    }

    // A new start knows it, and so does a second server of the same address.
    let again = started(&server, folder.path())?;
    assert_eq!(again.signed_in().await?, Some(signed_in));
    assert_eq!(status(&server, &again).await?, 200);
    Ok(())
}

#[tokio::test]
async fn a_second_sign_in_registers_nothing_and_comes_back_to_the_same_port() -> anyhow::Result<()>
{
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    sign_in(&started(&server, folder.path())?).await?;
    sign_in(&started(&server, folder.path())?).await?;
    let told = server.told.lock();
    assert_eq!(told.clients.len(), 1);
    assert_eq!(told.asked[0]["redirect_uri"], told.asked[1]["redirect_uri"]);
    Ok(())
}

#[tokio::test]
async fn a_registered_clients_secret_outlives_the_process() -> anyhow::Result<()> {
    let server = Server::start().await?;
    server.told.lock().confidential = true;
    let folder = tempfile::tempdir()?;
    sign_in(&started(&server, folder.path())?).await?;

    let again = started(&server, folder.path())?;
    aged(&again, Duration::from_secs(3600)).await?;
    // The server takes no refresh without the secret.
    assert_eq!(status(&server, &again).await?, 200);
    assert_eq!(server.told.lock().used.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_signs_in() -> anyhow::Result<()> {
    let server = Server::start().await?;
    {
        let mut told = server.told.lock();
        told.closed = true;
        told.clients
            .insert("by-hand".into(), Some("hunter2-hunter2".into()));
    }
    let folder = tempfile::tempdir()?;
    let refused = started(&server, folder.path())?.begin().await.err();
    let refused = refused.expect("nothing can be registered").to_string();
    assert!(refused.contains("register one there by hand"), "{refused}");

    let mut options = SignInOptions::new("notes", server.resource());
    options.client_id = Some("by-hand".into());
    options.client_secret = Some(Secret::new("hunter2-hunter2"));
    options.scopes = vec!["write".into()];
    let notes = with(options.clone(), folder.path())?;
    assert_eq!(sign_in(&notes).await?.scopes, ["write", "offline_access"]);
    aged(&notes, Duration::from_secs(3600)).await?;
    assert_eq!(status(&server, &notes).await?, 200);

    // What one client was given is not used as another one.
    options.client_id = Some("another".into());
    assert_eq!(with(options, folder.path())?.authorization().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_client_that_is_its_own_document_registers_nowhere() -> anyhow::Result<()> {
    const DOCUMENT: &str = "https://client.example.com/ampoule.json";
    let server = Server::start().await?;
    let mut options = SignInOptions::new("notes", server.resource());
    options.client_metadata = Some(Url::parse(DOCUMENT)?);
    // Where none is taken, it is registered as ever.
    sign_in(&with(options.clone(), tempfile::tempdir()?.path())?).await?;
    assert_eq!(server.told.lock().clients.len(), 1);

    server.told.lock().takes_documents = true;
    let folder = tempfile::tempdir()?;
    sign_in(&with(options.clone(), folder.path())?).await?;
    let again = with(options, folder.path())?;
    aged(&again, Duration::from_secs(3600)).await?;
    assert_eq!(status(&server, &again).await?, 200);
    let told = server.told.lock();
    assert_eq!(told.clients.len(), 1);
    assert_eq!(told.asked[1]["client_id"], DOCUMENT);
    let grants: Vec<_> = told.forms[1..]
        .iter()
        .map(|form| (form["grant_type"].as_str(), form["client_id"].as_str()))
        .collect();
    assert_eq!(
        grants,
        [
            ("authorization_code", DOCUMENT),
            ("refresh_token", DOCUMENT)
        ]
    );
    Ok(())
}

#[tokio::test]
async fn the_address_can_be_pasted_and_others_are_refused() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    let login = notes.begin().await?;
    let back = redirected(login.address()).await?;
    let (typed, pasted) = mpsc::channel(4);
    for line in ["hello", &back.replace("state=", "state=x"), &back] {
        typed.send(format!("{line}\n")).await?;
    }
    let heard = parking_lot::Mutex::new(Vec::new());
    login
        .finish(pasted, |why| heard.lock().push(why.to_owned()))
        .await?;
    let heard = heard.into_inner();
    assert_eq!(heard.len(), 2, "{heard:?}");
    assert_eq!(
        heard[0],
        "that is not an address; paste the whole one that the browser ends at"
    );
    assert_eq!(status(&server, &notes).await?, 200);
    Ok(())
}

#[tokio::test]
async fn the_listener_takes_the_answer_and_nothing_else() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let login = started(&server, folder.path())?.begin().await?;
    let back = redirected(login.address()).await?;
    let (_typed, pasted) = mpsc::channel(1);
    let done = tokio::spawn(login.finish(pasted, |_| ()));
    let port = Url::parse(&back)?.port().context("a port")?;
    // One that says nothing keeps nobody waiting.
    let _silent = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
    for (address, expected) in [
        (back.replace("/callback", "/"), 404),
        (back.replace("/callback", "/favicon.ico"), 404),
        (back.replace("state=", "state=x"), 400),
        (format!("{back}&state=twice"), 400),
        (back.clone(), 200),
    ] {
        let answer = reqwest::get(&address).await?;
        assert_eq!(answer.status(), expected, "{address}");
    }
    done.await??;
    Ok(())
}

#[tokio::test]
async fn a_machine_signs_in_with_a_secret() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let clients = [("robot".to_owned(), Some("robots-secret".to_owned()))];
    server.told.lock().clients.extend(clients);
    let folder = tempfile::tempdir()?;
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = Grant::ClientCredentials;
    options.client_id = Some("robot".into());
    options.client_secret = Some(Secret::new("robots-secret"));
    let robot = with(options.clone(), folder.path())?;
    assert_eq!(status(&server, &robot).await?, 200);
    // The server forgot its token.
    server.told.lock().forget_access();
    robot.0.state.lock().await.settle();
    assert!(robot.refused(401, &[]).await?);
    assert_eq!(status(&server, &robot).await?, 200);

    options.client_secret = Some(Secret::new("another-secret"));
    let refused = with(options, folder.path())?.authorization().await;
    let refused = refused.expect_err("the secret is wrong").to_string();
    assert!(refused.contains("invalid_client"), "{refused}");
    assert!(
        refused.contains("check the server's `client-id`"),
        "{refused}"
    );
    Ok(())
}

#[tokio::test]
async fn endpoints_that_are_known_beforehand_are_not_looked_for() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let clients =
        ["person", "robot"].map(|name| (name.to_owned(), Some("a-long-secret".to_owned())));
    // What it says of itself is useless.
    server.told.lock().issuer = Some("https://elsewhere.example.com".into());
    server.told.lock().clients.extend(clients);
    let folder = tempfile::tempdir()?;
    let mut options = SignInOptions::new("notes", server.resource());
    options.endpoints = Some(Endpoints {
        authorization: Some(format!("{}/authorize", server.base).parse()?),
        token: format!("{}/token", server.base).parse()?,
    });
    options.client_id = Some("person".into());
    options.client_secret = Some(Secret::new("a-long-secret"));
    options.scopes = vec!["read".into()];
    let person = with(options.clone(), folder.path())?;
    sign_in(&person).await?;
    assert_eq!(status(&server, &person).await?, 200);
    aged(&person, Duration::from_secs(3600)).await?;
    assert_eq!(status(&server, &person).await?, 200);

    options.grant = Grant::ClientCredentials;
    options.client_id = Some("robot".into());
    let robot = with(options, folder.path())?;
    assert_eq!(status(&server, &robot).await?, 200);
    Ok(())
}

#[tokio::test]
async fn a_machine_signs_in_with_a_private_key() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = Grant::ClientCredentials;
    options.client_id = Some("robot".into());
    options.private_key = Some(Secret::new(private_key()));
    options.scopes = vec!["read".into()];
    let robot = with(options.clone(), folder.path())?;
    assert_eq!(status(&server, &robot).await?, 200);
    assert_eq!(server.told.lock().forms[0]["scope"], "read");

    options.private_key = Some(Secret::new("no key"));
    let refused = with(options, folder.path())
        .expect_err("it is no key")
        .to_string();
    assert!(refused.contains("private key as PEM"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn signing_out_forgets_and_revokes() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    assert_eq!(notes.sign_out().await?, SignOutOutcome::NotSignedIn);
    sign_in(&notes).await?;
    assert_eq!(notes.sign_out().await?, SignOutOutcome::Revoked);
    let revoked = server.told.lock().revoked.clone();
    assert!(revoked[0].starts_with("refresh-"), "{revoked:?}");
    assert_eq!(notes.authorization().await?, None);
    assert_eq!(started(&server, folder.path())?.signed_in().await?, None);
    Ok(())
}
