//! Refresh tokens that can be used once, and processes that race for them.

use std::process::Stdio;

use ampoule_upstream::Authorizer as _;

use super::*;

/// How the test's other processes learn what to do.
const RESOURCE: &str = "AMPOULE_TEST_RESOURCE";
const FOLDER: &str = "AMPOULE_TEST_FOLDER";
const PROCESSES: usize = 6;

#[tokio::test]
async fn processes_that_race_use_no_refresh_token_twice() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    for round in 1..=3 {
        aged(&notes, Duration::from_secs(3600)).await?;
        let processes = (0..PROCESSES).map(|_| another_process(&server, folder.path()));
        futures::future::try_join_all(processes).await?;
        let told = server.told.lock();
        assert_eq!(told.used.len(), round);
        assert!(!told.stolen);
    }
    assert_eq!(status(&server, &notes).await?, 200);
    Ok(())
}

async fn another_process(server: &Server, folder: &Path) -> anyhow::Result<()> {
    let output = tokio::process::Command::new(std::env::current_exe()?)
        .args([
            "--exact",
            "tests::rotation::one_of_the_processes",
            "--ignored",
        ])
        .env(RESOURCE, server.resource().as_str())
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    anyhow::ensure!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    Ok(())
}

/// Not a test of its own: what each of the processes above does.
#[tokio::test]
#[ignore = "a test starts it"]
async fn one_of_the_processes() -> anyhow::Result<()> {
    let resource = Url::parse(&std::env::var(RESOURCE)?)?;
    let folder = std::env::var_os(FOLDER).context("a folder")?;
    let options = SignInOptions::new("notes", resource.clone());
    let notes = with(options, Path::new(&folder))?;
    let authorization = notes.authorization().await?.context("a token")?;
    let request = reqwest::Client::new()
        .post(resource)
        .header("authorization", authorization);
    assert_eq!(request.send().await?.status(), 200);
    Ok(())
}

#[tokio::test]
async fn requests_that_race_use_no_refresh_token_twice() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    aged(&notes, Duration::from_secs(3600)).await?;
    let ahead = futures::future::join_all((0..20).map(|_| notes.authorization())).await;
    assert!(ahead.iter().all(|value| value == &ahead[0]));
    assert_eq!(server.told.lock().used.len(), 1);

    // All of those that were under way are refused, and sent again with the new token.
    server.told.lock().forget_access();
    notes.0.state.lock().await.settle();
    let refused = futures::future::join_all((0..20).map(|_| notes.refused(401, &[]))).await;
    assert!(
        refused.iter().all(|again| *again == Ok(true)),
        "{refused:?}"
    );
    assert_eq!(server.told.lock().used.len(), 2);
    assert_eq!(status(&server, &notes).await?, 200);
    Ok(())
}

#[tokio::test]
async fn a_refresh_that_nobody_waits_for_any_longer_is_kept() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    aged(&notes, Duration::from_secs(3600)).await?;
    {
        let mut asking = notes.authorization();
        // It has begun, and is dropped.
        assert!(futures::poll!(&mut asking).is_pending());
        while server.told.lock().used.is_empty() {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(status(&server, &notes).await?, 200);
    assert_eq!(
        status(&server, &started(&server, folder.path())?).await?,
        200
    );
    let told = server.told.lock();
    assert_eq!(told.used.len(), 1);
    assert!(!told.stolen);
    Ok(())
}
