//! `ampoule runs`: those that are parked, and those that nobody has asked how they ended.

use std::process::ExitCode;

use ampoule::{Event, Level, ParkedRun};
use ampoule_untrusted::text::one_line;
use serde_json::{Value, json};

use super::exit::{self, Failure};
use super::run;
use super::setup::{self, Configured, Setup, Stopping};
use super::streams;

/// Those that no server tells of, as rows; what is wrong with one is said.
pub(super) fn rows(setup: &Setup, told: &[Value]) -> Result<Vec<Value>, Failure> {
    let runtime = setup.configured()?.runtime;
    let mut rows = Vec::new();
    for run in runtime.all_parked()? {
        match run {
            Ok(run) => {
                let row = row(&run);
                if !told.iter().any(|told| told["run"] == row["run"]) {
                    rows.push(row);
                }
            }
            Err(error) => streams::err().warning(one_line(&error.to_string())),
        }
    }
    Ok(rows)
}

/// One of them, with its code and what it printed, or how it ended; none if it is none of them.
pub(super) fn find(setup: &Setup, id: &str) -> Result<Option<Value>, Failure> {
    let runtime = setup.configured()?.runtime;
    let found = runtime.all_parked()?.into_iter().flatten();
    let mut found = found.filter(|run| run.run.is_meant_by(id));
    Ok(found.next().map(|run| {
        let mut row = row(&run);
        row["code"] = json!(run.code);
        row["printed"] = json!(run.printed);
        row["outcome"] = json!(run.outcome);
        if let Some(outcome) = &run.outcome {
            row["ended"] = json!({ "said": outcome.get() });
        }
        row
    }))
}

/// Goes on with one whose process is gone, until it ends.
pub(super) async fn resume(setup: &Setup, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let Configured { runtime, .. } = setup.configured()?;
    let stopping = Stopping::default();
    let (resuming, cancels, id) = (runtime.clone(), stopping.clone(), id.to_owned());
    let resumed = async move {
        let isolate = resuming.resume(&id, None)?;
        let run = isolate.on_event(move |happened| {
            if let (false, Event::Output(line)) = (json, &happened.event) {
                let stream = match line.level {
                    Level::Warn | Level::Error => streams::err(),
                    _ => streams::out(),
                };
                stream.foreign_line(&line.text);
            }
        });
        let run = run.start().await?;
        cancels.cancels(&run);
        let outcome = run.outcome().await?;
        run::print(&outcome, None, json);
        Ok(exit::code_of(&outcome.ending))
    };
    setup::until_stopped(runtime, stopping, resumed)
        .await
        .unwrap_or_else(|stopped| Ok(stopped.into()))
}

/// Removes one that no process has.
pub(super) fn remove(setup: &Setup, id: &str) -> Result<ExitCode, Failure> {
    setup.configured()?.runtime.remove_parked(id, None)?;
    streams::out().line(format_args!("removed {}", one_line(id)));
    Ok(ExitCode::SUCCESS)
}

fn row(run: &ParkedRun) -> Value {
    // Texts and numbers alone can always be written.
    serde_json::to_value(run).unwrap_or_default()
}
