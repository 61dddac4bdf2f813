//! An issuer's keys as they are kept: fetched at a bounded rate, and by one request for all.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey};
use parking_lot::RwLock;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::discovery::Discovery;
use super::keys::Keys;

/// After this time, keys are fetched again, while those that are there go on.
const FRESH: Duration = Duration::from_mins(10);
/// Keys are good for this long where their issuer can't be reached: what it took back in the
/// meantime is taken for good.
const GOOD: Duration = Duration::from_hours(24);
/// The shortest time between two fetches, whoever asks: tokens that name keys which do not exist
/// cost nothing, and must not make work for the issuer.
const PAUSE: Duration = Duration::from_secs(10);

/// Why there is no key for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyError {
    /// The issuer has no such key.
    Unknown,
    /// It can't be reached, and has not been lately.
    Unreachable,
}

pub(super) struct KeyCache {
    discovery: Discovery,
    keys: RwLock<Option<CachedKeys>>,
    turn: Arc<Mutex<Turn>>,
}

#[derive(Clone)]
struct CachedKeys {
    keys: Arc<Keys>,
    at: Instant,
}

/// Who has it may fetch.
#[derive(Default)]
struct Turn {
    /// When the last fetch ended.
    last: Option<Instant>,
    /// Whether the log was told that it failed.
    told: bool,
}

impl KeyCache {
    pub(super) fn new(discovery: Discovery) -> Self {
        Self {
            discovery,
            keys: RwLock::default(),
            turn: Arc::default(),
        }
    }

    pub(super) fn issuer(&self) -> &str {
        self.discovery.issuer()
    }

    /// The key that a token names, or the only one.
    pub(super) async fn key(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, KeyError> {
        if let Some(fetched) = self.good()
            && let Some(key) = fetched.keys.find(id, algorithm)
        {
            if fetched.at.elapsed() > FRESH {
                self.refresh_aside();
            }
            return Ok(key.clone());
        }
        self.refresh().await;
        let fetched = self.good().ok_or(KeyError::Unreachable)?;
        let key = fetched.keys.find(id, algorithm);
        key.cloned().ok_or(KeyError::Unknown)
    }

    fn good(&self) -> Option<CachedKeys> {
        let fetched = self.keys.read().clone();
        fetched.filter(|fetched| fetched.at.elapsed() <= GOOD)
    }

    /// Fetches the keys, or waits for those who do. The fetch continues where whoever asked goes
    /// away: else one who sends requests and leaves could keep new keys from everybody.
    async fn refresh(self: &Arc<Self>) {
        let held = Arc::clone(self);
        let fetching = tokio::spawn(async move {
            let turn = Arc::clone(&held.turn).lock_owned().await;
            held.fetch(turn).await;
        });
        // It fails where the host stops.
        let _ = fetching.await;
    }

    /// Fetches the keys, unless somebody does. It happens in the background.
    pub(super) fn refresh_aside(self: &Arc<Self>) {
        if let Ok(turn) = Arc::clone(&self.turn).try_lock_owned() {
            let held = Arc::clone(self);
            tokio::spawn(async move { held.fetch(turn).await });
        }
    }

    async fn fetch(&self, mut turn: OwnedMutexGuard<Turn>) {
        if turn.last.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        match self.discovery.keys().await {
            Ok(keys) => {
                let keys = Arc::new(keys);
                let at = Instant::now();
                *self.keys.write() = Some(CachedKeys { keys, at });
                turn.told = false;
            }
            Err(why) if turn.told => tracing::debug!(why, "the issuer gave no keys again"),
            Err(why) => {
                tracing::warn!(
                    issuer = self.issuer(),
                    why,
                    "the issuer gave no keys to check tokens with; those from before, if any, stay in use for a day"
                );
                turn.told = true;
            }
        }
        turn.last = Some(Instant::now());
    }
}

impl fmt::Debug for KeyCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyCache")
            .field("discovery", &self.discovery)
            .finish_non_exhaustive()
    }
}
