//! How large a run's memories and tables are.

use ampoule_limits::{Limit, LimitHit, Limits};
use wasmtime::ResourceLimiter;

use super::gauge::Gauge;

/// Counts the guest's memories and tables, and keeps them within the limits.
pub(crate) struct Meter {
    memory_allowed: u64,
    tables_allowed: u64,
    memory: u64,
    tables: u64,
    /// Where its memory at its largest is told.
    gauge: Gauge,
    /// The last growth that was denied. The guest learns of it, and may well survive it.
    denied: Option<(Limit, u64)>,
    /// An interpreter is being made: all of what it takes is counted before it is held against the
    /// limits.
    is_starting: bool,
}

impl Meter {
    pub(super) fn new(limits: &Limits, gauge: Gauge) -> Self {
        Self {
            memory_allowed: limits.memory_bytes,
            tables_allowed: limits.table_elements,
            memory: 0,
            tables: 0,
            gauge,
            denied: None,
            is_starting: false,
        }
    }

    /// The instance is gone.
    pub(crate) fn empty(&mut self) {
        self.memory = 0;
        self.tables = 0;
    }

    /// Counts what an interpreter takes before a script begins, and denies nothing until
    /// [`started`](Self::started).
    pub(crate) fn start(&mut self) {
        self.is_starting = true;
    }

    /// The interpreter is there.
    ///
    /// # Errors
    ///
    /// It takes more of this limit than there is, all in all.
    pub(crate) fn started(&mut self) -> Result<(), (Limit, u64)> {
        self.is_starting = false;
        if self.memory > self.memory_allowed {
            return Err((Limit::Memory, self.memory));
        }
        if self.tables > self.tables_allowed {
            return Err((Limit::TableElements, self.tables));
        }
        Ok(())
    }

    /// How large memories are, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        usize::try_from(self.memory).unwrap_or(usize::MAX)
    }

    pub(crate) fn peak_memory(&self) -> u64 {
        self.gauge.peak_memory_bytes()
    }

    /// The limit that a run which could not go on has hit, if a growth was denied to it.
    pub(crate) fn denied(&self, limits: &Limits) -> Option<LimitHit> {
        self.denied.map(|(limit, wanted)| limit.hit(wanted, limits))
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = self.memory + (desired - current) as u64;
        if wanted > self.memory_allowed && !self.is_starting {
            self.denied = Some((Limit::Memory, wanted));
            return Ok(false);
        }
        self.memory = wanted;
        self.gauge.hold_memory(wanted);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let wanted = self.tables + (desired - current) as u64;
        if wanted > self.tables_allowed && !self.is_starting {
            self.denied = Some((Limit::TableElements, wanted));
            return Ok(false);
        }
        self.tables = wanted;
        Ok(true)
    }
}
