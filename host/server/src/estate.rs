//! What belongs to a principal beyond one request: what their runs gave that was too large for an
//! answer, their runs that wait for their next request, and those that need nobody who waits.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule::Principal;
use parking_lot::Mutex;

use super::held::Held;
use super::kept::Kept;
use super::long::LongRuns;

/// What belongs to one principal.
pub(super) struct Estate {
    /// None where scripts find a server of the operator's under that name.
    pub(super) kept: Option<Kept>,
    pub(super) held: Held,
    pub(super) long: LongRuns,
}

/// What belongs to each principal; who is not known by name is the local user.
pub(super) struct Estates {
    keeps: bool,
    estates: Mutex<HashMap<Option<Principal>, Arc<Estate>>>,
}

impl Estates {
    pub(super) fn new(keeps: bool) -> Self {
        Self {
            keeps,
            estates: Mutex::default(),
        }
    }

    pub(super) fn of(&self, principal: Option<&Principal>) -> Arc<Estate> {
        let mut estates = self.estates.lock();
        let estate = estates.entry(principal.cloned()).or_insert_with(|| {
            Arc::new(Estate {
                kept: self.keeps.then(Kept::new),
                held: Held::default(),
                long: LongRuns::default(),
            })
        });
        Arc::clone(estate)
    }
}
