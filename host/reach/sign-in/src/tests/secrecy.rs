//! Tokens are seen nowhere.

use std::io::Write;
use std::sync::Arc;

use ampoule_upstream::Authorizer as _;
use parking_lot::Mutex;
use tracing::instrument::WithSubscriber as _;

use super::*;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everything that happens to a sign-in in its life, with all that is said of it.
async fn a_life(server: &Server, folder: &Path) -> anyhow::Result<String> {
    let mut said = String::new();
    let notes = started(server, folder)?;
    let login = notes.begin().await?;
    let browser = tokio::spawn(browse(login.address().clone()));
    let (_typed, pasted) = mpsc::channel(1);
    said += &format!("{:?}", login.finish(pasted, |_| ()).await?);
    said += &browser.await??;
    aged(&notes, Duration::from_secs(3600)).await?;
    said += &format!("{:?}", notes.authorization().await?);
    said += &format!("{notes:?}");
    said += &format!("{:?}", notes.signed_in().await?);
    let challenge = challenges(r#"Bearer error="insufficient_scope", scope="write""#);
    said += &format!("{:?}", notes.refused(403, &challenge).await);
    // The kept file is the one place where they are.
    aged(&notes, Duration::from_secs(3600)).await?;
    notes.0.state.lock().await.settle();
    server.told.lock().token_status = Some(500);
    said += &format!("{:?}", notes.refused(401, &[]).await);
    server.told.lock().token_status = None;
    server.told.lock().rejects = true;
    notes.0.state.lock().await.settle();
    said += &format!("{:?}", notes.refused(401, &[]).await);
    said += &format!("{:?}", notes.sign_out().await?);
    Ok(said)
}

#[test]
fn no_token_is_in_the_log_in_errors_or_in_debug_texts() -> anyhow::Result<()> {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter("trace")
        .with_writer(move || writer.clone())
        .finish();
    // Connections are tasks of their own, so the log is the whole program's.
    tracing::subscriber::set_global_default(subscriber)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let folder = tempfile::tempdir()?;
    let (said, secrets) = runtime.block_on(async {
        let server = Server::start().await?;
        server.told.lock().confidential = true;
        let said = a_life(&server, folder.path()).await?;
        let secrets = server.told.lock().secrets.clone();
        anyhow::Ok((said, secrets))
    })?;
    let log = String::from_utf8(log.0.lock().clone())?;
    // There was something to be silent about.
    assert!(log.contains("reqwest") || log.contains("hyper"), "{log}");
    assert!(log.contains("the sign-in could not be refreshed"), "{log}");
    assert!(secrets.len() > 6, "{secrets:?}");
    for secret in secrets {
        for (where_, text) in [("log", &log), ("said", &said)] {
            assert!(
                !text.contains(&secret),
                "{secret} is in the {where_}: {text}"
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_kept_is_this_users_alone() -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes)
        .with_subscriber(tracing::subscriber::NoSubscriber::default())
        .await?;
    let kept = folder.path().join("sign-in");
    assert_eq!(kept.metadata()?.permissions().mode() & 0o777, 0o700);
    let mut files = 0;
    for file in kept.read_dir()? {
        assert_eq!(file?.metadata()?.permissions().mode() & 0o777, 0o600);
        files += 1;
    }
    assert_eq!(files, 2);

    // Others could have written there.
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o777))?;
    let refused = started(&server, folder.path())?.signed_in().await;
    let refused = refused.expect_err("others can write to it").to_string();
    assert!(refused.contains("chmod 700"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn without_a_keyring_it_is_kept_in_a_file() -> anyhow::Result<()> {
    let output = tokio::process::Command::new(std::env::current_exe()?)
        .args(["--exact", "tests::secrecy::without_a_bus", "--ignored"])
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    Ok(())
}

/// Not a test of its own: what the process above does.
#[tokio::test]
#[ignore = "a test starts it"]
async fn without_a_bus() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let store = Store::in_keyring(folder.path().join("sign-in"));
    let options = SignInOptions::new("notes", server.resource());
    let notes = SignIn::new(options.clone(), store.clone(), reqwest::Client::builder())?;
    let signed_in = sign_in(&notes).await?;
    let again = SignIn::new(options, store, reqwest::Client::builder())?;
    assert_eq!(again.signed_in().await?, Some(signed_in));
    assert_eq!(status(&server, &again).await?, 200);
    Ok(())
}
