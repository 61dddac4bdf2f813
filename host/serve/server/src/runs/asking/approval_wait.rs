//! Runs that wait for an approval.

use std::sync::{Arc, OnceLock};

use ampoule::RunId;
use ampoule_approvals::{Approvals, text};

/// Whether a run waits for a person. Clones are the same run's.
#[derive(Clone, Default)]
pub(crate) struct ApprovalWait {
    asking: Option<Approvals>,
    run: Arc<OnceLock<RunId>>,
}

impl ApprovalWait {
    /// That of a run which has no id yet.
    pub(crate) fn new(asking: Option<&Approvals>) -> Self {
        Self {
            asking: asking.cloned(),
            run: Arc::default(),
        }
    }

    /// The run has this id.
    pub(crate) fn set_run(&self, run: RunId) {
        self.run.get_or_init(|| run);
    }

    /// What needs an approval, by the names of tools, without their arguments.
    pub(crate) fn what(&self) -> Option<String> {
        let (asking, run) = (self.asking.as_ref()?, self.run.get()?);
        let open = asking.open_of(&run.to_string());
        let waits: Vec<String> = open
            .iter()
            .map(|question| text::summary(question))
            .collect();
        (!waits.is_empty()).then(|| waits.join("; "))
    }
}
