//! What goes wrong, and what becomes of the sign-in then.

use std::time::SystemTime;

use ampoule_upstream::{AuthorizationError, Authorizer as _};

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

fn why(refused: Result<impl std::fmt::Debug, AuthorizationError>) -> String {
    match refused {
        Err(AuthorizationError::NeedsSignIn(needed)) => needed.to_string(),
        other => panic!("a person has to sign in: {other:?}"),
    }
}

/// Why there is no token at the moment.
fn passing(refused: Result<impl std::fmt::Debug, AuthorizationError>) -> String {
    match refused {
        Err(AuthorizationError::Unavailable(why)) => why,
        other => panic!("it may work later: {other:?}"),
    }
}

#[tokio::test]
async fn a_rejected_refresh_needs_a_sign_in_and_stays_so() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    server.told.lock().rejects = true;
    let refused = why(notes.authorization().await);
    assert_eq!(
        refused,
        "notes: the sign-in is no longer accepted (invalid_grant: no); to sign in, run: ampoule auth login notes"
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
        assert_eq!(
            passing(notes.refused(401, &[]).await),
            format!(
                "its sign-in can't be refreshed now: the authorization server answered with {failure}; try again later"
            )
        );
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
    let refused = passing(notes.refused(401, &[]).await);
    assert!(refused.contains("127.0.0.1:1"), "{refused}");
    server.told.lock().server = None;
    assert_eq!(
        status(&server, &started(&server, folder.path())?).await?,
        200
    );
    Ok(())
}

#[tokio::test]
async fn a_machine_waits_for_an_authorization_server_that_fails() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = crate::Grant::ClientCredentials;
    options.client_id = Some("robot".into());
    options.client_secret = Some(crate::Secret::new("robots-secret"));
    let clients = [("robot".to_owned(), Some("robots-secret".to_owned()))];
    server.told.lock().clients.extend(clients);
    server.told.lock().token_status = Some(503);
    let robot = with(options, folder.path())?;
    let refused = passing(robot.authorization().await);
    assert!(refused.contains("answered with 503"), "{refused}");
    assert_eq!(passing(robot.refused(401, &[]).await), refused);

    server.told.lock().token_status = None;
    robot.0.state.lock().await.settle();
    assert_eq!(status(&server, &robot).await?, 200);
    Ok(())
}

#[tokio::test]
async fn a_parameter_that_is_refused_is_left_out_and_stays_so() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    server.told.lock().unknown = Some("resource");
    server.told.lock().sparing = true;
    let asked = server.told.lock().forms.len();
    assert_eq!(status(&server, &notes).await?, 200);
    assert_eq!(server.told.lock().forms.len(), asked + 2);
    // The token has no end, and is used until it is refused; the refresh token is the first one.
    assert_eq!(
        status(&server, &started(&server, folder.path())?).await?,
        200
    );
    assert_eq!(server.told.lock().forms.len(), asked + 2);
    server.told.lock().forget_access();
    // Another process knows what is refused.
    let other = started(&server, folder.path())?;
    assert_eq!(status(&server, &other).await?, 401);
    assert!(other.refused(401, &[]).await?);
    assert_eq!(status(&server, &other).await?, 200);
    let told = server.told.lock();
    assert_eq!(told.forms.len(), asked + 3);
    let last = |back: usize| &told.forms[told.forms.len() - back];
    assert!(!last(1).contains_key("resource"));
    assert_eq!(last(1)["refresh_token"], last(2)["refresh_token"]);
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_does_not_pass_asks_for_a_sign_in() -> anyhow::Result<()> {
    for (answer, said) in [
        (
            (
                400,
                "application/json",
                r#"{"error":"invalid_request","error_description":"no such app"}"#,
            ),
            "the authorization server refused: invalid_request: no such app",
        ),
        (
            (403, "text/html", "<html>Forbidden</html>"),
            "the authorization server answered with 403 and a web page, which holds no token",
        ),
    ] {
        let (server, folder, notes) = signed_in_long_ago().await?;
        let (status_, kind, body) = answer;
        server.told.lock().answer = Some((status_, kind, body.to_owned()));
        assert!(notes.authorization().await?.is_some());
        assert_eq!(
            why(notes.refused(401, &[]).await),
            format!(
                "notes: its sign-in can't be refreshed: {said}; to sign in, run: ampoule auth login notes"
            )
        );
        // It is not asked again at once, and nothing is forgotten: it may have been a mistake.
        let asked = server.told.lock().forms.len();
        why(notes.refused(401, &[]).await);
        assert_eq!(server.told.lock().forms.len(), asked);
        server.told.lock().answer = None;
        let again = started(&server, folder.path())?;
        assert_eq!(status(&server, &again).await?, 200);
    }
    Ok(())
}

#[tokio::test]
async fn another_issuer_gets_nothing_of_the_first_ones() -> anyhow::Result<()> {
    let (server, folder, notes) = signed_in_long_ago().await?;
    let other = Server::start().await?;
    server.told.lock().server = Some(other.base.clone());
    let refused = why(notes.authorization().await);
    assert!(refused.contains("has changed, to"), "{refused}");
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
        "notes: it asks for more rights (write); to sign in, run: ampoule auth login notes"
    );
    // Until then, what there is goes on.
    assert_eq!(status(&server, &notes).await?, 200);
    assert_eq!(server.told.lock().asked.len(), 1);

    let signed_in = sign_in(&started(&server, folder.path())?).await?;
    assert_eq!(signed_in.scopes, ["read", "offline_access", "write"]);
    // The process that was refused continues with them.
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
