//! What a run has used so far, for those who look at it while it is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a run has used so far: as of the last time that it asked the host for something, or let
/// others compute. Clones are of the same run.
#[derive(Debug, Clone, Default)]
pub struct Gauge(Arc<Used>);

#[derive(Debug, Default)]
struct Used {
    fuel: AtomicU64,
    memory: AtomicU64,
}

impl Gauge {
    /// Fuel.
    pub fn fuel(&self) -> u64 {
        self.0.fuel.load(Relaxed)
    }

    /// Linear memory at its largest, in bytes.
    pub fn peak_memory_bytes(&self) -> u64 {
        self.0.memory.load(Relaxed)
    }

    /// What has been used since it was last [`set`](Self::set_fuel).
    pub(crate) fn add_fuel(&self, fuel: u64) {
        self.0.fuel.fetch_add(fuel, Relaxed);
    }

    pub(crate) fn set_fuel(&self, fuel: u64) {
        self.0.fuel.store(fuel, Relaxed);
    }

    /// So much memory is held at once.
    pub(crate) fn hold_memory(&self, bytes: u64) {
        self.0.memory.fetch_max(bytes, Relaxed);
    }
}
