//! A sign-in in a real keyring: GNOME's, on a bus of its own.

use secret_service::{EncryptionType, SecretService};
use tokio::process::Command;

use super::*;

/// Opens a keyring, as a login does, and then does what it is told.
const LOGGED_IN: &str = "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$@\"";

#[tokio::test]
async fn a_keyring_keeps_a_sign_in_and_a_locked_one_says_so() -> anyhow::Result<()> {
    let there = Command::new("dbus-run-session")
        .args(["--", "gnome-keyring-daemon", "--version"])
        .output()
        .await;
    if !there.is_ok_and(|there| there.status.success()) {
        return cannot_run("a_keyring_keeps_a_sign_in_and_a_locked_one_says_so");
    }
    let home = tempfile::tempdir()?;
    let output = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", LOGGED_IN, "sh"])
        .arg(std::env::current_exe()?)
        .args(["--exact", "tests::keyring::with_a_keyring", "--ignored"])
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env_remove("XDG_DATA_HOME")
        .env_remove("DISPLAY")
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output.stdout);
    anyhow::ensure!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn cannot_run(test: &str) -> anyhow::Result<()> {
    let reason = "it needs GNOME's keyring and a bus: Debian's gnome-keyring and dbus-daemon";
    anyhow::ensure!(
        std::env::var_os("CI").is_none(),
        "{test} can't run: {reason}"
    );
    if let Some(folder) = std::env::var_os("AMPOULE_SKIPPED") {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(Path::new(&folder).join(test), reason)?;
    }
    Ok(())
}

/// Not a test of its own: what the process above does.
#[tokio::test]
#[ignore = "a test starts it"]
async fn with_a_keyring() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    let store = Store::in_keyring(folder.path().join("sign-in"));
    let options = SignInOptions::new("notes", server.resource());
    let started = || SignIn::new(options.clone(), store.clone(), reqwest::Client::builder());
    let signed_in = sign_in(&started()?).await?;
    assert_eq!(started()?.signed_in().await?, Some(signed_in));
    assert_eq!(status(&server, &started()?).await?, 200);

    // The file says where it is, and nothing of it.
    let mut files = String::new();
    for file in store.folder().read_dir()? {
        files += &std::fs::read_to_string(file?.path())?;
    }
    assert!(files.contains("eyring"), "{files}");
    for secret in &server.told.lock().secrets {
        assert!(!files.contains(secret), "{secret} is in {files}");
    }

    // What is refreshed without a person is in the keyring, too.
    let notes = started()?;
    aged(&notes, Duration::from_secs(3600)).await?;
    assert_eq!(status(&server, &started()?).await?, 200);

    let keyring = SecretService::connect(EncryptionType::Dh).await?;
    keyring.get_default_collection().await?.lock().await?;
    let locked = started()?.authorization().await;
    let locked = locked.expect_err("it is locked").to_string();
    assert!(locked.contains("unlock it"), "{locked}");
    Ok(())
}
