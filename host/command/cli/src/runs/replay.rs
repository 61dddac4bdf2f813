//! `ampoule runs replay`: replays a recorded run.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::{
    Difference, Error, Event, Record, RecordError, RecordLimits, ReplayReport, Rerun, Runtime,
};
use ampoule_untrusted::json;
use ampoule_untrusted::text::one_line;
use clap::Args;
use serde_json::{Value, json};

use super::records;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::Setup;
use crate::stop_signal::{self, Cancellation};
use crate::{outcome, streams};

const EXAMPLES: &str = "Examples:
  ampoule run --record report.ts
  ampoule runs replay
  ampoule runs replay d365-1
  ampoule runs replay d365-1 --until 3
  ampoule runs replay d365-1 --edit report.ts";

/// Replays a recorded run, without calling any tool.
///
/// Calls get the recorded answers, and clocks and entropy are the recorded ones. The run ends in
/// the same way, to the last byte, or the command shows the first difference. `ampoule runs` lists
/// the recorded runs. As JSON: whether the run ended in the same way, the first difference, and the
/// outcome as `ampoule run --json` has it.
#[derive(Debug, Clone, Args)]
#[command(after_help = exit::REPLAY_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::REPLAY_HELP))]
pub(super) struct Replay {
    /// The run's id, or the end of the id; or a file, such as one from another machine, or `-` for
    /// standard input. Default: the newest record.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Stops before this call, counted from 0.
    #[arg(long, value_name = "CALL")]
    until: Option<u32>,
    /// Runs this file in place of the script, `-` for standard input: each call gets the answer of the
    /// first recorded one with the same tool and arguments.
    #[arg(long, value_name = "FILE")]
    edit: Option<PathBuf>,
}

/// Replays a run for people.
pub(super) async fn replay(runtime: &Runtime, id: String) -> Result<(), Failure> {
    let replay = Replay {
        id: Some(id),
        until: None,
        edit: None,
    };
    replay.again(runtime, Output::default()).await?;
    Ok(())
}

impl Replay {
    pub(super) async fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let runtime = setup.ungoverned()?.runtime;
        let running = {
            let runtime = runtime.clone();
            async move { self.again(&runtime, output).await }
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), running)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn again(&self, runtime: &Runtime, output: Output) -> Result<ExitCode, Failure> {
        let record = self.record(runtime)?;
        let (calls, is_edited) = (record.calls().count(), self.edit.is_some());
        let rerun = self.rerun(runtime, record)?;
        let waiting = streams::err().waiting();
        waiting.on("replaying".to_owned());
        let (live, mut answered) = (!output.as_json, 0);
        let waiting = Arc::new(waiting);
        let told = Arc::clone(&waiting);
        let replayed = rerun
            .on_event(move |happened| match &happened.event {
                Event::CallEnded { .. } => {
                    answered += 1;
                    told.on(format!("replaying: {answered} of {calls} calls"));
                }
                Event::Output(line) if live => outcome::print_line(line),
                _ => {}
            })
            .run()
            .await;
        waiting.end();
        let replayed = replayed?;
        match output.as_json {
            true => say_json(&replayed),
            false => say(&replayed, is_edited),
        }
        if let (Some(until), None, true) = (self.until, &replayed.stopped, is_edited) {
            streams::err().note(format_args!("the changed script made no call {until}"));
        }
        Ok(code_of(&replayed, is_edited))
    }

    fn rerun(&self, runtime: &Runtime, record: Record) -> Result<Rerun, Failure> {
        if let (Some(until), None) = (self.until, &self.edit) {
            has_call(&record, until)?;
        }
        let mut rerun = runtime.replay(record);
        if let Some(until) = self.until {
            rerun = rerun.until(until);
        }
        if let Some(file) = &self.edit {
            let named = |error: Error| Failure::usage(format!("{}: {error}", shown(file)));
            rerun = rerun.edited_file(file, source(file)?).map_err(named)?;
        }
        Ok(rerun)
    }

    /// The record: the newest, that of a run of this user, or a file.
    fn record(&self, runtime: &Runtime) -> Result<Record, Failure> {
        let Some(id) = &self.id else {
            let newest = records::newest(runtime)?;
            streams::err().note(format_args!("replaying the newest record, {newest}"));
            return records::find(runtime, &newest, |shelf, id| shelf.record(id));
        };
        if id == "-" {
            let read = Record::read_from(io::stdin(), RecordLimits::default().each);
            return read.map_err(|problem| Failure::usage(format!("standard input: {problem}")));
        }
        let path = Path::new(id);
        let named =
            || of_file(path).map_err(|why| Failure::usage(format!("{}: {why}", one_line(id))));
        if path.components().count() > 1 || is_file_name(path) {
            return named();
        }
        let found = records::find(runtime, id, |shelf, id| shelf.record(id));
        // A folder is not meant where a run has its name.
        if found.is_err() && path.is_dir() {
            return named();
        }
        found
    }
}

