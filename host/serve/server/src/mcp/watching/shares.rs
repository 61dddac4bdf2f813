//! How many of something each principal has.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule::Principal;
use parking_lot::Mutex;

/// The shares of all principals. A client without a name is the local user.
pub(crate) struct Shares {
    most: usize,
    counts: Mutex<HashMap<Option<Principal>, usize>>,
}

/// One of what a principal has.
pub(crate) struct Share {
    shares: Arc<Shares>,
    principal: Option<Principal>,
}

impl Shares {
    /// At most that many for each principal.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let counts = Mutex::default();
        Arc::new(Self { most, counts })
    }

    /// How many each may have.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// One more, unless the principal has as many as it may.
    pub(crate) fn take(self: &Arc<Self>, principal: Option<&Principal>) -> Option<Share> {
        let principal = principal.map(Principal::without_token);
        let mut counts = self.counts.lock();
        let count = counts.entry(principal.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Share {
            shares: Arc::clone(self),
            principal,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self.shares.counts.lock();
        if let Some(count) = counts.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_principal_gives_back_is_there_again_and_nobody_takes_anothers() {
        let shares = Shares::new(2);
        let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
        let first = shares.take(Some(&ada)).expect("a first");
        let _second = shares.take(Some(&ada)).expect("a second");
        assert!(shares.take(Some(&ada)).is_none());
        let _bobs = shares.take(Some(&bob)).expect("bob's own");
        let _local = shares.take(None).expect("the local user's own");
        drop(first);
        let _again = shares.take(Some(&ada)).expect("one again");
        assert!(shares.take(Some(&ada)).is_none());
    }
}
