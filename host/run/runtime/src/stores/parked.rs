//! Where runs are parked, and which runs of this process may be.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};

use ampoule_isolate::Standing;
use ampoule_persistence::parked::{ParkedLimits, ParkedRunError, Store, StoredRun};
use ampoule_tools::{Error, RunId};
use parking_lot::Mutex;

use crate::governed::{CarriedData, Oversight};

/// Where runs are parked, and those of this process that may be.
pub(crate) struct ParkedRuns {
    folder: PathBuf,
    limits: ParkedLimits,
    store: OnceLock<Store>,
    here: Mutex<HashMap<RunId, Weak<ParkableRun>>>,
    /// This process is about to end: what is parked stays so.
    suspended: AtomicBool,
}

/// A run of this process that may be parked.
pub(crate) struct ParkableRun {
    /// What is on disk, once something is to be: most runs end before.
    stored: OnceLock<StoredRun>,
    /// Where it is governed.
    oversight: OnceLock<Arc<dyn Oversight>>,
    standing: Mutex<Standing>,
    /// It ends here, and what is kept of it stays.
    suspended: AtomicBool,
    /// How many of its calls had not ended when it was last kept.
    under_way: AtomicUsize,
}

impl ParkedRuns {
    pub(crate) fn new(folder: PathBuf, limits: ParkedLimits) -> Self {
        Self {
            folder,
            limits,
            store: OnceLock::new(),
            here: Mutex::default(),
            suspended: AtomicBool::new(false),
        }
    }

    pub(crate) fn store(&self) -> Result<&Store, Error> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = Store::open(&self.folder, self.limits).map_err(refused)?;
        Ok(self.store.get_or_init(|| store))
    }

    /// The run is one of this process, until it [leaves](Self::leave).
    pub(crate) fn enter(&self, id: RunId, run: &Arc<ParkableRun>) {
        self.here.lock().insert(id, Arc::downgrade(run));
    }

    /// The run is over, or dropped.
    pub(crate) fn leave(&self, id: RunId) {
        self.here.lock().remove(&id);
    }

    /// A run of this process that may be parked.
    pub(crate) fn run(&self, id: RunId) -> Option<Arc<ParkableRun>> {
        self.here.lock().get(&id)?.upgrade()
    }

    /// How one run of this process stands.
    pub(crate) fn standing(&self, id: RunId) -> Option<Standing> {
        Some(self.run(id)?.standing())
    }

    /// How all of them stand.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        self.here().iter().map(|run| run.standing()).collect()
    }

    /// This process is about to end: what is parked stays so.
    pub(crate) fn suspend(&self) {
        self.suspended.store(true, SeqCst);
        self.here().iter().for_each(|run| run.will_park());
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended.load(SeqCst)
    }

    fn here(&self) -> Vec<Arc<ParkableRun>> {
        let here = self.here.lock();
        here.values().filter_map(Weak::upgrade).collect()
    }
}

impl ParkableRun {
    /// A run of which this is on disk.
    pub(crate) fn new(stored: OnceLock<StoredRun>) -> Self {
        Self {
            stored,
            oversight: OnceLock::new(),
            standing: Mutex::default(),
            suspended: AtomicBool::new(false),
            under_way: AtomicUsize::new(0),
        }
    }

    /// What is on disk of it, once something is to be.
    pub(crate) fn stored(&self) -> &OnceLock<StoredRun> {
        &self.stored
    }

    /// Whether anything of it is on disk.
    pub(crate) fn is_kept(&self) -> bool {
        self.stored.get().is_some_and(StoredRun::is_kept)
    }

    /// The run is governed so.
    pub(crate) fn governed(&self, oversight: Arc<dyn Oversight>) {
        // A run begins once.
        let _ = self.oversight.set(oversight);
    }

    pub(crate) fn is_governed(&self) -> bool {
        self.oversight.get().is_some()
    }

    /// What it has read by now.
    pub(crate) fn carried(&self) -> Option<CarriedData> {
        self.oversight.get()?.carried()
    }

    /// Where this process is about to end, what is kept of the run is for the next one.
    pub(crate) fn will_park(&self) {
        if let Some(oversight) = self.oversight.get().filter(|_| self.is_kept()) {
            oversight.will_park();
        }
    }

    /// The run ends here, and what is kept of it is for whoever resumes it. Whether anything is.
    pub(crate) fn suspend(&self) -> bool {
        if !self.is_kept() {
            return false;
        }
        self.suspended.store(true, SeqCst);
        self.will_park();
        true
    }

    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended.load(SeqCst)
    }

    /// It is kept with so many calls that have not ended.
    pub(crate) fn kept_with(&self, under_way: usize) {
        self.under_way.store(under_way, SeqCst);
    }

    /// How many of its calls had not ended when it was last kept.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(SeqCst)
    }

    pub(crate) fn standing(&self) -> Standing {
        *self.standing.lock()
    }

    pub(crate) fn stands(&self, standing: Standing) {
        *self.standing.lock() = standing;
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: ParkedRunError) -> Error {
    match problem {
        ParkedRunError::Folder(_) => Error::host("parked runs can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}
