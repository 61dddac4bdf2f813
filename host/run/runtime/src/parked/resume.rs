//! Resuming runs whose process is gone.

use std::sync::Arc;

use ampoule_persistence::parked::{ClaimedRun, RunEntry, Shelf};
use ampoule_tools::{Error, Principal, RunId};
use tokio::task::spawn_blocking;

use super::run_state::ParkedRunState;
use super::snapshot::ParkedRun;
use crate::run::Run;
use crate::run::isolate::Isolate;
use crate::runtime::Runtime;
use crate::stores::parked::refused;

impl Runtime {
    /// The runs that are kept because they are parked, or because nobody has asked how they ended:
    /// those of this process and of others, of one principal, or those of nobody in particular.
    /// For one that can't be read, why.
    ///
    /// # Errors
    ///
    /// A request error if runs are [parked](crate::RuntimeBuilder::parked) nowhere; a host fault
    /// if the folder can't be used.
    pub fn parked(
        &self,
        principal: Option<&Principal>,
    ) -> Result<Vec<Result<ParkedRun, Error>>, Error> {
        let principal = principal.map(|principal| &**principal.name());
        let shelf = self.parked_runs()?.store()?.shelf(principal);
        self.listed(&*shelf.map_err(refused)?)
    }

    /// The same of everybody: for the operator.
    ///
    /// # Errors
    ///
    /// As for [`parked`](Self::parked).
    pub fn all_parked(&self) -> Result<Vec<Result<ParkedRun, Error>>, Error> {
        let shelves = self.parked_runs()?.store()?.shelves().map_err(refused)?;
        let mut all = Vec::new();
        for shelf in shelves {
            all.extend(self.listed(&shelf)?);
        }
        Ok(all)
    }

    /// Removes those that are [too old](crate::ParkedLimits::age), of all principals.
    ///
    /// # Errors
    ///
    /// As for [`parked`](Self::parked).
    pub fn remove_expired_parked(&self) -> Result<(), Error> {
        let shelves = self.parked_runs()?.store()?.shelves().map_err(refused)?;
        let swept = shelves.iter().try_for_each(|shelf| shelf.sweep());
        swept.map_err(refused)
    }

    /// One of them, named in full or in short; of whichever principal, if none is said. None if nothing
    /// is kept of such a run; if that can't be read, why.
    ///
    /// # Errors
    ///
    /// As for [`parked`](Self::parked).
    pub fn find_parked(
        &self,
        run: &str,
        principal: Option<&Principal>,
    ) -> Result<Option<Result<ParkedRun, Error>>, Error> {
        let kept = self.if_kept(run, principal)?;
        Ok(kept.map(|(shelf, name)| self.parked_run(&shelf.find(&name).map_err(refused)?)))
    }

    /// Removes a run that is kept, in full or in short, whatever has become of it; of whichever
    /// principal, if none is said. One that a process has is that one's to cancel.
    ///
    /// # Errors
    ///
    /// A request error if the run does not exist, or a process has it; a host fault.
    pub fn remove_parked(&self, run: &str, principal: Option<&Principal>) -> Result<(), Error> {
        let (shelf, name) = self.kept_run(run, principal)?;
        shelf.remove(&name).map_err(refused)
    }

    /// An isolate that resumes a run whose process is gone: with its grant, its limits, its
    /// principal and its session. Bindings of its own, layers, a respondent and a world must be
    /// given again. Its outcome belongs to the caller that runs this.
    ///
    /// What is known of its calls' ends it gets; of a call that was sent and not answered, a
    /// `ToolError` that says so, unless the tool is read-only or idempotent by its hints: that one is
    /// called again, as are those that were not sent.
    ///
    /// # Errors
    ///
    /// A request error if the run does not exist, a process has it, it is damaged, or was parked by
    /// another version of an interpreter; a host fault.
    pub fn resume(&self, run: &str, principal: Option<&Principal>) -> Result<Isolate, Error> {
        let (shelf, name) = self.kept_run(run, principal)?;
        self.resuming(shelf.claim(&name).map_err(refused)?)
    }

    /// Resumes all runs whose processes are gone, of all principals. How each of them ends is
    /// [kept](crate::Isolate::keep_outcome). For one that this can't resume, its name and why; it
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// As for [`parked`](Self::parked).
    pub async fn resume_parked(&self) -> Result<Vec<(String, Result<Run, Error>)>, Error> {
        let store = self.parked_runs()?.store()?.clone();
        let claiming = spawn_blocking(move || {
            let mut claimed = Vec::new();
            for shelf in store.shelves()? {
                shelf.sweep()?;
                claimed.extend(shelf.claim_all()?);
            }
            Ok(claimed)
        });
        let claimed = claiming.await;
        let claimed =
            claimed.map_err(|error| Error::host("parked runs could not be read", error))?;
        let mut runs = Vec::new();
        for (name, claimed) in claimed.map_err(refused)? {
            let resumed = claimed.map_err(refused);
            let run = match resumed.and_then(|claimed| self.resuming(claimed)) {
                Ok(isolate) => isolate.keep_outcome().start().await,
                Err(error) => Err(error),
            };
            runs.push((name, run));
        }
        Ok(runs)
    }

    fn listed(&self, shelf: &Shelf) -> Result<Vec<Result<ParkedRun, Error>>, Error> {
        let found = shelf.list().map_err(refused)?.into_iter();
        let read = |found: Result<_, _>| self.parked_run(&found.map_err(refused)?);
        Ok(found.map(read).collect())
    }

    fn parked_run(&self, found: &RunEntry) -> Result<ParkedRun, Error> {
        ParkedRun::read(found, self.governor().is_some())
    }

    fn resuming(&self, claimed: ClaimedRun) -> Result<Isolate, Error> {
        let (resumed, script) = ParkedRunState::of(claimed, self.guests())?;
        let grant = resumed.grant()?;
        Ok(Isolate::resuming(self.clone(), script, resumed).grant(grant))
    }

    fn kept_run(
        &self,
        run: &str,
        principal: Option<&Principal>,
    ) -> Result<(Arc<Shelf>, String), Error> {
        let missing = || Error::request(format!("unknown parked run `{run}`"));
        self.if_kept(run, principal)?.ok_or_else(missing)
    }

    /// Where a run is kept, and its name, if it is.
    fn if_kept(
        &self,
        run: &str,
        principal: Option<&Principal>,
    ) -> Result<Option<(Arc<Shelf>, String)>, Error> {
        let store = self.parked_runs()?.store()?;
        let shelves = match principal {
            Some(principal) => vec![store.shelf(Some(principal.name())).map_err(refused)?],
            None => store.shelves().map_err(refused)?,
        };
        for shelf in shelves {
            let names = shelf.names().map_err(refused)?;
            let is_meant = |name: &String| {
                name == run || name.parse().is_ok_and(|id: RunId| id.is_meant_by(run))
            };
            if let Some(name) = names.into_iter().find(is_meant) {
                return Ok(Some((shelf, name)));
            }
        }
        Ok(None)
    }
}
