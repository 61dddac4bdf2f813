//! Runs that are parked: kept on disk while they wait, and resumed by this process or the next.
//!
//! - `snapshot`: what is kept of a run besides what the isolate's side writes
//! - `backend`: where one run is kept. What keeps it from its beginning to its end is in
//!   `run/stages/parked.rs`
//! - `run_state`: the state of one that this process resumes; `resume`: resuming those of processes that
//!   are gone

mod backend;
mod resume;
mod run_state;
mod snapshot;

use std::path::PathBuf;
use std::time::Duration;

use ampoule_isolate::Standing;
use ampoule_persistence::parked::ParkedLimits;
use ampoule_tools::{Error, RunId};

pub(crate) use backend::Backend;
pub(crate) use run_state::ParkedRunState;
pub(crate) use snapshot::{MainModule, Owner, RunFacts, Terms};
pub use snapshot::{OpenParkedCall, ParkedRun};

use crate::runtime::{Runtime, RuntimeBuilder};
use crate::stores::parked::ParkedRuns;

/// How many runs wait for long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingRuns {
    /// Without an isolate.
    pub parked: u64,
    /// With one, since they wait in the middle of something.
    pub kept_alive: u64,
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
        for standing in parked.standings() {
            match standing {
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
        Some(self.parked_runs().ok()?.standing(run)?.name())
    }

    /// What is kept of one run that is parked stays where the run is dropped. Whether anything is.
    /// The time until the run resumes is not the run's.
    pub(crate) fn suspend_run(&self, id: RunId) -> bool {
        let parked = self.parked_runs().ok();
        let run = parked.and_then(|parked| parked.run(id));
        let Some(run) = run.filter(|run| run.suspend()) else {
            return false;
        };
        if let Some(stored) = run.stored().get()
            && let Err(error) = stored.note(snapshot::NoteOnDisk::SUSPENDED)
        {
            tracing::warn!(run = %id, %error, "the clock of a suspended run can't be stopped");
        }
        true
    }

    /// How many calls of a run of this process had not ended when it was last kept.
    pub(crate) fn under_way(&self, run: RunId) -> Option<usize> {
        Some(self.parked_runs().ok()?.run(run)?.under_way())
    }

    /// Says that this process is about to end. From now on what is kept of a run that was parked
    /// stays where the run is dropped or cancelled, and the next process can resume it.
    pub fn suspend(&self) {
        if let Ok(parked) = self.parked_runs() {
            parked.suspend();
        }
    }
}
