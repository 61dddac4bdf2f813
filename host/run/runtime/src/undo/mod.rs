//! Calls of failed runs that can be taken back: kept until somebody has that done, which happens once.
//!
//! - `offers`: what is kept in memory; records keep the same on disk
//! - `claim`: the right to take back the calls of one run
//!
//! A run that takes calls back is a run like any; what is its own is in `run/stages/undo.rs`.

mod claim;
mod offers;

use std::sync::Arc;

use ampoule_isolate::{Undo, UndoOffer};
use ampoule_records::{Record, Shelf};
use ampoule_tools::{Account, Error, Grant, Principal, Toolkit};
use tokio::task::spawn_blocking;

use claim::taken;
pub(crate) use claim::{Claim, Claimable};
pub(crate) use offers::{KeptOffer, UndoOffers};

use crate::governed::CarriedData;
use crate::run::isolate::Isolate;
use crate::runtime::Runtime;
use crate::stores::records::refused;

/// Whose runs are looked through.
#[derive(Clone)]
enum RunScope {
    /// Those of one principal, or of the local user.
    Of(Option<Principal>),
    /// Those of all, for whom the folder of records belongs to.
    Anybody,
}

/// What is known of a run whose calls can be taken back.
struct UndoableRun {
    offer: UndoOffer,
    grant: Grant,
    carried: Vec<CarriedData>,
    claimable: Claimable,
}

impl Runtime {
    /// Which calls of a failed run can be taken back, of a run of that principal: by its id, or by the end
    /// of the id as models see it. What this process keeps of runs is bounded; what has a
    /// [record](crate::RuntimeBuilder::records) is found after that as well.
    ///
    /// # Errors
    ///
    /// A request error: the run is unknown, or its calls are taken back already.
    pub async fn undo_offer(
        &self,
        run: &str,
        principal: Option<&Principal>,
    ) -> Result<UndoOffer, Error> {
        let whose = RunScope::Of(principal.cloned());
        Ok(self.found(run, whose).await?.offer)
    }

    /// The same of a recorded run of any principal, for whom the folder of records belongs to.
    ///
    /// # Errors
    ///
    /// The same.
    pub async fn undo_offer_of_anybody(&self, run: &str) -> Result<UndoOffer, Error> {
        Ok(self.found(run, RunScope::Anybody).await?.offer)
    }

    /// An isolate that takes back the calls of a failed run of that principal: those that its
    /// [outcome](crate::Outcome::undo) lists, the newest first, until one fails. It is a run like any,
    /// on behalf of that principal and with the grant of the failed run: calls that take something back
    /// are governed as others are, and as those that destroy something. A run is undone once; if no call
    /// leaves, it may be tried again.
    ///
    /// # Errors
    ///
    /// As for [`undo_offer`](Self::undo_offer); and if no call can be taken back, why that is so.
    pub async fn undo(&self, run: &str, principal: Option<&Principal>) -> Result<Isolate, Error> {
        let found = self.found(run, RunScope::Of(principal.cloned())).await?;
        self.undoing_for(found, principal)
    }

    /// The same of a recorded run of any principal, on behalf of the local user, for whom the folder of
    /// records belongs to.
    ///
    /// # Errors
    ///
    /// The same.
    pub async fn undo_of_anybody(&self, run: &str) -> Result<Isolate, Error> {
        let found = self.found(run, RunScope::Anybody).await?;
        self.undoing(found)
    }

    /// The same as [`undo`](Self::undo) of a run that was within that toolkit, or within none: others are
    /// unknown there.
    #[doc(hidden)]
    pub async fn undo_within(
        &self,
        run: &str,
        principal: Option<&Principal>,
        toolkit: Option<&Arc<str>>,
    ) -> Result<Isolate, Error> {
        let found = self.found(run, RunScope::Of(principal.cloned())).await?;
        if found.grant.toolkit().map(Toolkit::name) != toolkit {
            return Err(unknown(run));
        }
        self.undoing_for(found, principal)
    }

    fn undoing_for(
        &self,
        found: UndoableRun,
        principal: Option<&Principal>,
    ) -> Result<Isolate, Error> {
        let isolate = self.undoing(found)?;
        Ok(match principal {
            Some(principal) => isolate.principal(principal.clone()),
            None => isolate,
        })
    }

