//! Turns: how many runs compute at once, so that what else arrives waits for few.
//!
//! A run computes for an epoch without asking: most end sooner. From then on it takes turns with the others that compute, as many at once as there are cores.
//! The rest wait here, and not in Tokio's queues, where new requests, timers and results would stand behind them.

use std::num::NonZero;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;

use tokio::sync::{Semaphore, SemaphorePermit};

static COMPUTING: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(thread::available_parallelism().map_or(1, NonZero::get)));

/// The turn of one run, while it has one.
#[derive(Clone, Default)]
pub(super) struct Turn(Arc<Mutex<Option<SemaphorePermit<'static>>>>);

impl Turn {
    /// Ends the turn: the run asks the host for something, which may take long. It computes for an epoch again before it needs another.
    pub(super) fn end(&self) {
        self.set(None);
    }

    /// Lets others have their turn, and whatever arrived be seen to, until it is this one's again.
    pub(super) async fn pass(self) {
        self.end();
        tokio::task::yield_now().await;
        // It is never closed.
        self.set(COMPUTING.acquire().await.ok());
    }

    fn set(&self, permit: Option<SemaphorePermit<'static>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}
