//! What belongs to a principal beyond one request: what their runs gave that was too large for an
//! answer, their runs that wait for their next request, and those that need nobody who waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ampoule::Principal;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::held::Held;
use super::kept::{Kept, Reads};
use super::long::{self, LongRuns};
use super::offered::OfferedTo;

/// For whom how much is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How many principals have something that is theirs; of more, the one who was here longest ago
    /// loses it. Those who have runs under way lose nothing.
    pub(super) principals: usize,
    /// How long it is theirs while they are not here, and have no runs.
    pub(super) away: Duration,
    /// What is kept of the runs of each.
    pub(super) long: long::Bounds,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            principals: 64,
            away: Duration::from_hours(1),
            long: long::Bounds::default(),
        }
    }
}

/// What belongs to one principal.
pub(super) struct Estate {
    /// None where scripts find a server of the operator's under that name.
    pub(super) kept: Option<Kept>,
    pub(super) held: Held,
    /// What their client was offered last, where that is not the same for all.
    pub(super) offered: Mutex<Option<OfferedTo>>,
    pub(super) long: LongRuns,
}

impl Estate {
    /// Whether there are runs that would end with it, or a request that needs it.
    fn is_busy(self: &Arc<Self>) -> bool {
        let has_requests = Arc::strong_count(self) > 1;
        has_requests || self.long.under_way() > 0 || !self.held.are_none()
    }

    /// Whether somebody may still ask for it.
    fn is_wanted(self: &Arc<Self>) -> bool {
        self.is_busy() || !self.long.are_none()
    }
}

/// What is theirs, and when they were here last.
type Used = (Arc<Estate>, Instant);

/// What belongs to each principal; who is not known by name is the local user.
pub(super) struct Estates {
    /// None where nothing is kept of what runs gave.
    keeps: Option<Reads>,
    bounds: Bounds,
    estates: Mutex<HashMap<Option<Principal>, Used>>,
}

impl Estates {
    pub(super) fn new(keeps: Option<Reads>, bounds: Bounds) -> Self {
        Self {
            keeps,
            bounds,
            estates: Mutex::default(),
        }
    }

    pub(super) fn of(&self, principal: Option<&Principal>) -> Arc<Estate> {
        let mut estates = self.estates.lock();
        let now = Instant::now();
        let key = principal.cloned();
        if let Some((estate, used)) = estates.get_mut(&key) {
            *used = now;
            return Arc::clone(estate);
        }
        let gone = self.give_way(&mut estates, now);
        let estate = Arc::new(Estate {
            kept: self.keeps.clone().map(Kept::new),
            held: Held::default(),
            offered: Mutex::default(),
            long: LongRuns::new(self.bounds.long),
        });
        estates.insert(key, (Arc::clone(&estate), now));
        // What is dropped with these takes its time.
        drop(estates);
        drop(gone);
        estate
    }

    /// Takes out what is nobody's any more, so that there is room for one.
    fn give_way(
        &self,
        estates: &mut HashMap<Option<Principal>, Used>,
        now: Instant,
    ) -> Vec<Arc<Estate>> {
        let away = self.bounds.away;
        let is_gone = |(estate, used): &Used| now - *used >= away && !estate.is_wanted();
        let gone = estates.extract_if(|_, used| is_gone(used));
        let mut gone: Vec<_> = gone.map(|(_, (estate, _))| estate).collect();
        if estates.len() >= self.bounds.principals {
            let idle = estates.iter().filter(|(_, (estate, _))| !estate.is_busy());
            let oldest = idle.min_by_key(|(_, (_, used))| *used);
            let oldest = oldest.map(|(principal, _)| principal.clone());
            let oldest = oldest.and_then(|principal| estates.remove(&principal));
            gone.extend(oldest.map(|(estate, _)| estate));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(estates: &Estates, principal: &str) -> Option<u64> {
        let printed = Some("some text");
        let estate = estates.of(Some(&Principal::new(principal)));
        estate.kept.as_ref().unwrap().keep((None, printed), None)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_theirs_is_apart_and_forgotten_when_they_are_long_away() {
        let estates = Estates::new(Some(Arc::new(|_, _| Ok(()))), Bounds::default());
        assert_eq!(number(&estates, "ada"), Some(1));
        assert_eq!(number(&estates, "bob"), Some(1));
        assert_eq!(number(&estates, "ada"), Some(2));
        tokio::time::advance(Bounds::default().away / 2).await;
        assert_eq!(number(&estates, "ada"), Some(3));
        tokio::time::advance(Bounds::default().away / 2).await;
        assert_eq!(number(&estates, "carol"), Some(1));
        assert_eq!(number(&estates, "ada"), Some(4));
        assert_eq!(number(&estates, "bob"), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_principals_the_one_who_was_here_longest_ago_is_forgotten() {
        let estates = Estates::new(Some(Arc::new(|_, _| Ok(()))), Bounds::default());
        for principal in 0..Bounds::default().principals {
            number(&estates, &principal.to_string());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(number(&estates, "0"), Some(2));
        assert_eq!(number(&estates, "one more"), Some(1));
        assert_eq!(number(&estates, "0"), Some(3));
        assert_eq!(number(&estates, "2"), Some(2));
        assert_eq!(number(&estates, "1"), Some(1));
    }
}
