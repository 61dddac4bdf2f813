//! What the host holds for a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ampoule_limits::{Limit, LimitError, Limits};

/// Counts the bytes that the host holds for a run, and keeps them within the limit. Results count
/// from the moment that a binding hands them over, on whatever thread, and not only when the guest
/// asks for them.
pub(crate) struct HeldBytes {
    limits: Limits,
    now: AtomicU64,
    peak: AtomicU64,
}

/// Bytes that count for as long as this lives.
#[must_use]
pub(crate) struct Hold {
    held: Arc<HeldBytes>,
    bytes: u64,
}

/// A text that the host holds.
pub(crate) struct HeldText {
    pub(crate) text: String,
    pub(crate) hold: Hold,
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
    pub(crate) fn add(&self, bytes: u64) -> Result<(), LimitError> {
        let now = self.now.fetch_add(bytes, Relaxed) + bytes;
        if now > self.limits.host_bytes {
            self.remove(bytes);
            return Err(Limit::HostBytes.hit(now, &self.limits));
        }
        self.peak.fetch_max(now, Relaxed);
        Ok(())
    }

    /// Counts bytes in until the hold is dropped; refused, they must not be kept.
    pub(crate) fn hold(self: &Arc<Self>, bytes: u64) -> Result<Hold, LimitError> {
        self.add(bytes)?;
        Ok(Hold {
            held: Arc::clone(self),
            bytes,
        })
    }

    fn remove(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Relaxed);
    }

    /// How many more bytes may be held.
    pub(crate) fn left(&self) -> u64 {
        self.limits
            .host_bytes
            .saturating_sub(self.now.load(Relaxed))
    }

    /// So much was held at once, elsewhere.
    pub(crate) fn hold_peak(&self, bytes: u64) {
        self.peak.fetch_max(bytes, Relaxed);
    }

    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }
}

impl Hold {
    /// Counts so many bytes more; refused, they must not be kept.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), LimitError> {
        self.held.add(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Counts only so many bytes from here on, where it counted more: the rest was dropped.
    pub(crate) fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.held.remove(less);
        self.bytes -= less;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.held.remove(self.bytes);
    }
}
