//! `ampoule runs`: active runs of this user's servers, parked runs, and recorded runs.
//!
//! - `parked`: parked runs, and how to resume those whose process is gone
//! - `schedules`: what a clock or a message starts
//! - `records`: records of runs; `replay`: replays a record; `undo`: takes back what a run called

mod parked;
mod records;
mod replay;
mod schedules;
mod undo;

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use ampoule::Runtime;
use ampoule_server::operator::client::{self, OperatorAnswer};
use ampoule_server::operator::socket::{self, Running};
use ampoule_untrusted::text::{one_line, visible};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

/// Replays the newest run of this process that was recorded since then.
pub(super) async fn replay_since(runtime: &Runtime, since: SystemTime) -> Result<(), Failure> {
    let id = records::newest_of_process(runtime, since)?;
    replay::replay(runtime, id).await
}

/// Lists, shows, starts, cancels, resumes, replays and undoes runs.
///
/// The list has the runs of this user's servers, parked runs, and recorded runs. With `--json`,
/// there is a line for each run or event. Name a run by its id, or by the end of the id, as models
/// see it: `d365-17`.
#[derive(Debug, Args)]
#[command(after_help = exit::RUNS_HELP)]
pub(super) struct Runs {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// The actions on runs.
#[derive(Debug, Subcommand)]
enum Task {
    /// Lists runs, the newest first (the default).
    Ls,
    /// Shows a run: its code and its output so far; of a recorded run, its calls and how it ended.
    Show {
        /// The run's id.
        id: String,
    },
    /// Prints the events of a run until it ends.
    Follow {
        /// The run's id.
        id: String,
    },
    /// Cancels a run.
    Cancel {
        /// The run's id.
        id: String,
    },
    /// Resumes a parked run whose process is gone, until the run ends.
    Resume {
        /// The run's id.
        id: String,
        /// The workspace of the run, if it was started with `--workspace`.
        #[arg(long, value_name = "FOLDER")]
        workspace: Option<PathBuf>,
    },
    /// Lists what a clock or a message starts, with the next time and the last outcome.
    Schedules,
    /// Has a server start a run of a schedule now.
    Start {
        /// The schedule's name.
        name: String,
    },
    Replay(replay::Replay),
    Undo(undo::UndoRun),
    /// Removes the record of a run, or a parked run that no process owns.
    Rm {
        /// The run's id.
        id: String,
    },
}

impl Runs {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let (asked, id) = match &self.task {
            None | Some(Task::Ls) => return self.list().await,
            Some(Task::Resume { id, workspace }) => {
                let workspace = workspace.as_deref();
                return parked::resume(&self.setup, id, workspace, self.output.as_json).await;
            }
            Some(Task::Replay(replay)) => {
                let replay = replay.clone();
                return replay.execute(&self.setup, self.output).await;
            }
            Some(Task::Undo(undo)) => {
                let undo = undo.clone();
                return undo.execute(&self.setup, self.output).await;
            }
            Some(Task::Schedules) => return schedules::list(&self.setup, self.output),
            Some(Task::Start { name }) => {
                return schedules::start(&self.setup, name, self.output).await;
            }
            Some(Task::Rm { id }) => return self.remove(id),
            Some(Task::Show { id }) => ("show", id),
            Some(Task::Follow { id }) => ("follow", id),
            Some(Task::Cancel { id }) => ("cancel", id),
        };
        let question = json!({ asked: id });
        for mut server in servers_or_none().await {
            let lines = OperatorAnswer::to(&question, &mut server).await;
            let mut lines = lines.map_err(|error| gone(&error))?;
            let mut known = false;
            while let Some(line) = lines.next().await.map_err(|error| gone(&error))? {
                if line["error"].is_string() {
                    break;
                }
                known = true;
                match self.output.as_json {
                    true => streams::out().json(&line.to_string()),
                    false => say(asked, &line),
                }
            }
            if known {
                return Ok(ExitCode::SUCCESS);
            }
        }
        let runtime = self.setup.ungoverned()?.runtime;
        if asked == "show" {
            if !parked::show(&runtime, id, self.output.as_json)? {
                records::show(&runtime, id, self.output.as_json)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        Err(Failure::usage(
            parked::why_not(&runtime, id).unwrap_or_else(|| {
                format!(
                    "unknown run `{}`; `ampoule runs` lists the runs of this user's servers",
                    one_line(id)
                )
            }),
        ))
    }

    /// Removes a parked run, or else the record of a run.
    fn remove(&self, id: &str) -> Result<ExitCode, Failure> {
        let runtime = self.setup.ungoverned()?.runtime;
        if !parked::remove(&runtime, id)? {
            records::remove(&runtime, id)?;
        }
        let removed = format!("removed {}", one_line(id));
        self.output.report(&json!({ "removed": id }), removed);
        Ok(ExitCode::SUCCESS)
    }
}

/// The servers that can be asked. A failure to find them is reported, and hides nothing that is on
/// disk.
async fn servers_or_none() -> Vec<Running> {
    or_none(servers().await)
}

/// The things of one kind; a failure to read them is reported, and hides nothing else.
fn or_none<T>(found: Result<Vec<T>, Failure>) -> Vec<T> {
    found.unwrap_or_else(|failure| {
        failure.warn();
        Vec::new()
    })
}

async fn servers() -> Result<Vec<Running>, Failure> {
    let folder = socket::folder();
    socket::running(&folder).await.map_err(|error| {
        let folder = folder.display();
        Failure::usage(format!(
            "the sockets of running servers, in {folder}, can't be used: {error}"
        ))
    })
}

fn gone(error: &io::Error) -> Failure {
    Failure::usage(format!("lost the connection to a server: {error}"))
}

impl Runs {
    /// Lists all kinds of runs, each kind in a table of its own.
    async fn list(&self) -> Result<ExitCode, Failure> {
        let runtime = self.setup.ungoverned()?.runtime;
        let mut live = client::rows(servers_or_none().await).await;
        let parked = parked::rows(&runtime, &live);
        let are_known = parked.is_ok();
        live.extend(or_none(parked));
        live.sort_by_key(|row| Reverse(since(row)));
        let recorded = or_none(records::rows(&runtime));
        let out = streams::out();
        if self.output.as_json {
            let rows = live.iter().chain(&recorded);
            rows.for_each(|row| out.json(&row.to_string()));
            return Ok(ExitCode::SUCCESS);
        }
        if live.is_empty() && recorded.is_empty() && are_known {
            streams::err().note("no runs");
        }
        for (rows, columns) in [(&live, &COLUMNS[..]), (&recorded, &RECORDED[..])] {
            if !rows.is_empty() {
                table(rows, columns).iter().for_each(|line| out.line(line));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// When a run began, or was parked; servers give more digits.
fn since(row: &Value) -> Option<SystemTime> {
    humantime::parse_rfc3339(row["since"].as_str()?).ok()
}

/// The columns of the list: their titles and keys.
const COLUMNS: [(&str, &str); 11] = [
    ("RUN", "run"),
    ("PID", "pid"),
    ("PRINCIPAL", "principal"),
    ("CLIENT", "client"),
    ("TOOLKIT", TOOLKIT),
    ("LANGUAGE", "language"),
    ("STATE", "state"),
    ("SINCE", "since"),
    ("CALLS", "calls"),
    ("FUEL", "fuel"),
    ("MEMORY", MEMORY),
];
/// The same for recorded runs.
const RECORDED: [(&str, &str); 9] = [
    ("RUN", "run"),
    ("MADE", "made"),
    ("PRINCIPAL", "principal"),
    ("TOOLKIT", TOOLKIT),
    ("LANGUAGE", "language"),
    ("ENDING", "ending"),
    ("CALLS", "calls"),
    ("TOOK", TOOK),
    ("SIZE", SIZE),
];
/// The key of a column that is left out where all of its cells are empty.
const TOOLKIT: &str = "toolkit";
/// Keys whose values are in bytes or milliseconds, and printed in larger units.
const MEMORY: &str = "memoryBytes";
const SIZE: &str = "bytes";
const TOOK: &str = "wallMs";
/// The tools whose calls wait for approval.
const ASKS: &str = "asks";

fn table(rows: &[Value], columns: &[(&str, &str)]) -> Vec<String> {
    let is_shown = |key: &str| key != TOOLKIT || rows.iter().any(|row| row[key].is_string());
    let columns: Vec<_> = (columns.iter()).filter(|(_, key)| is_shown(key)).collect();
    let head = columns.iter().map(|(title, _)| (*title).to_owned());
    let cells = |row| columns.iter().map(|(_, key)| cell_of(row, key)).collect();
    let cells: Vec<Vec<String>> = std::iter::once(head.collect())
        .chain(rows.iter().map(cells))
        .collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|column| cells.iter().map(|row| row[column].chars().count()).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |row: &Vec<String>| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        line.trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}

fn cell_of(row: &Value, key: &str) -> String {
    match row[key].as_f64() {
        Some(bytes) if key == MEMORY => format!("{:.1} MiB", bytes / f64::from(1 << 20)),
        Some(bytes) if key == SIZE => format!("{:.1} KiB", bytes / 1024.0),
        Some(millis) if key == TOOK => format!("{millis:.0} ms"),
        // The run waits for an approval.
        _ if key == "state" && row[ASKS].is_string() => format!("{}, asks", cell(&row[key])),
        _ => cell(&row[key]),
    }
}

/// A value in one line.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => one_line(text).into_owned(),
        other => other.to_string(),
    }
}

/// A line of an answer, for a reader.
fn say(asked: &str, line: &Value) {
    match asked {
        "follow" => follow(line),
        "cancel" => streams::out().line(format_args!("cancelled {}", cell(&line["run"]))),
        _ => show(line),
    }
}

pub(super) fn show(run: &Value) {
    let out = streams::out();
    for (title, key) in COLUMNS.iter().filter(|(_, key)| !run[key].is_null()) {
        out.line(format_args!(
            "{}: {}",
            title.to_lowercase(),
            cell_of(run, key)
        ));
    }
    if let Some(asks) = run[ASKS].as_str() {
        out.line(format_args!("waits for approval of: {}", one_line(asks)));
    }
    for key in ["code", "printed"] {
        if let Some(text) = run[key].as_str().filter(|text| !text.is_empty()) {
            out.line(format_args!("{key}:"));
            for line in visible(text).lines() {
                out.line(format_args!("  {line}"));
            }
        }
    }
    if let Some(said) = run["ended"]["said"]
        .as_str()
        .filter(|said| !said.is_empty())
    {
        out.line(visible(said));
    }
    if let Some(log) = run["ended"]["callLog"]["text"].as_str() {
        out.line(visible(log));
    }
}

/// An event of a run: output as it was printed, other events as a line.
fn follow(happened: &Value) {
    let out = streams::out();
    let at = happened["atMs"].as_f64().unwrap_or_default() / 1000.0;
    let said = match happened["event"].as_str().unwrap_or_default() {
        "output" => return out.line(visible(happened["text"].as_str().unwrap_or_default())),
        "call-started" => format!("calls {}", tool(happened)),
        "call-ended" => format!("{} {}", tool(happened), cell(&happened["end"])),
        "progress" => {
            let percent = happened["fraction"].as_f64();
            let percent = percent.map(|fraction| format!("{:.0} % ", fraction * 100.0));
            format!("{}{}", percent.unwrap_or_default(), cell(&happened["text"]))
        }
        "used" => format!(
            "fuel {}, memory {}",
            cell(&happened["fuel"]),
            cell_of(happened, MEMORY)
        ),
        "ended" => {
            let outcome = &happened["outcome"];
            let said = visible(outcome["said"].as_str().unwrap_or_default()).into_owned();
            return out.line(format_args!("{}: {said}", cell(&outcome["ending"])));
        }
        other => one_line(other).into_owned(),
    };
    out.line(format_args!("[{at:.3} s] {said}"));
}

fn tool(happened: &Value) -> String {
    format!("{}.{}", cell(&happened["server"]), cell(&happened["tool"]))
}
