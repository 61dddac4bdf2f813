//! Runs that are parked: kept on disk while they wait, and resumed by this process or the next.
//!
//! - `snapshot`: what is kept of a run besides what the isolate's side writes
//! - `backend`: where one run is kept. What keeps it from its beginning to its end is in
//!   `run/stages/parked.rs`
//! - `resume`: resuming those of processes that are gone

mod backend;
mod resume;
mod snapshot;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use ampoule_isolate::Standing;
use ampoule_persistence::parked::{ParkedLimits, ParkedRunError, Store};
use ampoule_tools::{Error, RunId};
use parking_lot::Mutex;

pub(crate) use backend::Backend;
pub(crate) use resume::ParkedRunState;
pub use snapshot::ParkedRun;
pub(crate) use snapshot::{MainModule, Owner, RunFacts, Terms};

use crate::runtime::{Runtime, RuntimeBuilder};

/// Where runs are parked, and those of this process that may be.
pub(crate) struct ParkedRuns {
    folder: PathBuf,
    limits: ParkedLimits,
    store: OnceLock<Store>,
    here: Arc<Mutex<HashMap<RunId, Weak<Backend>>>>,
    /// This process is about to end: what is parked stays so.
    suspended: AtomicBool,
}

/// How many runs wait for long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingRuns {
    /// Without an isolate.
    pub parked: u64,
    /// With one, since they wait in the middle of something.
    pub kept_alive: u64,
}

impl ParkedRuns {
    fn new(folder: PathBuf, limits: ParkedLimits) -> Self {
        Self {
            folder,
            limits,
            store: OnceLock::new(),
            here: Arc::default(),
            suspended: AtomicBool::new(false),
        }
    }

    fn store(&self) -> Result<&Store, Error> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = Store::open(&self.folder, self.limits).map_err(refused)?;
        Ok(self.store.get_or_init(|| store))
    }

    fn is_suspended(&self) -> bool {
        self.suspended.load(SeqCst)
    }
}

impl RuntimeBuilder {
    /// Where runs are kept that are [parked](crate::Isolate::park_after), and what they may take.
    /// Nobody else may be able to read the folder. Default: nowhere, and none is.
    #[must_use]
    pub fn parked(mut self, folder: impl Into<PathBuf>, limits: ParkedLimits) -> Self {
        self.stores.parked = Some(ParkedRuns::new(folder.into(), limits));
        self
    }

    /// After how long scripts are parked that wait, unless [they say
    /// otherwise](crate::Isolate::park_after). Default: never.
    #[must_use]
    pub fn park_after(mut self, after: Duration) -> Self {
        self.stores.park_after = Some(after);
        self
    }
}

impl Runtime {
    pub(crate) fn parked_runs(&self) -> Result<&ParkedRuns, Error> {
        let parked = self.stores().parked.as_ref();
        parked.ok_or_else(|| {
            Error::request("this host parks no runs: `RuntimeBuilder::parked` sets the folder")
        })
    }

    /// How many of its runs wait for long.
    pub fn waiting(&self) -> WaitingRuns {
        let mut waiting = WaitingRuns::default();
        let Ok(parked) = self.parked_runs() else {
            return waiting;
        };
        for backend in parked.here.lock().values().filter_map(Weak::upgrade) {
            match backend.standing() {
                Standing::Running => {}
                Standing::Parked => waiting.parked += 1,
                Standing::KeptAlive => waiting.kept_alive += 1,
            }
        }
        waiting
    }

    /// How one of its runs stands: `running`, `parked` or `kept alive`; none if it is over, or may not
    /// be parked.
    pub fn standing(&self, run: RunId) -> Option<&'static str> {
        let parked = self.parked_runs().ok()?;
        let backend = parked.here.lock().get(&run)?.upgrade()?;
        Some(backend.standing().name())
    }

    /// Says that this process is about to end. From now on what is kept of a run that was parked
    /// stays where the run is dropped or cancelled, and the next process can resume it.
    pub fn suspend(&self) {
        if let Ok(parked) = self.parked_runs() {
            parked.suspended.store(true, SeqCst);
            let here: Vec<_> = parked
                .here
                .lock()
                .values()
                .filter_map(Weak::upgrade)
                .collect();
            here.iter().for_each(|backend| backend.will_park());
        }
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: ParkedRunError) -> Error {
    match problem {
        ParkedRunError::Folder(_) => Error::host("parked runs can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}