/// Whether a name is a file rather than a run's id.
fn is_file_name(path: &Path) -> bool {
    path.is_file() || path.extension().is_some_and(|end| end == "record")
}

/// The record in a file. Nothing else is opened: opening a pipe without a writer would never
/// return.
///
/// # Errors
///
/// Why the file can't be used.
fn of_file(path: &Path) -> Result<Record, String> {
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            "file not found; `ampoule runs` lists the recorded runs".to_owned()
        }
        _ => format!("the file can't be read: {error}"),
    };
    let found = std::fs::metadata(path).map_err(unread)?;
    if !found.is_file() {
        let what = match found.is_dir() {
            true => "this is a folder; name a record in the folder",
            false => "this is not a file; give `-` to read a record from standard input",
        };
        return Err(what.to_owned());
    }
    if found.len() == 0 {
        return Err("the file is empty, so it is not a record".to_owned());
    }
    let file = File::open(path).map_err(unread)?;
    Record::read(file, RecordLimits::default().each).map_err(|problem| match problem {
        RecordError::Folder(error) => unread(error),
        problem => problem.to_string(),
    })
}

/// Checks that the recorded run made this call.
fn has_call(record: &Record, until: u32) -> Result<(), Failure> {
    let last = record.calls().map(|call| call.call).max();
    if last.is_some_and(|last| until <= last) {
        return Ok(());
    }
    Err(Failure::usage(match record.calls().count() {
        0 => format!("call {until} not found: the run made no calls"),
        made => format!("call {until} not found: the run made {made}, counted from 0"),
    }))
}

fn source(file: &Path) -> Result<String, Failure> {
    let read = match file.as_os_str() == "-" {
        true => io::read_to_string(io::stdin().lock()),
        false => std::fs::read_to_string(file),
    };
    read.map_err(|error| Failure::usage(format!("{} can't be read: {error}", shown(file))))
}

fn shown(file: &Path) -> String {
    one_line(&file.to_string_lossy()).into_owned()
}

/// A changed script may end in another way: the exit code is that of the new end.
fn code_of(replayed: &ReplayReport, is_edited: bool) -> ExitCode {
    match &replayed.difference {
        None | Some(Difference::End { .. }) if is_edited && replayed.stopped.is_none() => {
            exit::code_of(&replayed.outcome.ending)
        }
        Some(_) => exit::DIFFERS.into(),
        None => ExitCode::SUCCESS,
    }
}

fn say(replayed: &ReplayReport, is_edited: bool) {
    let (out, err) = (streams::out(), streams::err());
    for note in &replayed.notes {
        err.note(note);
    }
    if let Some((call, asked)) = &replayed.stopped {
        out.line(format_args!("stopped before call {call}: {asked}"));
        return;
    }
    if is_edited || replayed.difference.is_some() {
        err.ended(&replayed.outcome.ending);
    }
    let counted = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    };
    let calls = counted(replayed.answered, "call");
    let lines = counted(replayed.outcome.output.lines().len(), "output");
    match &replayed.difference {
        Some(difference) => out.line(difference),
        None if replayed.cut_short => out.line(format_args!(
            "same bytes, up to where the recorded run was cut short: {calls}, {lines}"
        )),
        None if is_edited => out.line(format_args!(
            "the changed script gives the same bytes: {calls}, {lines}"
        )),
        None => out.line(format_args!("replayed to the same bytes: {calls}, {lines}")),
    }
}

fn say_json(replayed: &ReplayReport) {
    let stopped = replayed.stopped.as_ref();
    // Texts and numbers alone can always be written.
    let outcome = serde_json::to_value(&replayed.outcome).unwrap_or(Value::Null);
    let document = json!({
        "same": replayed.difference.is_none() && stopped.is_none(),
        "difference": replayed.difference,
        "stoppedBefore": stopped.map(|(call, asked)| json!({ "call": call, "asked": asked })),
        "answered": replayed.answered,
        "cutShort": replayed.cut_short,
        "notes": replayed.notes,
        "outcome": outcome,
    });
    streams::out().json(&json::indented(&document.to_string()));
}
