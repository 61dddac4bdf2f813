//! What goes wrong, and what becomes of the sign-in then.

use std::time::SystemTime;

use ampoule_upstream::{Authorizer as _, NeedsSignIn};

use super::*;

/// A server, and a sign-in to it that is an hour old.
async fn signed_in_long_ago() -> anyhow::Result<(Server, tempfile::TempDir, SignIn)> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    aged(&notes, Duration::from_secs(3600)).await?;
    Ok((server, folder, notes))
}

fn why(refused: Result<impl std::fmt::Debug, NeedsSignIn>) -> String {
    refused.expect_err("a person has to sign in").to_string()
}

#[tokio::test]
async fn a_rejected_refresh_needs_a_sign_in_and_stays_so() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    server.told.lock().rejects = true;
    let refused = why(notes.authorization().await);
    assert_eq!(
        refused,
        "notes: the sign-in is no longer accepted (invalid_grant); to sign in, run: ampoule login notes"
    );
    // Neither this process nor another one asks again.
    let asked = server.told.lock().forms.len();
    why(notes.authorization().await);
    why(started(&server, folder.path())?.authorization().await);
    assert_eq!(server.told.lock().forms.len(), asked);

    // Somebody signs in elsewhere: this process sees it. The client is the same one.
    server.told.lock().rejects = false;
    sign_in(&started(&server, folder.path())?).await?;
    assert_eq!(status(&server, &notes).await?, 200);
    assert_eq!(server.told.lock().clients.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_failing_token_endpoint_is_no_lost_sign_in() -> anyhow::Result<()> {
    for failure in [500, 503, 429] {
        let (server, folder, notes) = signed_in_long_ago().await?;
        server.told.lock().token_status = Some(failure);
        // The old token goes out, and the server says what it thinks of it.
        assert!(notes.authorization().await?.is_some());
        assert!(!notes.refused(401, &[]).await?);
        assert!(notes.signed_in().await?.is_some());

        server.told.lock().token_status = None;
        let again = started(&server, folder.path())?;
        assert_eq!(status(&server, &again).await?, 200);
    }
    Ok(())
}

#[tokio::test]
async fn an_authorization_server_that_is_gone_is_no_lost_sign_in() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    server.told.lock().server = Some("http://127.0.0.1:1".into());
    assert!(notes.authorization().await?.is_some());
    assert!(!notes.refused(401, &[]).await?);
    server.told.lock().server = None;
    assert_eq!(
        status(&server, &started(&server, folder.path())?).await?,
        200
    );
    Ok(())
}

#[tokio::test]
async fn another_issuer_gets_nothing_of_the_first_ones() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    let other = Server::start().await?;
    server.told.lock().server = Some(other.base.clone());
    let refused = why(notes.authorization().await);
    assert!(refused.contains("another one now"), "{refused}");
    assert!(other.told.lock().forms.is_empty());
    // A sign-in there registers a client of its own.
    let address = started(&server, folder.path())?.begin().await?;
    let asked = address.address().as_str().to_owned();
    assert!(asked.starts_with(&other.base), "{asked}");
    assert_eq!(other.told.lock().clients.len(), 1);
    Ok(())
}

#[tokio::test]
async fn clocks_that_differ_cost_one_refusal() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    // By the server's clock the token has ended, by ours it has not.
    server.told.lock().forget_access();
    assert_eq!(status(&server, &notes).await?, 401);
    assert!(notes.refused(401, &[]).await?);
    assert_eq!(status(&server, &notes).await?, 200);

    // Ours is set back by a day: nothing is known of the token's age.
    let kept = notes
        .0
        .state
        .lock()
        .await
        .kept
        .clone()
        .context("a sign-in")?;
    let now = SystemTime::now();
    assert!(!kept.is_due(now));
    assert!(kept.is_due(now - Duration::from_secs(86_400)));
    // It is replaced before its end, and not all the time where it lives shortly.
    assert!(kept.is_due(now + Duration::from_secs(3600 - 30)));
    assert!(!kept.is_due(now + Duration::from_secs(3600 - 90)));
    Ok(())
}

#[tokio::test]
async fn a_server_that_refuses_every_token_is_not_asked_for_ever() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    let mut refusals = 0;
    let end = loop {
        match notes.refused(401, &[]).await {
            Ok(true) => refusals += 1,
            end => break why(end),
        }
    };
    assert!(end.contains("a token that was just issued"), "{end}");
    assert!(refusals < 100, "{refusals}");
    assert_eq!(server.told.lock().used.len(), 1);
    Ok(())
}

#[tokio::test]
async fn more_rights_are_asked_for_beside_those_there_are() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    assert_eq!(status(&server, &notes).await?, 200);
    // Not every refusal is about rights.
    assert!(!notes.refused(403, &[]).await?);
    let challenge = challenges(r#"Bearer error="insufficient_scope", scope="write""#);
    let refused = why(notes.refused(403, &challenge).await);
    assert_eq!(
        refused,
        "notes: it asks for more rights (write); to sign in, run: ampoule login notes"
    );
    // Until then, what there is goes on.
    assert_eq!(status(&server, &notes).await?, 200);
    assert_eq!(server.told.lock().asked.len(), 1);

    let signed_in = sign_in(&started(&server, folder.path())?).await?;
    assert_eq!(signed_in.scopes, ["read", "offline_access", "write"]);
    // The process that was refused goes on with them.
    assert!(notes.refused(403, &challenge).await?);
    Ok(())
}

#[tokio::test]
async fn metadata_that_leads_to_instance_metadata_is_refused() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    for inside in [
        "http://169.254.169.254",
        "http://10.0.0.1",
        "https://192.168.1.1",
    ] {
        server.told.lock().server = Some(inside.into());
        let refused = started(&server, folder.path())?.begin().await.err();
        let refused = refused.context("it is refused")?.to_string();
        assert!(refused.contains(inside), "{refused}");
    }
    assert_eq!(server.told.lock().clients.len(), 0);
    Ok(())
}

#[tokio::test]
async fn a_redirect_of_another_issuer_is_not_redeemed() -> anyhow::Result<()> {
    let server = Server::start().await?;
    server.told.lock().redirect_issuer = Some("https://mallory.example".into());
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    let refused = sign_in(&notes).await.expect_err("it is of another issuer");
    assert!(refused.to_string().contains("issuer mismatch"), "{refused}");
    assert!(server.told.lock().forms.is_empty());
    assert_eq!(notes.authorization().await?, None);
    Ok(())
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_believed() -> anyhow::Result<()> {
    let server = Server::start().await?;
    server.told.lock().issuer = Some("https://mallory.example".into());
    let folder = tempfile::tempdir()?;
    let refused = started(&server, folder.path())?.begin().await.err();
    let refused = refused.context("it is refused")?.to_string();
    assert!(refused.contains("mallory.example"), "{refused}");
    Ok(())
}