    fn undoing(&self, found: UndoableRun) -> Result<Isolate, Error> {
        let UndoableRun {
            offer,
            grant,
            carried,
            claimable,
        } = found;
        if offer.calls.is_empty() {
            let why = offer.irreversible.iter();
            let why: Vec<String> = why
                .map(|lost| format!("{}: {}", lost.call.text(), lost.why))
                .collect();
            return Err(Error::request(format!(
                "no call of the run `{}` can be taken back: {}",
                offer.run.short(),
                why.join("; ")
            )));
        }
        let undo = Undo::new(offer.run, offer.calls);
        let isolate = Isolate::new(self.clone(), undo.into()).grant(grant);
        Ok(isolate.claiming(claimable, carried))
    }

    async fn found(&self, run: &str, whose: RunScope) -> Result<UndoableRun, Error> {
        if let RunScope::Of(principal) = &whose
            && let Some(kept) = self.undo_offers().find(run, principal.as_ref())
        {
            let kept = kept.map_err(|run| taken(&run))?;
            let shelf = match kept.is_recorded {
                true => Some(self.records(principal.as_ref())?),
                false => None,
            };
            return Ok(UndoableRun {
                claimable: Claimable::new(
                    kept.offer.run,
                    Some(Arc::clone(self.undo_offers())),
                    shelf,
                ),
                offer: kept.offer,
                grant: kept.grant,
                carried: kept.carried,
            });
        }
        let (runtime, run) = (self.clone(), run.to_owned());
        let found = spawn_blocking(move || runtime.recorded(&run, &whose)).await;
        found.map_err(|error| Error::host("the records can't be read", error))?
    }

    /// What a record keeps of it. Blocks.
    fn recorded(&self, run: &str, whose: &RunScope) -> Result<UndoableRun, Error> {
        let unknown = || unknown(run);
        if self.stores().records.is_none() {
            return Err(unknown());
        }
        let shelves = match whose {
            RunScope::Of(principal) => vec![self.records(principal.as_ref())?],
            RunScope::Anybody => self.all_records()?,
        };
        let mut found: Vec<(Arc<Shelf>, String)> = Vec::new();
        for shelf in shelves {
            match shelf.find(run) {
                Ok(id) => found.push((shelf, id)),
                Err(ampoule_records::RecordError::Missing(_)) => {}
                Err(problem) => return Err(refused(problem)),
            }
        }
        let (shelf, id) = match (found.pop(), found.is_empty()) {
            (Some(found), true) => found,
            (Some(_), false) => {
                let several = ampoule_records::RecordError::Several(run.to_owned());
                return Err(refused(several));
            }
            (None, _) => return Err(unknown()),
        };
        let Record {
            head,
            program,
            ended,
            undo,
            ..
        } = shelf.record(&id).map_err(refused)?;
        // Its id is the name of the file that was asked for.
        let mut offer = undo
            .filter(|offer| offer.run.to_string() == id)
            .ok_or_else(unknown)?;
        if shelf.is_undone(offer.run) {
            return Err(taken(&offer.run.short()));
        }
        if let (RunScope::Anybody, Some(principal)) = (whose, &head.principal) {
            without_own_accounts(&mut offer, principal);
        }
        Ok(UndoableRun {
            claimable: Claimable::new(offer.run, None, Some(shelf)),
            grant: program.grant,
            carried: ended.carried.into_iter().collect(),
            offer,
        })
    }
}

/// The error for a run that is not kept for an undo.
fn unknown(run: &str) -> Error {
    Error::request(format!(
        "unknown run `{}`: a run can be undone if it failed after calls that something takes back",
        ampoule_untrusted::text::one_line(run)
    ))
}

/// Calls that were made with an account of the principal's own would be taken back with another one.
fn without_own_accounts(offer: &mut UndoOffer, principal: &str) {
    let calls = std::mem::take(&mut offer.calls);
    for call in calls {
        match call.takes_back.account {
            Some(Account::Principal) => {
                let why =
                    format!("it was made with an account of `{principal}`, who can take it back");
                offer.irreversible.push(call.irreversible(why));
            }
            _ => offer.calls.push(call),
        }
    }
}
