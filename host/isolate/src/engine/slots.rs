//! Slots: how many isolates may be alive at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of an engine. Cheap to clone.
#[derive(Clone)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    all: usize,
}

/// A place among the isolates that may be alive at once, given back when it is dropped. Epochs pass
/// for as long as one is taken.
pub struct Slot {
    _permit: OwnedSemaphorePermit,
}

impl Slots {
    pub(super) fn new(all: u32) -> Self {
        let all = (all as usize).min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(all)),
            all,
        }
    }

    /// Waits for a slot, as large as that many; none if too many stay taken for as long as `wait`.
    pub(super) async fn take(&self, size: u32, wait: Duration) -> Option<Slot> {
        let free = Arc::clone(&self.free);
        let size = size.clamp(1, u32::try_from(self.all).unwrap_or(u32::MAX));
        // Most runs need not wait, and are spared the timer.
        let permit = match Arc::clone(&free).try_acquire_many_owned(size) {
            Ok(permit) => permit,
            Err(_) => tokio::time::timeout(wait, free.acquire_many_owned(size))
                .await
                .ok()?
                .ok()?,
        };
        Some(Slot { _permit: permit })
    }

    pub(super) fn any_taken(&self) -> bool {
        self.free.available_permits() < self.all
    }
}
