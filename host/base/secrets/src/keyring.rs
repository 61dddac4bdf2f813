//! The Secret Service of the desktop, over D-Bus.

use std::collections::HashMap;
use std::time::Duration;

use secret_service::{EncryptionType, Item, SecretService};

/// A keyring that asks a person for its password may take this long.
const ASKING: Duration = Duration::from_secs(120);

/// What programs call the account: Python's and Node's libraries for keyrings, and people.
const ACCOUNT: [&str; 3] = ["username", "account", "user"];

/// The secret of an account of a service.
pub(crate) async fn secret(service: &str, account: &str) -> Result<Vec<u8>, String> {
    let looked = tokio::time::timeout(ASKING, look(service, account)).await;
    let found = looked.map_err(|_| "the keyring does not answer".to_owned())?;
    let found = found.map_err(|error| format!("the keyring says: {error}"))?;
    found.ok_or_else(|| {
        let words = [
            "secret-tool",
            "store",
            "--label",
            service,
            "service",
            service,
            "username",
            account,
        ];
        let line = shlex::try_join(words).unwrap_or_default();
        format!("the keyring does not have it; store it with `{line}`")
    })
}

async fn look(service: &str, account: &str) -> Result<Option<Vec<u8>>, secret_service::Error> {
    let keyring = SecretService::connect(EncryptionType::Dh).await?;
    for called in ACCOUNT {
        let attributes = HashMap::from([("service", service), (called, account)]);
        let found = keyring.search_items(attributes).await?;
        if let Some(item) = found.unlocked.first() {
            return item.get_secret().await.map(Some);
        }
        if let Some(item) = found.locked.first() {
            return unlocked(item).await.map(Some);
        }
    }
    Ok(None)
}

async fn unlocked(item: &Item<'_>) -> Result<Vec<u8>, secret_service::Error> {
    item.unlock().await?;
    item.get_secret().await
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::process::Command;

    use crate::{Reference, open};

    use super::*;

    /// Opens a keyring, as a login does, and then does what it is told.
    const LOGGED_IN: &str = "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$@\"";

    #[tokio::test]
    async fn secrets_of_the_keyring_are_found_by_service_and_account() {
        let test = "secrets_of_the_keyring_are_found_by_service_and_account";
        let there = Command::new("dbus-run-session")
            .args(["--", "gnome-keyring-daemon", "--version"])
            .output()
            .await;
        if !there.is_ok_and(|there| there.status.success()) {
            let reason =
                "it needs GNOME's keyring and a bus: Debian's gnome-keyring and dbus-daemon";
            assert!(
                std::env::var_os("CI").is_none(),
                "{test} can't run: {reason}"
            );
            if let Some(folder) = std::env::var_os("AMPOULE_SKIPPED") {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(Path::new(&folder).join(test), reason).unwrap();
            }
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let output = Command::new("dbus-run-session")
            .args(["--", "sh", "-c", LOGGED_IN, "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "keyring::tests::with_a_keyring", "--ignored"])
            .env("HOME", home.path())
            .env("XDG_RUNTIME_DIR", home.path())
            .env_remove("XDG_DATA_HOME")
            .env_remove("DISPLAY")
            .output()
            .await
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("1 passed"), "{said}{output:?}");
    }

    /// Not a test of its own: what the process above does.
    #[tokio::test]
    #[ignore = "a test starts it"]
    async fn with_a_keyring() {
        let keyring = SecretService::connect(EncryptionType::Dh).await.unwrap();
        let collection = keyring.get_default_collection().await.unwrap();
        for (account, called) in [("ada", "username"), ("bob", "account")] {
            let attributes = HashMap::from([("service", "github"), (called, account)]);
            let secret = format!("hunter2-{account}");
            let created = collection
                .create_item("GitHub", attributes, secret.as_bytes(), true, "text/plain")
                .await;
            created.unwrap();
        }
        let seal = |account: &str| {
            let text = format!("keyring:github/{account}");
            Reference::parse(&text, Path::new("/")).unwrap().seal()
        };
        for account in ["ada", "bob"] {
            let text = seal(account);
            let opened = open(&text).await.unwrap();
            assert_eq!(opened.text, format!("hunter2-{account}"));
        }
        let error = open(&seal("eve")).await.err().unwrap().to_string();
        assert_eq!(
            error,
            "the secret `keyring:github/eve` can't be read: the keyring does not have it; store it with `secret-tool store --label github service github username eve`"
        );
    }
}
