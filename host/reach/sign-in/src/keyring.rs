//! The system's keyring: the Secret Service of the desktop, over D-Bus.

use std::collections::HashMap;
use std::time::Duration;

use secret_service::{EncryptionType, Item, SecretService};

/// A keyring that asks a person for its password may take this long.
const ASKING: Duration = Duration::from_secs(120);
/// One that asks nobody answers at once.
const ANSWERING: Duration = Duration::from_secs(5);

/// Whether a person is there to unlock a keyring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    Present,
    Absent,
}

impl Person {
    async fn waits<T>(
        self,
        does: impl Future<Output = Result<T, secret_service::Error>>,
    ) -> Result<T, String> {
        let most = match self {
            Self::Present => ASKING,
            Self::Absent => ANSWERING,
        };
        match tokio::time::timeout(most, does).await {
            Ok(done) => done.map_err(|error| error.to_string()),
            Err(_) => Err("it does not answer".into()),
        }
    }
}

/// What is kept under a name.
pub(crate) async fn load(name: &str, person: Person) -> Result<Option<String>, String> {
    let secret = person.waits(async {
        let service = SecretService::connect(EncryptionType::Dh).await?;
        match item(&service, name, person).await? {
            Some(item) => Ok(Some(item.get_secret().await?)),
            None => Ok(None),
        }
    });
    match secret.await? {
        Some(secret) => String::from_utf8(secret)
            .map(Some)
            .map_err(|_| "what it holds is not text".into()),
        None => Ok(None),
    }
}

/// Keeps this under a name, in place of what was kept there.
pub(crate) async fn save(
    name: &str,
    label: &str,
    secret: &str,
    person: Person,
) -> Result<(), String> {
    let saving = person.waits(async {
        let service = SecretService::connect(EncryptionType::Dh).await?;
        let collection = service.get_default_collection().await?;
        match person {
            Person::Present => collection.unlock().await?,
            Person::Absent => collection.ensure_unlocked().await?,
        }
        let secret = secret.as_bytes();
        collection
            .create_item(label, attributes(name), secret, true, "application/json")
            .await?;
        Ok(())
    });
    saving.await
}

/// Forgets what is kept under a name.
pub(crate) async fn remove(name: &str, person: Person) -> Result<(), String> {
    let removing = person.waits(async {
        let service = SecretService::connect(EncryptionType::Dh).await?;
        if let Some(item) = item(&service, name, person).await? {
            item.delete().await?;
        }
        Ok(())
    });
    removing.await
}

async fn item<'service>(
    service: &'service SecretService<'_>,
    name: &str,
    person: Person,
) -> Result<Option<Item<'service>>, secret_service::Error> {
    let found = service.search_items(attributes(name)).await?;
    if let Some(item) = found.unlocked.into_iter().next() {
        return Ok(Some(item));
    }
    match (found.locked.into_iter().next(), person) {
        (None, _) => Ok(None),
        (Some(item), Person::Present) => {
            item.unlock().await?;
            Ok(Some(item))
        }
        (Some(_), Person::Absent) => Err(secret_service::Error::Locked),
    }
}

fn attributes(name: &str) -> HashMap<&str, &str> {
    HashMap::from([("application", "ampoule"), ("sign-in", name)])
}
