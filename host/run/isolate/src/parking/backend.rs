//! Where runs are kept while they wait, and what is kept of them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ampoule_fair::Place;
use ampoule_tools::Error;
use futures::future::BoxFuture;

use super::journal::{Answer, Journal};
use crate::memory::Snapshot;

/// When a run is parked, and where.
pub struct Parking {
    /// After how long it is parked, where it waits.
    pub after: Duration,
    /// Where it is kept.
    pub backend: Arc<dyn ParkingBackend>,
    /// What it continues from, where another process kept it.
    pub state: Option<ParkedState>,
}

/// The state of a parked run.
pub struct ParkedState {
    /// What the host knew.
    pub journal: Journal,
    /// What was noted since, in order.
    pub notes: Vec<Note>,
}

/// Something that happened since a run was kept.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    /// A call leaves: from now on, the tool may have it.
    Sent(u32),
    /// A call that left has come back unseen, and waits: the tool does not have it.
    HeldBack(u32),
    /// A call has ended so.
    Answered(u32, Answer),
    /// The run continued past what is kept, with calls that can't be repeated: in the middle of a
    /// function that waits, there is nothing to keep.
    Beyond,
}

/// Where one run is kept while it waits.
pub trait ParkingBackend: Send + Sync + 'static {
    /// Keeps this, in place of what was kept before and noted since. It is kept when this is done.
    fn keep(&self, journal: Journal, memory: Snapshot) -> BoxFuture<'_, Result<(), ParkingError>>;

    /// Adds to what is kept. It is there when this is done.
    fn note(&self, note: Note) -> BoxFuture<'_, Result<(), ParkingError>>;

    /// A file that is there as long as anything of the run is kept: what else is kept of it belongs
    /// to that.
    fn mark(&self) -> BoxFuture<'_, Result<PathBuf, ParkingError>>;

    /// The memory that was kept last.
    fn memory(&self) -> BoxFuture<'_, Result<Snapshot, ParkingError>>;

    /// Nothing is to be kept any more, since it can't be kept up to date.
    fn forget(&self) -> BoxFuture<'_, Result<(), ParkingError>>;

    /// A place among the isolates.
    fn place(&self) -> BoxFuture<'_, Result<Place, Error>>;

    /// How the run stands from now on.
    fn stands(&self, standing: Standing);
}

/// How a run stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// It has an isolate, and computes or waits for little.
    #[default]
    Running,
    /// It waits, without one.
    Parked,
    /// It waits for long, and has one, since it waits in the middle of something.
    KeptAlive,
}

impl Standing {
    /// Its name in lists.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Parked => "parked",
            Self::KeptAlive => "kept alive",
        }
    }
}

/// Why the state of a run could not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkingError(pub String);

impl fmt::Display for ParkingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ParkingError {}
