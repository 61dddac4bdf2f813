//! Whether something has changed in the lists. Each live page asks every two seconds, so this reads
//! no record and no parked run: a new record changes its folder. One answer is that of all pages that
//! are shown the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant, SystemTime};

use super::find_run::shelves;
use super::shared::Shared;
use super::work::blocking;
use crate::model::{PageQuery, Viewer};
use crate::{Console, ConsoleError};

/// For how long an answer is that of all pages of a viewer.
const FRESH: Duration = Duration::from_millis(1500);
/// The most servers and approvals that are looked at.
const MOST: usize = 500;

/// The latest fingerprint of each audience.
pub(crate) type Fingerprints = Shared<Fingerprint>;

/// A number that stands for the lists, and since when it does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fingerprint {
    pub(crate) hash: u64,
    /// When it was looked for that found it first: whatever was made since has the change.
    pub(crate) since: Instant,
}

impl Console {
    /// A number that changes when the lists of runs, approvals or servers do.
    ///
    /// # Errors
    ///
    /// A folder can't be used.
    pub(crate) async fn fingerprint(&self, viewer: &Viewer) -> Result<Fingerprint, ConsoleError> {
        let now = Instant::now();
        let fresh = now.checked_sub(FRESH).unwrap_or(now);
        let make = || self.looked(viewer);
        self.fingerprints().since(viewer, fresh, make).await
    }

    async fn looked(&self, viewer: &Viewer) -> Result<Fingerprint, ConsoleError> {
        let (since, before) = (Instant::now(), self.fingerprints().latest(viewer));
        let mut hasher = DefaultHasher::new();
        for run in self.live_rows(viewer).await {
            (run.run, run.state, run.calls, run.asks).hash(&mut hasher);
        }
        let (runtime, of) = (self.sources().runtime().clone(), viewer.clone());
        let folders = blocking(move || {
            let shelves = shelves(&runtime, &of)?;
            let changed = shelves.iter().map(|shelf| changed(shelf.path()));
            Ok(changed.collect::<Vec<_>>())
        })
        .await?;
        folders.hash(&mut hasher);
        let all = PageQuery {
            cursor: None,
            limit: Some(MOST),
        };
        if let Ok(waiting) = self.approvals(viewer, false, &all).await {
            for row in &waiting.items {
                (&row.id, row.state as u8).hash(&mut hasher);
            }
        }
        if let Ok(servers) = self.servers(viewer, &all).await {
            for server in &servers.items {
                (&server.name, &server.state, server.tools).hash(&mut hasher);
            }
        }
        let hash = hasher.finish();
        let before = before.filter(|before| before.value.hash == hash);
        let since = before.map_or(since, |before| before.value.since);
        Ok(Fingerprint { hash, since })
    }
}

/// When something was last added to a folder, or removed from it.
fn changed(folder: &std::path::Path) -> Option<SystemTime> {
    let metadata = std::fs::metadata(folder).ok()?;
    metadata.modified().ok()
}
