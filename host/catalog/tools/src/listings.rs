//! Listings of bindings that single runs have, kept from one run to the next: where a binding gives
//! the same list of tools again, what was made of it is there already.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_projection::Tool;
use parking_lot::{Mutex, MutexGuard};

use super::listing::Listing;

/// How many are kept. A process hardly has more kinds of such bindings in use.
const KEPT: usize = 32;

/// The listings that runs used last, the latest first.
#[derive(Default)]
pub(super) struct Listings(Mutex<VecDeque<Arc<Listing>>>);

impl Listings {
    /// The listing of these tools, if it is there.
    pub(super) fn of(&self, tools: &Arc<[Tool]>) -> Option<Arc<Listing>> {
        let mut kept = self.kept();
        let place = kept.iter().position(|listing| listing.is_of(tools))?;
        let listing = kept.remove(place)?;
        kept.push_front(Arc::clone(&listing));
        Some(listing)
    }

    /// Keeps a listing that was made.
    pub(super) fn keep(&self, made: &Arc<Listing>) {
        let mut kept = self.kept();
        kept.push_front(Arc::clone(made));
        kept.truncate(KEPT);
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<Listing>>> {
        self.0.lock()
    }
}
