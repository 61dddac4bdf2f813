//! Whether something has changed in the lists. Each live page asks every two seconds, so this reads
//! no record and no parked run: a new record changes its folder.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;

use super::find_run::shelves;
use super::work::blocking;
use crate::model::{PageQuery, Viewer};
use crate::{Console, ConsoleError};

/// For how long an answer is that of all pages of a viewer.
const FRESH: Duration = Duration::from_millis(1500);
/// For how long one is kept at all.
const KEPT: Duration = Duration::from_secs(60);
/// The most servers and approvals that are looked at.
const MOST: usize = 500;

/// The latest fingerprint of each viewer, by name.
#[derive(Debug, Default)]
pub(crate) struct Fingerprints {
    latest: Mutex<HashMap<String, Fingerprint>>,
    /// Locked while a viewer's fingerprint is computed: the viewer's other pages wait for it.
    computing: Mutex<HashMap<String, ComputingLock>>,
}

type ComputingLock = Arc<tokio::sync::Mutex<()>>;

#[derive(Debug, Clone, Copy)]
struct Fingerprint {
    hash: u64,
    made: Instant,
}

impl Fingerprints {
    fn computing(&self, viewer: &Viewer) -> ComputingLock {
        let mut all = self.computing.lock();
        all.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(all.entry(viewer.name().to_owned()).or_default())
    }

    fn fresh(&self, viewer: &Viewer) -> Option<u64> {
        let all = self.latest.lock();
        let found = all.get(viewer.name())?;
        (found.made.elapsed() < FRESH).then_some(found.hash)
    }

    fn keep(&self, viewer: &Viewer, hash: u64) {
        let made = Instant::now();
        let mut all = self.latest.lock();
        all.retain(|_, found| found.made.elapsed() < KEPT);
        all.insert(viewer.name().to_owned(), Fingerprint { hash, made });
    }
}

impl Console {
    /// A number that changes when the lists of runs, approvals or servers do.
    ///
    /// # Errors
    ///
    /// A folder can't be used.
    pub(crate) async fn fingerprint(&self, viewer: &Viewer) -> Result<u64, ConsoleError> {
        if let Some(fresh) = self.fingerprints().fresh(viewer) {
            return Ok(fresh);
        }
        let computing = self.fingerprints().computing(viewer);
        let _computing = computing.lock().await;
        if let Some(fresh) = self.fingerprints().fresh(viewer) {
            return Ok(fresh);
        }
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
        self.fingerprints().keep(viewer, hash);
        Ok(hash)
    }
}

/// When something was last added to a folder, or removed from it.
fn changed(folder: &std::path::Path) -> Option<SystemTime> {
    let metadata = std::fs::metadata(folder).ok()?;
    metadata.modified().ok()
}
