//! `ampoule runs`: parked runs, and ended runs whose outcome was not collected yet.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::{Error, Event, Grant, ParkedRun, Runtime};
use ampoule_configured::governed;
use ampoule_untrusted::text::one_line;
use serde_json::{Value, json};

use super::records;
use crate::activity::Activity;
use crate::exit::{self, Failure};
use crate::setup::{ConfiguredRuntime, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::{outcome, run, runs, streams};

/// The runs that no server lists, as rows; problems of one are reported.
pub(super) fn rows(runtime: &Runtime, told: &[Value]) -> Result<Vec<Value>, Failure> {
    let mut rows = Vec::new();
    let told: HashSet<&str> = told.iter().filter_map(|row| row["run"].as_str()).collect();
    for run in runtime.all_parked()? {
        match run {
            Ok(run) => {
                let row = row(&run);
                if !row["run"].as_str().is_some_and(|run| told.contains(run)) {
                    rows.push(row);
                }
            }
            Err(error) => Failure::from(error).warn(),
        }
    }
    Ok(rows)
}

/// What is stored of a run; none if nothing is, or if the lookup fails, which is reported.
fn kept(runtime: &Runtime, id: &str) -> Option<Result<ParkedRun, Error>> {
    let found = runtime.find_parked(id, None);
    found.unwrap_or_else(|error| {
        Failure::from(error).warn();
        None
    })
}

/// Shows one of them, with its code and its output, or how it ended. Returns whether it was found.
pub(super) fn show(runtime: &Runtime, id: &str, as_json: bool) -> Result<bool, Failure> {
    let Some(run) = kept(runtime, id).transpose()? else {
        return Ok(false);
    };
    let mut row = row(&run);
    row["code"] = json!(run.code);
    row["printed"] = json!(run.printed);
    if as_json {
        row["outcome"] = json!(run.outcome);
        streams::out().json(&row.to_string());
        return Ok(true);
    }
    runs::show(&row);
    if let Some(outcome) = &run.outcome {
        records::say_outcome(outcome);
    }
    Ok(true)
}

/// Resumes a run whose process is gone, until it ends. The outcome is stored, as servers store it.
pub(super) async fn resume(
    setup: &Setup,
    id: &str,
    workspace: Option<&Path>,
    json: bool,
) -> Result<ExitCode, Failure> {
    if let Some(folder) = workspace {
        governed::apart(&setup.read()?, folder, "--workspace", true)?;
        // The run had the folder, so it is not created.
        if !folder.is_dir() {
            let folder = folder.to_string_lossy();
            return Err(Failure::usage(format!(
                "--workspace {}: folder not found",
                one_line(&folder)
            )));
        }
    }
    let workspace = workspace.map(run::opened).transpose()?;
    let ConfiguredRuntime {
        runtime, governed, ..
    } = setup.running()?;
    let stopping = Cancellation::default();
    let (resuming, cancels, id) = (runtime.clone(), stopping.clone(), id.to_owned());
    let resumed = async move {
        let tools = resuming.tools(Grant::all())?;
        let isolate = resuming.resume(&id, None)?.keep_outcome();
        let isolate = match workspace {
            Some(workspace) => isolate.workspace(workspace),
            None => isolate,
        };
        let waiting = Arc::new(streams::err().waiting());
        let mut doing = Activity::new(Arc::clone(&waiting), &tools);
        let run = isolate.on_event(move |happened| {
            doing.hear(&happened.event);
            if let (false, Event::Output(line)) = (json, &happened.event) {
                outcome::print_line(line);
            }
        });
        let run = run.start().await?;
        cancels.cancels(&run);
        let id = run.id();
        let outcome = run.outcome().await;
        waiting.end();
        let outcome = outcome?;
        if outcome::print(&outcome, None, json) {
            streams::err().note(outcome::BYTES_APART);
        }
        if let Some(session) = &outcome.session {
            streams::err().note(outcome::said_of(session));
        }
        streams::err().note(format_args!(
            "`ampoule runs show {id}` shows how the run ended, `ampoule runs rm {id}` removes it"
        ));
        Ok(exit::code_of(&outcome.ending))
    };
    let ended = stop_signal::until_stopped(runtime, stopping, resumed).await;
    governed::closed(governed).await;
    ended.unwrap_or_else(|stopped| Ok(stopped.into()))
}

/// Removes a run that no process owns, even a damaged one. Returns whether it was found.
pub(super) fn remove(runtime: &Runtime, id: &str) -> Result<bool, Failure> {
    if kept(runtime, id).is_none() {
        return Ok(false);
    }
    runtime.remove_parked(id, None)?;
    Ok(true)
}

/// Why one of them can't be followed or cancelled; none if the id is not one of these runs.
pub(super) fn why_not(runtime: &Runtime, id: &str) -> Option<String> {
    let run = match kept(runtime, id)? {
        Ok(run) => run,
        Err(error) => return Some(error.to_string()),
    };
    let id = run.run;
    Some(match (run.state, run.pid) {
        ("left", _) => format!(
            "no process owns the run `{id}`: `ampoule runs resume {id}` resumes it, `ampoule runs rm {id}` removes it"
        ),
        ("ended", _) => {
            format!("the run `{id}` has ended: `ampoule runs show {id}` shows how")
        }
        (_, Some(pid)) => format!(
            "the run `{id}` belongs to process {pid}, which is not a server: cancel it with Ctrl-C there, or with `kill -INT {pid}`"
        ),
        (_, None) => format!(
            "the run `{id}` belongs to another process, which is not a server: cancel it with Ctrl-C there"
        ),
    })
}

fn row(run: &ParkedRun) -> Value {
    // Texts and numbers alone can always be written.
    serde_json::to_value(run).unwrap_or_default()
}
