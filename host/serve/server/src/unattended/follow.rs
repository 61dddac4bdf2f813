//! From a claim to an active run, and from there to its end, on disk.

use std::io;
use std::sync::Arc;

use ampoule::{Error, Runtime};
use ampoule_schedules::{Claim, Fate};
use jiff::Timestamp;
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::UnattendedRuns;
use super::job::Job;
use crate::runs::handle::RunHandle;
use crate::runs::registry::{RunRecord, RunRegistry};

/// The outcome of a run that ended with this process.
const INTERRUPTED: &str = "interrupted";

/// A run that is about to start.
pub(super) struct Launch<'a> {
    /// The name of the state of its schedule or hook.
    pub(super) name: &'a str,
    /// What starts it.
    pub(super) by: String,
    pub(super) job: &'a Job,
    pub(super) env: Vec<(&'static str, Value)>,
}

impl UnattendedRuns {
    /// Finds out what became of runs whose processes are gone. It may block.
    pub(super) fn fate(&self) -> impl Fn(&str) -> Fate + Send + 'static {
        let shared = &self.0.server.runs.shared;
        let (registry, runtime) = (shared.registry.clone(), shared.runtime.clone());
        move |run| fate(&registry, &runtime, run)
    }

    /// Follows runs that a former process parked and this one has resumed.
    pub(super) async fn adopt(&self, name: &str) {
        let (store, fate, of) = (self.0.store.clone(), self.fate(), name.to_owned());
        let settled = spawn_blocking(move || store.settled(&of, Timestamp::now(), fate)).await;
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

    /// Starts the run of a claim. The run's id is on disk and in the log before the run starts.
    pub(super) async fn launch(
        &self,
        launch: Launch<'_>,
        claim: &Claim,
    ) -> Result<RunHandle, Error> {
        let Launch { name, by, job, env } = launch;
        let server = &self.0.server;
        let prepared = job.prepare(server, env).await.inspect_err(|error| {
            tracing::error!(name, %error, "a run did not start");
        })?;
        let (id, number) = (prepared.id(), claim.number);
        let failed =
            |error: &Error| tracing::error!(name, run = %id, %error, "a run did not start");
        let (store, of) = (self.0.store.clone(), name.to_owned());
        let written = spawn_blocking(move || store.starts(&of, number, &id.to_string())).await;
        let written = written.map_err(io::Error::other).flatten();
        written
            .map_err(|error| Error::host("the id of a run can't be written down", error))
            .inspect_err(failed)?;
        tracing::info!(name, run = %id, due = %claim.due, "a run starts");
        let started = job.start(server, prepared, by).await;
        started.inspect_err(failed)
    }

    /// Writes down how the run ends.
    pub(super) async fn follow(&self, name: &str, claim: Claim, started: Result<RunHandle, Error>) {
        let Ok(run) = started else {
            return self.not_started(name, claim).await;
        };
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
                // Nobody holds the run any longer.
                Err(_) => INTERRUPTED.to_owned(),
            };
            all.ended(&name, claim, outcome).await;
        });
    }

    async fn not_started(&self, name: &str, claim: Claim) {
        let (store, of) = (self.0.store.clone(), name.to_owned());
        let written = spawn_blocking(move || store.not_started(&of, claim, Timestamp::now())).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(name, %error, "can't write down that a run did not start");
        }
    }

    async fn ended(&self, name: &str, claim: Claim, outcome: String) {
        let (store, of) = (self.0.store.clone(), name.to_owned());
        let written = spawn_blocking(move || store.ended(&of, claim, &outcome, Timestamp::now()));
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
