//! Replays of recorded runs: nothing is called.

use ampoule::ReplayReport;
use serde_json::Value;

use super::find_run::{UNKNOWN, is_whole, record};
use super::outcome;
use super::work::blocking;
use crate::model::{ReplayRequest, ReplayResult, Viewer};
use crate::{Console, ConsoleError};

impl Console {
    /// Replays the record of a run, with its own script or another one. The answers that the run got
    /// are the answers of the replay.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`] if there is no record of the run; [`ConsoleError::Invalid`] if the
    /// record has no script to change.
    pub async fn replay(
        &self,
        viewer: &Viewer,
        id: &str,
        request: ReplayRequest,
    ) -> Result<ReplayResult, ConsoleError> {
        if !is_whole(id) {
            return Err(UNKNOWN);
        }
        let runtime = self.sources().runtime().clone();
        let (reading, of, id) = (runtime.clone(), viewer.clone(), id.to_owned());
        let record = blocking(move || record(&reading, &of, &id)).await?;
        let record = record.ok_or(ConsoleError::NotFound("a record of this run"))?;
        let mut rerun = runtime.replay(record);
        if let Some(until) = request.until {
            rerun = rerun.until(until);
        }
        if let Some(code) = request.code {
            rerun = rerun.edited(code)?;
        }
        // A person who goes away ends it, as do its limits.
        let report = Box::pin(rerun.run()).await?;
        Ok(result(&report))
    }
}

fn result(report: &ReplayReport) -> ReplayResult {
    // Texts and numbers alone can always be written.
    let whole: Value = serde_json::to_value(&report.outcome).unwrap_or_default();
    let shown = outcome::read(&whole);
    let stopped = report.stopped.as_ref();
    ReplayResult {
        same: report.difference.is_none() && stopped.is_none(),
        difference: report.difference.as_ref().map(ToString::to_string),
        stopped_before: stopped.map(|(call, asked)| format!("call {call}: {asked}")),
        answered: report.answered as u64,
        cut_short: report.cut_short,
        notes: report.notes.clone(),
        ending: shown.ending,
        output: shown.output,
        value: shown.value,
        failure: shown.failure,
        fuel: shown.usage.fuel,
    }
}
