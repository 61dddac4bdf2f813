//! The world of a run: what it can't compute itself. That is the time, entropy, and the order in
//! which its calls end.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// What a run can't compute itself. Interpreters and components ask the same world.
pub trait World: Send + Sync + 'static {
    /// Nanoseconds since 1970 (UTC).
    ///
    /// # Errors
    ///
    /// [`DivergenceError`] ends the run; the same goes for the others.
    fn now(&self) -> Result<u64, DivergenceError>;

    /// Nanoseconds since the run began.
    ///
    /// # Errors
    ///
    /// As for [`now`](Self::now).
    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError>;

    /// Fills the bytes with entropy.
    ///
    /// # Errors
    ///
    /// As for [`now`](Self::now).
    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError>;

    /// The same clocks for the host's own use: when a run is parked, and how long it may stay so.
    /// The run does not learn of it.
    fn host_time(&self, began: Instant) -> HostTime {
        HostTime {
            now: Live.now().unwrap_or(0),
            elapsed: Live.elapsed(began).unwrap_or(0),
        }
    }

    /// The calls whose ends the run takes next, in this order; none if it takes them as they come.
    ///
    /// # Errors
    ///
    /// As for [`now`](Self::now).
    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        Ok(None)
    }

    /// Waits until the end of this call is the next that the run takes; none if it does not have to
    /// wait.
    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        let _ = call;
        None
    }

    /// The run has taken the ends of these calls, in this order; of none if its time to wait was
    /// over.
    fn taken(&self, calls: &[u32]) {
        let _ = calls;
    }

    /// The run waits until a call ends, for so long at most, and none has ended: what becomes of
    /// that, in a world whose time is made up.
    fn pass(&self, most: Option<Duration>) -> Pass {
        let _ = most;
        Pass::Waits
    }
}

/// What becomes of a run's waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pass {
    /// It waits, as long as that takes.
    Waits,
    /// A call is about to end, and is waited for.
    Ends,
    /// The time to wait is over.
    Over,
}

impl<W: World + ?Sized> World for Arc<W> {
    fn now(&self) -> Result<u64, DivergenceError> {
        W::now(self)
    }

    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError> {
        W::elapsed(self, began)
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        W::fill(self, bytes)
    }

    fn host_time(&self, began: Instant) -> HostTime {
        W::host_time(self, began)
    }

    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        W::expected(self)
    }

    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        W::turn(self, call)
    }

    fn taken(&self, calls: &[u32]) {
        W::taken(self, calls);
    }

    fn pass(&self, most: Option<Duration>) -> Pass {
        W::pass(self, most)
    }
}

/// What clocks show the host, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTime {
    /// Since 1970 (UTC).
    pub now: u64,
    /// Since the run began, in this process.
    pub elapsed: u64,
}

/// A run diverged from its recording, or its world can't answer what it asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the run can't continue: {0}")]
pub struct DivergenceError(pub String);

/// The world as it is: the system's clocks and entropy.
pub(crate) struct Live;

impl Live {
    /// The same one for all runs.
    pub(crate) fn shared() -> Arc<dyn World> {
        static LIVE: LazyLock<Arc<dyn World>> = LazyLock::new(|| Arc::new(Live));
        Arc::clone(&LIVE)
    }
}

impl World for Live {
    fn now(&self) -> Result<u64, DivergenceError> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
    }

    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError> {
        Ok(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        getrandom::fill(bytes)
            .map_err(|error| DivergenceError(format!("the system has no random bytes: {error}")))
    }
}
