//! How large a run's memories and tables are, and its files in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ampoule_limits::{Limit, LimitError, Limits};
use ampoule_workspace::{Code, FileError, Room};
use wasmtime::ResourceLimiter;

use super::gauge::Gauge;

/// Counts the guest's memories and tables, and keeps them within the limits.
pub(crate) struct Meter {
    memory_allowed: u64,
    tables_allowed: u64,
    memory: u64,
    tables: u64,
    /// What its files in memory take, once it has had any.
    files: Option<Arc<FileBytes>>,
    /// Where its memory at its largest is reported.
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
            files: None,
            gauge,
            denied: None,
            is_starting: false,
        }
    }

    /// The instance is gone.
    pub(crate) fn empty(&mut self) {
        self.hold(0);
        self.tables = 0;
    }

    /// What its files in memory may take: what its memories leave of the limit.
    pub(crate) fn room_for_files(&mut self) -> Arc<dyn Room> {
        let files = self.files.get_or_insert_with(|| {
            Arc::new(FileBytes {
                allowed: self.memory_allowed,
                memory: AtomicU64::new(self.memory),
                now: AtomicU64::new(0),
                gauge: self.gauge.clone(),
            })
        });
        Arc::clone(files) as Arc<dyn Room>
    }

    fn hold(&mut self, memory: u64) {
        self.memory = memory;
        if let Some(files) = &self.files {
            files.memory.store(memory, Relaxed);
        }
    }

    /// What its files in memory take.
    fn file_bytes(&self) -> u64 {
        let files = self.files.as_ref();
        files.map_or(0, |files| files.now.load(Relaxed))
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

    /// The limit that a run which could not continue has hit, if a growth was denied to it.
    pub(crate) fn denied(&self, limits: &Limits) -> Option<LimitError> {
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
        let memory = self.memory + (desired - current) as u64;
        let wanted = memory + self.file_bytes();
        if wanted > self.memory_allowed && !self.is_starting {
            self.denied = Some((Limit::Memory, wanted));
            return Ok(false);
        }
        self.hold(memory);
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

/// What a run's files in memory take, beside its memories, which do not grow while a file does.
struct FileBytes {
    allowed: u64,
    memory: AtomicU64,
    now: AtomicU64,
    gauge: Gauge,
}

impl Room for FileBytes {
    fn take(&self, bytes: u64) -> Result<(), FileError> {
        let now = self.now.load(Relaxed).saturating_add(bytes);
        let wanted = self.memory.load(Relaxed).saturating_add(now);
        if bytes > 0 && wanted > self.allowed {
            let (limit, allowed) = (Limit::Memory, self.allowed);
            return Err(FileError {
                code: Code::Full,
                advice: format!(
                    "files in memory count for the run's `{limit}` limit, {allowed} bytes with what the script itself takes: remove those that are not needed any more, or handle the data in parts"
                ),
            });
        }
        self.now.store(now, Relaxed);
        self.gauge.hold_memory(wanted);
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        let now = self.now.load(Relaxed);
        self.now.store(now.saturating_sub(bytes), Relaxed);
    }
}
