//! What the host holds for a run.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::limits::{Limit, LimitHit, Limits};

/// Counts the bytes that the host holds for a run, and keeps them within the limit. Results count from the moment that a binding hands
/// them over, on whatever thread, and not only when the guest asks for them.
pub(crate) struct HeldBytes {
    limits: Limits,
    now: AtomicU64,
    peak: AtomicU64,
}

impl HeldBytes {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            now: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        }
    }

    /// Counts bytes in; refused, they are not counted, and must not be kept.
    pub(crate) fn add(&self, bytes: u64) -> Result<(), LimitHit> {
        let now = self.now.fetch_add(bytes, Relaxed) + bytes;
        if now > self.limits.host_bytes {
            self.remove(bytes);
            return Err(Limit::HostBytes.hit(now, &self.limits));
        }
        self.peak.fetch_max(now, Relaxed);
        Ok(())
    }

    /// Counts bytes out.
    pub(crate) fn remove(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Relaxed);
    }

    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }
}
