//! What was read, for a while.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{Reference, SecretError, read, sealed};

/// How long a secret is kept in memory after it was read.
pub const KEPT: Duration = Duration::from_mins(5);

/// How long it is not tried again after it could not be read: a program may ask a person each time.
const FAILED: Duration = Duration::from_secs(10);

/// How many secrets are kept at once.
const MOST: usize = 1024;

/// One secret. Whoever reads it holds the lock, so that others wait for that instead of reading it
/// too.
type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Result<Arc<str>, SecretError>)>>>;

static SLOTS: LazyLock<Mutex<HashMap<String, Slot>>> = LazyLock::new(Mutex::default);

/// The secret that a reference means.
pub(crate) async fn secret(reference: &Reference) -> Result<Arc<str>, SecretError> {
    let slot = slot(reference.written());
    let mut slot = slot.lock().await;
    if let Some((read, result)) = &*slot
        && is_fresh(result.is_ok(), read.elapsed())
    {
        return result.clone();
    }
    let result = read::read(reference).await;
    slot.insert((Instant::now(), result)).1.clone()
}

/// The secrets in these texts are read again, as far as they were read before that time: who
/// checks them did not accept them.
pub async fn forget<'t>(texts: impl IntoIterator<Item = &'t String>, before: Instant) {
    for reference in texts.into_iter().flat_map(|text| sealed::references(text)) {
        let Ok(reference) = reference else { continue };
        let slot = slot(reference.written());
        let mut slot = slot.lock().await;
        if slot.as_ref().is_some_and(|(read, _)| *read <= before) {
            *slot = None;
        }
    }
}

fn slot(written: String) -> Slot {
    let mut slots = SLOTS.lock();
    if slots.len() >= MOST && !slots.contains_key(&written) {
        // What nobody is about to read is read again when it is needed.
        slots.retain(|_, slot| Arc::strong_count(slot) > 1);
    }
    Arc::clone(slots.entry(written).or_default())
}

fn is_fresh(is_read: bool, age: Duration) -> bool {
    age < if is_read { KEPT } else { FAILED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_secret_is_read_once_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("count");
        let line = format!(
            "command:sh -c 'echo x >> {0}; wc -l < {0}'",
            count.display()
        );
        let reference = Reference::parse(&line, folder.path()).unwrap();
        let begun = Instant::now();
        let both = tokio::join!(secret(&reference), secret(&reference));
        assert_eq!(both, (Ok("1".into()), Ok("1".into())));
        let text = reference.seal();
        // It was read later than that.
        forget([&text], begun).await;
        assert_eq!(secret(&reference).await, Ok("1".into()));
        forget([&text], Instant::now()).await;
        assert_eq!(secret(&reference).await, Ok("2".into()));
    }

    #[test]
    fn secrets_are_kept_for_a_while_and_failures_for_less() {
        assert!(is_fresh(true, KEPT / 2) && !is_fresh(true, KEPT));
        assert!(is_fresh(false, FAILED / 2) && !is_fresh(false, FAILED));
    }
}
