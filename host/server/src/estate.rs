//! What belongs to a principal beyond one request: what their runs gave that was too large for an
//! answer, their runs that wait for their next request, and those that need nobody who waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ampoule::Principal;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::held::Held;
use super::kept::Kept;
use super::long::LongRuns;

/// How many principals have something that is theirs; of more, the one who was here longest ago
/// loses it.
const PRINCIPALS: usize = 64;

/// How long it is theirs while they are not here.
const AWAY: Duration = Duration::from_hours(1);

/// What belongs to one principal.
pub(super) struct Estate {
    /// None where scripts find a server of the operator's under that name.
    pub(super) kept: Option<Kept>,
    pub(super) held: Held,
    pub(super) long: LongRuns,
}

/// What is theirs, and when they were here last.
type Used = (Arc<Estate>, Instant);

/// What belongs to each principal; who is not known by name is the local user.
pub(super) struct Estates {
    keeps: bool,
    estates: Mutex<HashMap<Option<Principal>, Used>>,
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
        let now = Instant::now();
        let key = principal.cloned();
        if let Some((estate, used)) = estates.get_mut(&key) {
            *used = now;
            return Arc::clone(estate);
        }
        estates.retain(|_, (_, used)| now - *used < AWAY);
        if estates.len() >= PRINCIPALS {
            let oldest = estates.iter().min_by_key(|(_, (_, used))| *used);
            let oldest = oldest.map(|(principal, _)| principal.clone());
            oldest.and_then(|principal| estates.remove(&principal));
        }
        let estate = Arc::new(Estate {
            kept: self.keeps.then(Kept::new),
            held: Held::default(),
            long: LongRuns::default(),
        });
        estates.insert(key, (Arc::clone(&estate), now));
        estate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(estates: &Estates, principal: &str) -> Option<u64> {
        let printed = Some("some text");
        let estate = estates.of(Some(&Principal::new(principal)));
        estate.kept.as_ref().unwrap().keep(None, printed)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_theirs_is_apart_and_forgotten_when_they_are_long_away() {
        let estates = Estates::new(true);
        assert_eq!(number(&estates, "ada"), Some(1));
        assert_eq!(number(&estates, "bob"), Some(1));
        assert_eq!(number(&estates, "ada"), Some(2));
        tokio::time::advance(AWAY / 2).await;
        assert_eq!(number(&estates, "ada"), Some(3));
        tokio::time::advance(AWAY / 2).await;
        assert_eq!(number(&estates, "carol"), Some(1));
        assert_eq!(number(&estates, "ada"), Some(4));
        assert_eq!(number(&estates, "bob"), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_principals_the_one_who_was_here_longest_ago_is_forgotten() {
        let estates = Estates::new(true);
        for principal in 0..PRINCIPALS {
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
