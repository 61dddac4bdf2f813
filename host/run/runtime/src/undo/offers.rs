//! What is kept in memory of failed runs whose calls can be taken back.

use std::collections::VecDeque;

use ampoule_isolate::UndoOffer;
use ampoule_tools::{Grant, Principal, RunId};
use parking_lot::Mutex;

use crate::governed::CarriedData;

/// How many runs are kept at most, and how many of one principal. A run takes some 64 KiB at most.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 16;

/// Failed runs whose calls can be taken back, the newest last.
#[derive(Default)]
pub(crate) struct UndoOffers(Mutex<VecDeque<Entry>>);

/// A failed run whose calls can be taken back.
#[derive(Clone)]
pub(crate) struct KeptOffer {
    pub(crate) principal: Option<Principal>,
    pub(crate) offer: UndoOffer,
    /// What the run was granted.
    pub(crate) grant: Grant,
    /// What it had read, as far as policies care.
    pub(crate) carried: Vec<CarriedData>,
    /// Whether it has a record.
    pub(crate) is_recorded: bool,
}

struct Entry {
    kept: KeptOffer,
    /// The calls are being taken back, or were.
    is_taken: bool,
}

impl Entry {
    fn is_of(&self, principal: Option<&Principal>) -> bool {
        let name = |principal: Option<&Principal>| principal.map(|it| it.name().clone());
        name(self.kept.principal.as_ref()) == name(principal)
    }
}

impl UndoOffers {
    /// Keeps one more. The oldest give way, those of the same principal first.
    pub(crate) fn keep(&self, kept: KeptOffer) {
        let mut entries = self.0.lock();
        let principal = kept.principal.clone();
        let is_theirs = |entry: &Entry| entry.is_of(principal.as_ref());
        if entries.iter().filter(|entry| is_theirs(entry)).count() >= MOST_OF_ONE
            && let Some(oldest) = entries.iter().position(is_theirs)
        {
            entries.remove(oldest);
        }
        if entries.len() >= MOST {
            entries.pop_front();
        }
        entries.push_back(Entry {
            kept,
            is_taken: false,
        });
    }

    /// The run of a principal that is called so. An error names one whose calls are taken back already.
    pub(crate) fn find(
        &self,
        run: &str,
        principal: Option<&Principal>,
    ) -> Option<Result<KeptOffer, String>> {
        let entries = self.0.lock();
        let mut entries = entries.iter().rev();
        let is_meant =
            |entry: &&Entry| entry.is_of(principal) && entry.kept.offer.run.is_meant_by(run);
        let found = entries.find(is_meant)?;
        Some(match found.is_taken {
            true => Err(found.kept.offer.run.short()),
            false => Ok(found.kept.clone()),
        })
    }

    /// Whether nobody had taken it before. What gave way meanwhile is nobody's.
    pub(crate) fn take(&self, run: RunId) -> bool {
        self.set(run, true)
    }

    /// Nothing was done with what was taken.
    pub(crate) fn give_back(&self, run: RunId) {
        self.set(run, false);
    }

    /// Whether that changes anything.
    fn set(&self, run: RunId, is_taken: bool) -> bool {
        let mut entries = self.0.lock();
        let found = entries.iter_mut().find(|entry| entry.kept.offer.run == run);
        found.is_some_and(|entry| {
            let changes = entry.is_taken != is_taken;
            entry.is_taken = is_taken;
            changes
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(principal: Option<&str>) -> KeptOffer {
        let offer = json!({ "run": RunId::new(), "calls": [] });
        KeptOffer {
            principal: principal.map(Principal::new),
            offer: serde_json::from_value(offer).unwrap(),
            grant: Grant::all(),
            carried: Vec::new(),
            is_recorded: false,
        }
    }

    #[test]
    fn an_offer_is_its_principals_and_is_taken_once() {
        let offers = UndoOffers::default();
        let anns = kept(Some("ann"));
        let run = anns.offer.run;
        offers.keep(anns);
        let (ann, bob) = (Principal::new("ann"), Principal::new("bob"));
        assert!(offers.find(&run.short(), Some(&bob)).is_none());
        assert!(offers.find(&run.short(), None).is_none());
        assert!(offers.find("d365-1", Some(&ann)).is_none());
        assert!(offers.find(&run.to_string(), Some(&ann)).unwrap().is_ok());
        assert!(offers.take(run) && !offers.take(run));
        let taken = offers.find(&run.short(), Some(&ann)).unwrap();
        assert_eq!(taken.err(), Some(run.short()));
        offers.give_back(run);
        assert!(offers.find(&run.short(), Some(&ann)).unwrap().is_ok());
        assert!(!offers.take(RunId::new()));
    }

    #[test]
    fn who_floods_loses_their_own() {
        let offers = UndoOffers::default();
        let bobs = kept(Some("bob"));
        let (run, bob) = (bobs.offer.run, Principal::new("bob"));
        offers.keep(bobs);
        let anns: Vec<_> = (0..40).map(|_| kept(Some("ann"))).collect();
        let ids: Vec<RunId> = anns.iter().map(|kept| kept.offer.run).collect();
        anns.into_iter().for_each(|kept| offers.keep(kept));
        let ann = Principal::new("ann");
        let is_there = |run: &RunId| offers.find(&run.to_string(), Some(&ann)).is_some();
        assert_eq!(ids.iter().filter(|run| is_there(run)).count(), 16);
        assert!(is_there(&ids[39]));
        assert!(offers.find(&run.to_string(), Some(&bob)).is_some());
        for number in 0..400 {
            offers.keep(kept(Some(&format!("p{number}"))));
        }
        assert_eq!(offers.0.lock().len(), MOST);
    }
}
