//! Parked runs that are kept on disk, as programs find and list them.

use std::time::{Duration, Instant};

use ampoule::{Error, OpenParkedCall, ParkedRun, Principal};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Fault;

/// The name of a kept run of that principal; of no principal, if none is given. Programs never reach the runs
/// of a principal that they do not name.
///
/// # Errors
///
/// No run without a principal has this name, or it can't be read.
pub(crate) fn name(
    runtime: &ampoule::Runtime,
    run: &str,
    principal: Option<&Principal>,
) -> Result<String, Fault> {
    if principal.is_some() {
        return Ok(run.to_owned());
    }
    let found = runtime.find_parked(run, None)?.transpose()?;
    let is_of_none = |found: &ParkedRun| found.principal.is_none();
    let found = found.filter(is_of_none).ok_or_else(|| {
        Fault::usage(format!(
            "unknown parked run `{run}`: if it is a principal's, name the `principal`"
        ))
    })?;
    Ok(found.run.to_string())
}

/// How often a runtime looks for kept runs that are too old.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(3600);

/// When kept runs were last removed that are too old.
#[derive(Default)]
pub(crate) struct Expiry(Mutex<Option<Instant>>);

impl Expiry {
    /// Whether somebody is to look for them now: the caller does.
    pub(crate) fn is_due(&self) -> bool {
        let mut last = self.0.lock();
        let is_due = last.is_none_or(|last| last.elapsed() > LOOKED_FOR_EVERY);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// A kept run, as programs list it.
#[derive(Serialize)]
struct ListedRun<'a> {
    #[serde(flatten)]
    run: &'a ParkedRun,
    #[serde(rename = "openCalls")]
    open_calls: &'a [OpenParkedCall],
    /// How it ended, as the document of an outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<KeptOutcome<'a>>,
}

#[derive(Serialize)]
struct KeptOutcome<'a> {
    #[serde(flatten)]
    outcome: Map<String, Value>,
    language: &'a str,
}

impl<'a> ListedRun<'a> {
    fn of(run: &'a ParkedRun) -> Self {
        let outcome = run.outcome.as_deref();
        let outcome = outcome.and_then(|outcome| serde_json::from_str(outcome.get()).ok());
        Self {
            run,
            open_calls: &run.open_calls,
            outcome: outcome.map(|outcome| KeptOutcome {
                outcome,
                language: &run.language,
            }),
        }
    }
}

/// The list of kept runs, as JSON. What can't be read is not listed: to resume it says why.
pub(crate) fn listed(found: &[Result<ParkedRun, Error>]) -> Result<String, Fault> {
    let found = found.iter().filter_map(|run| run.as_ref().ok());
    let found: Vec<_> = found.map(ListedRun::of).collect();
    serde_json::to_string(&found)
        .map_err(|error| Fault::host(format!("parked runs can't be listed: {error}")))
}
