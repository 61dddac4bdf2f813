//! What the uses of WASI count towards where the run itself is out of reach.

use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_limits::{LimitError, Limits};

use crate::host_memory::HeldBytes;

/// What the host holds and computes for a run. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Account {
    pub(super) held: Arc<HeldBytes>,
    pub(super) limits: Limits,
    pub(super) effort: Effort,
}

impl Account {
    /// Counts what the host is about to compute.
    ///
    /// # Errors
    ///
    /// The limit, if there is no fuel for that.
    pub(super) fn spend(&self, units: u64) -> Result<(), LimitError> {
        let spent = self.effort.spend(units);
        spent.map_err(|_| self.limits.out_of_fuel())
    }
}
