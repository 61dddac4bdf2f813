//! The right to take back the calls of one run, which is given once: in memory, and on disk where the run
//! has a record.

use std::sync::Arc;

use ampoule_records::Shelf;
use ampoule_tools::{Error, RunId};
use tokio::task::spawn_blocking;

use super::offers::UndoOffers;

/// The calls of a run are not taken back twice.
pub(super) fn taken(run: &str) -> Error {
    Error::request(format!(
        "the calls of the run `{run}` are being taken back, or were: a run is undone once"
    ))
}

/// What can be claimed, and where. Claiming it waits until the run begins that does it.
#[derive(Clone)]
pub(crate) struct Claimable {
    run: RunId,
    offers: Option<Arc<UndoOffers>>,
    shelf: Option<Arc<Shelf>>,
}

/// A claim. Dropped before anything was done, it is given back.
pub(crate) struct Claim {
    of: Claimable,
    is_used: bool,
}

impl Claimable {
    pub(super) fn new(
        run: RunId,
        offers: Option<Arc<UndoOffers>>,
        shelf: Option<Arc<Shelf>>,
    ) -> Self {
        Self { run, offers, shelf }
    }

    /// Claims it.
    ///
    /// # Errors
    ///
    /// A request error: somebody else has; a host fault if that can't be found out.
    pub(crate) async fn claim(self) -> Result<Claim, Error> {
        let run = self.run;
        let others = || taken(&run.short());
        if let Some(offers) = &self.offers
            && !offers.take(run)
        {
            return Err(others());
        }
        let claim = Claim {
            of: Self {
                shelf: None,
                ..self.clone()
            },
            is_used: false,
        };
        let Some(shelf) = self.shelf.clone() else {
            return Ok(claim);
        };
        let begun = spawn_blocking(move || shelf.begin_undo(run)).await;
        let begun = begun.map_err(|error| Error::host("the records can't be used", error))?;
        let begun = begun.map_err(|error| Error::host("the records can't be used", error))?;
        match begun {
            true => Ok(claim.also(self.shelf)),
            false => {
                // Another process has it, and memory is to know.
                claim.used();
                Err(others())
            }
        }
    }
}

impl Claim {
    fn also(mut self, shelf: Option<Arc<Shelf>>) -> Self {
        self.of.shelf = shelf;
        self
    }

    /// From now on, something may have been taken back.
    pub(crate) fn used(mut self) {
        self.is_used = true;
    }
}

/// Nothing was taken back.
impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_used {
            return;
        }
        let Claimable { run, offers, shelf } = &self.of;
        if let Some(Err(error)) = shelf.as_ref().map(|shelf| shelf.give_up_undo(*run)) {
            tracing::warn!(%run, %error, "the calls of a run can't be taken back any more");
        }
        if let Some(offers) = offers {
            offers.give_back(*run);
        }
    }
}
