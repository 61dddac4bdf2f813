//! From an active run to its end, on disk.

use std::sync::Arc;

use ampoule::{Error, Runtime};
use ampoule_schedules::{Claim, Fate};
use jiff::Timestamp;
use serde_json::Value;

use super::Unattended;
use crate::runs::handle::RunHandle;
use crate::runs::registry::{RunRecord, RunRegistry};

/// What is said of a run that did not begin.
const NOT_STARTED: &str = "not started";
/// What is said of a run that somebody ended with this process.
const INTERRUPTED: &str = "interrupted";

impl Unattended {
    /// What tells of runs whose processes are gone. It may block.
    pub(super) fn fate(&self) -> impl Fn(&str) -> Fate + Send + 'static {
        let shared = &self.0.server.runs.shared;
        let (registry, runtime) = (shared.registry.clone(), shared.runtime.clone());
        move |run| fate(&registry, &runtime, run)
    }

    /// Follows runs that a former process parked and this one has resumed.
    pub(super) async fn adopt(&self, name: &str) {
        let (store, fate, of) = (self.0.store.clone(), self.fate(), name.to_owned());
        let settled =
            tokio::task::spawn_blocking(move || store.settled(&of, Timestamp::now(), fate)).await;
        match settled {
            Ok(Ok(claims)) => claims
                .into_iter()
                .for_each(|claim| self.follow_resumed(name, claim)),
            Ok(Err(error)) => {
                tracing::warn!(name, %error, "can't find out how earlier runs ended");
            }
            Err(_) => {}
        }
    }

    /// Writes down that the run has begun, and how it ends.
    pub(super) async fn follow(&self, name: &str, claim: Claim, started: Result<RunHandle, Error>) {
        let run = match started {
            Ok(run) => run,
            Err(error) => {
                tracing::error!(name, %error, "a run was not started");
                return self.ended(name, claim, NOT_STARTED.to_owned()).await;
            }
        };
        let (store, of, id) = (self.0.store.clone(), name.to_owned(), run.id().to_string());
        let written = tokio::task::spawn_blocking(move || {
            let written = store.started(&of, &claim, &id);
            (claim, written)
        });
        let Ok((claim, written)) = written.await else {
            return;
        };
        if let Err(error) = written {
            tracing::warn!(name, %error, "can't write down that a run has begun");
        }
        drop(run.answer.clone().await);
        let outcome = outcome_of(&run.record);
        tracing::info!(name, run = %run.id(), outcome, "a run has ended");
        self.ended(name, claim, outcome).await;
    }

    /// The same for a run that was resumed already.
    pub(super) fn follow_resumed(&self, name: &str, claim: Claim) {
        let registry = &self.0.server.runs.shared.registry;
        let record = claim.run.as_deref().and_then(|run| registry.find(run));
        let Some(record) = record else { return };
        let mut ended = record.ended.subscribe();
        drop(record);
        let (all, name) = (self.clone(), name.to_owned());
        self.spawn(async move {
            let outcome = match ended.wait_for(Option::is_some).await {
                Ok(ended) => ending(ended.as_ref()),
                // Somebody let go of the run.
                Err(_) => INTERRUPTED.to_owned(),
            };
            all.ended(&name, claim, outcome).await;
        });
    }

    async fn ended(&self, name: &str, claim: Claim, outcome: String) {
        let (store, of) = (self.0.store.clone(), name.to_owned());
        let written = tokio::task::spawn_blocking(move || {
            store.ended(&of, claim, &outcome, Timestamp::now())
        });
        if let Ok(Err(error)) = written.await {
            tracing::warn!(name, %error, "can't write down how a run ended");
        }
    }
}

fn outcome_of(record: &Arc<RunRecord>) -> String {
    ending(record.ended.borrow().as_ref())
}

/// How a run ended, in a word.
fn ending(ended: Option<&Value>) -> String {
    let ending = ended.and_then(|ended| ended["ending"].as_str());
    ending.unwrap_or(INTERRUPTED).to_owned()
}

fn fate(registry: &RunRegistry, runtime: &Runtime, run: &str) -> Fate {
    if registry.find(run).is_some() {
        return Fate::Resumed;
    }
    match runtime.find_parked(run, None) {
        Ok(Some(Ok(parked))) => match parked.outcome {
            Some(outcome) => Fate::Ended(ending(serde_json::from_str(outcome.get()).ok().as_ref())),
            None => Fate::Parked,
        },
        Ok(Some(Err(_)) | None) => Fate::Gone,
        Err(error) => {
            tracing::warn!(run, %error, "can't find out whether a run is parked");
            Fate::Parked
        }
    }
}
