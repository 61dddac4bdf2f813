//! `ampoule runs schedules` and `ampoule runs start`: what a clock or a message starts.

use std::process::ExitCode;

use ampoule_console::model::ScheduleRow;
use ampoule_server::operator::client::OperatorAnswer;
use ampoule_untrusted::text::one_line;
use serde_json::{Value, json};

use super::{gone, servers, table};
use crate::exit::Failure;
use crate::output::Output;
use crate::schedules::Starters;
use crate::setup::Setup;
use crate::streams;

/// The columns of the list: their titles and keys.
const COLUMNS: [(&str, &str); 6] = [
    ("NAME", "name"),
    ("STARTED BY", "startedBy"),
    ("NEXT", "next"),
    ("LAST", "last"),
    ("OUTCOME", "outcome"),
    ("RUN", "run"),
];

/// Lists schedules and hooks, each with its next time and what its last run came to.
pub(super) fn list(setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
    let starters = Starters::of(&setup.read()?);
    if starters.is_empty() {
        if !output.as_json {
            streams::err().note(
                "no schedules: add one as a table `[schedules.NAME]`, or a hook as `[hooks.NAME]`",
            );
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Value> = starters.rows()?.iter().map(row).collect();
    let out = streams::out();
    match output.as_json {
        true => rows.iter().for_each(|row| out.json(&row.to_string())),
        false => table(&rows, &COLUMNS)
            .iter()
            .for_each(|line| out.line(line)),
    }
    Ok(ExitCode::SUCCESS)
}

fn row(row: &ScheduleRow) -> Value {
    json!({
        "name": row.name,
        "startedBy": row.started_by,
        "next": row.next,
        "last": row.last,
        "outcome": row.outcome,
        "run": row.run,
        "waiting": row.waiting,
        "underWay": row.under_way,
    })
}

/// Has a server start a run of a schedule now.
pub(super) async fn start(setup: &Setup, name: &str, output: Output) -> Result<ExitCode, Failure> {
    let starters = Starters::of(&setup.read()?);
    let mut known = starters.schedules.keys();
    if !known.any(|known| known.as_str() == name) {
        return Err(Failure::usage(format!(
            "unknown schedule `{}`; `ampoule runs schedules` lists them",
            one_line(name)
        )));
    }
    let store = starters.store()?;
    let folder = store.path().to_string_lossy();
    let question = json!({ "start": { "schedule": name, "folder": folder } });
    for mut server in servers().await? {
        let lines = OperatorAnswer::to(&question, &mut server).await;
        let mut lines = lines.map_err(|error| gone(&error))?;
        let Some(line) = lines.next().await.map_err(|error| gone(&error))? else {
            continue;
        };
        if line["busy"].is_string() {
            return Err(Failure::usage(format!(
                "a run of `{name}` is under way; `ampoule runs` shows it, and `overlap` in `[schedules.{name}]` says how many there may be"
            )));
        }
        if let Some(why) = line["failed"].as_str() {
            let why = one_line(why);
            return Err(Failure::usage(format!("`{name}` was not started: {why}")));
        }
        // Another server has other schedules.
        let Some(run) = line["run"].as_str() else {
            continue;
        };
        match output.as_json {
            true => streams::out().json(&line.to_string()),
            false => streams::out().line(format_args!("started {}", one_line(run))),
        }
        return Ok(ExitCode::SUCCESS);
    }
    Err(Failure::usage(format!(
        "no server with the schedule `{name}` runs: start `ampoule serve --http` with this configuration"
    )))
}
