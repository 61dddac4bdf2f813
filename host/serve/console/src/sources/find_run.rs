//! Finds one run, wherever it is known from.

use std::sync::Arc;

use ampoule::{Error, ParkedRun, Record, Records, Runtime};
use ampoule_server::operator::{client, socket};
use serde_json::Value;

use super::Sources;
use super::work::blocking;
use crate::ConsoleError;
use crate::model::Viewer;

/// A run, as the place where it was found has it.
pub(crate) enum FoundRun {
    /// A process has it; what the process says of it.
    Live(Value),
    /// It is kept on disk.
    Parked(Box<ParkedRun>),
    /// It has ended, and there is a record.
    Recorded(Box<Record>),
}

/// No other words for a run of another principal.
pub(crate) const UNKNOWN: ConsoleError = ConsoleError::NotFound("this run");

/// Whether an id is the whole id of a run: nobody gets at a run by a part of its id.
pub(crate) fn is_whole(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && id
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

impl Sources {
    /// The run of this id.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`], also for a run of another principal.
    pub(crate) async fn find_run(
        &self,
        viewer: &Viewer,
        id: &str,
    ) -> Result<FoundRun, ConsoleError> {
        if !is_whole(id) {
            return Err(UNKNOWN);
        }
        if let Some(live) = self.find_live(viewer, id).await {
            return Ok(FoundRun::Live(live));
        }
        let (runtime, viewer, id) = (self.runtime().clone(), viewer.clone(), id.to_owned());
        blocking(move || {
            if let Some(parked) = parked(&runtime, &viewer, &id)? {
                return Ok(FoundRun::Parked(Box::new(parked)));
            }
            let record = record(&runtime, &viewer, &id)?;
            record
                .map(|it| FoundRun::Recorded(Box::new(it)))
                .ok_or(UNKNOWN)
        })
        .await
    }

    /// What the process that has the run says of it.
    pub(crate) async fn find_live(&self, viewer: &Viewer, id: &str) -> Option<Value> {
        if let Some(own) = self.server.live_runs().show(id) {
            return is_visible(&own, viewer, id).then_some(own);
        }
        let other = client::ask("show", id, self.others(viewer).await).await;
        other.filter(|row| is_visible(row, viewer, id))
    }

    /// This user's other processes, for operators. A socket that can't be used hides nothing else.
    pub(crate) async fn others(&self, viewer: &Viewer) -> Vec<socket::Running> {
        let Some(folder) = self.sockets.as_ref().filter(|_| viewer.is_operator()) else {
            return Vec::new();
        };
        let running = socket::running_elsewhere(folder).await;
        running.unwrap_or_else(|error| {
            tracing::warn!(%error, "the sockets of other processes can't be used");
            Vec::new()
        })
    }
}

/// Whether a row is that of the run, and may be seen.
pub(crate) fn is_visible(row: &Value, viewer: &Viewer, id: &str) -> bool {
    row["run"] == id && viewer.may_see(row["principal"].as_str())
}

/// The run of this id that is kept on disk.
fn parked(runtime: &Runtime, viewer: &Viewer, id: &str) -> Result<Option<ParkedRun>, ConsoleError> {
    let found = or_none(runtime.find_parked(id, viewer.filter()))?.flatten();
    let Some(run) = found.transpose()? else {
        return Ok(None);
    };
    let is_it = run.run.to_string() == id && viewer.may_see(run.principal.as_deref());
    Ok(is_it.then_some(run))
}

/// The records that a viewer may see.
///
/// # Errors
///
/// The folder can't be used.
pub(crate) fn shelves(
    runtime: &Runtime,
    viewer: &Viewer,
) -> Result<Vec<Arc<Records>>, ConsoleError> {
    let shelves = match viewer.is_operator() {
        true => runtime.all_records(),
        false => runtime.records(viewer.owner()).map(|shelf| vec![shelf]),
    };
    Ok(or_none(shelves)?.unwrap_or_default())
}

/// The record of this id.
pub(crate) fn record(
    runtime: &Runtime,
    viewer: &Viewer,
    id: &str,
) -> Result<Option<Record>, ConsoleError> {
    for shelf in shelves(runtime, viewer)? {
        if shelf.find(id).is_ok_and(|found| found == id) {
            return Ok(Some(shelf.record(id)?));
        }
    }
    Ok(None)
}

/// Nothing, where a part is not set up.
pub(crate) fn or_none<T>(found: Result<T, Error>) -> Result<Option<T>, ConsoleError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.is_request() => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}
