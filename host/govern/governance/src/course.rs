//! The course of a run: what becomes of its calls that change something.

use std::sync::Arc;

use ampoule_approvals::{ApprovedPlan, Plan};
use parking_lot::Mutex;

/// How a run's calls are made that change something.
pub(crate) enum Course {
    /// As policies say.
    Straight,
    /// Not at all: they are recorded, as long as there is room.
    Tried(Mutex<Option<Plan>>),
    /// As somebody has approved.
    Planned(Arc<ApprovedPlan>),
}
