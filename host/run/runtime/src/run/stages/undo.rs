//! What a run offers to take back, if it fails; and runs that take something back.

use std::sync::Arc;

use ampoule_isolate::{Code, Outcome, Undo, UndoOffer};
use ampoule_tools::{CallState, Error, Grant, Principal};

use crate::governed::CarriedData;
use crate::undo::{Claim, Claimable, KeptOffer, UndoOffers};

/// What a run takes back.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// The calls of a run, once.
    pub(crate) claimable: Option<Claimable>,
    /// What that run had read.
    pub(crate) carried: Vec<CarriedData>,
}

/// A run that may offer something, or takes something back.
#[derive(Default)]
pub(crate) struct Open {
    claim: Option<Claim>,
    is_begun: bool,
    offering: Option<Box<Offering>>,
}

/// Where an offer of a run is kept.
pub(crate) struct Offering {
    pub(crate) offers: Arc<UndoOffers>,
    pub(crate) principal: Option<Principal>,
    pub(crate) grant: Grant,
}

/// What a run offers, before governance has a say in what is shown of it.
pub(super) struct OfferedUndo(Option<(Box<Offering>, UndoOffer)>);

/// The undo that a run is, if it is one.
pub(crate) fn of(code: &Code) -> Option<&Undo> {
    match code {
        Code::Undo(undo) => Some(undo),
        _ => None,
    }
}

impl Options {
    /// Claims what the run takes back. What it offers goes there.
    pub(super) async fn open(self, offering: Option<Box<Offering>>) -> Result<Open, Error> {
        let claim = match self.claimable {
            Some(claimable) => Some(Box::pin(claimable.claim()).await?),
            None => None,
        };
        Ok(Open {
            claim,
            is_begun: false,
            offering,
        })
    }
}

impl Open {
    /// The run begins: something may be taken back from now on.
    pub(super) fn begin(&mut self) {
        self.is_begun = true;
    }

    /// The run has ended.
    pub(super) fn ended(&mut self, outcome: &mut Outcome) -> OfferedUndo {
        let is_sent = |state: CallState| state != CallState::NotSent;
        let left = outcome.usage.calls.iter().any(|call| is_sent(call.state));
        if let Some(claim) = self.claim.take().filter(|_| left) {
            claim.used();
        }
        let Some(offering) = self.offering.take() else {
            outcome.undo = None;
            return OfferedUndo(None);
        };
        let offer = outcome.undo.clone();
        OfferedUndo(offer.map(|offer| (offering, offer)))
    }
}

/// A run that is dropped while it takes something back may have done so.
impl Drop for Open {
    fn drop(&mut self) {
        if let Some(claim) = self.claim.take().filter(|_| self.is_begun) {
            claim.used();
        }
    }
}

impl OfferedUndo {
    /// Keeps it, where the run ended so.
    pub(super) fn keep(self, outcome: &Outcome) {
        let Some((offering, offer)) = self.0 else {
            return;
        };
        let Offering {
            offers,
            principal,
            grant,
        } = *offering;
        offers.keep(KeptOffer {
            principal,
            offer,
            grant,
            carried: outcome.carried.iter().cloned().collect(),
            is_recorded: outcome.record.is_some(),
        });
    }
}
