//! The parts of governance, as runs use them.

use std::sync::Arc;

use ampoule_approvals::Approvals;
use ampoule_audit::{Event, Log, WriteError};
use ampoule_quota::Quotas;

use crate::known_servers::Tools;
use crate::personal::Personal;
use crate::spent::Spent;

/// The parts.
pub(crate) struct Parts {
    pub(crate) tools: Tools,
    pub(crate) spent: Spent,
    pub(crate) quotas: Option<Arc<Quotas>>,
    pub(crate) asking: Option<Approvals>,
    pub(crate) audit: Option<Arc<Log>>,
    pub(crate) personal: Option<Personal>,
}

impl Parts {
    /// Records something, if anything is recorded.
    pub(crate) fn record(&self, event: impl FnOnce() -> Event) -> Result<(), WriteError> {
        match &self.audit {
            Some(log) => log.write(&event()).map(drop),
            None => Ok(()),
        }
    }

    /// Records what has happened: that it can't be recorded does not undo it.
    pub(crate) fn note(&self, event: impl FnOnce() -> Event) {
        if let Err(error) = self.record(event) {
            tracing::warn!(%error, "an event is missing in the audit log");
        }
    }

    /// Whether none is there.
    pub(crate) fn are_nothing(&self) -> bool {
        let none = self.quotas.is_none() && self.asking.is_none() && self.audit.is_none();
        none && self.personal.is_none() && !self.tools.are_governed()
    }
}
