//! Recorded runs, for `ampoule runs`.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ampoule::{Record, RecordEntry, RecordError, Records, RunId, Runtime};
use ampoule_untrusted::text::{one_line, visible};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::streams;

/// Applies an action to a record, of any principal.
pub(super) fn find<T>(
    runtime: &Runtime,
    id: &str,
    then: impl Fn(&Records, &str) -> Result<T, RecordError>,
) -> Result<T, Failure> {
    let mut meant: Vec<(Arc<Records>, String)> = Vec::new();
    for shelf in runtime.all_records()? {
        match shelf.find(id) {
            Ok(found) => meant.push((shelf, found)),
            Err(RecordError::Missing(_)) => {}
            Err(problem) => return Err(refused(problem)),
        }
    }
    match &meant[..] {
        [(shelf, found)] => then(shelf, found).map_err(refused),
        [] => Err(refused(RecordError::Missing(one_line(id).into_owned()))),
        _ => Err(refused(RecordError::Several(one_line(id).into_owned()))),
    }
}

/// A problem of the command line, or of the folder.
fn refused(problem: RecordError) -> Failure {
    match problem {
        RecordError::Folder(_) => Failure::host(&problem),
        problem => Failure::usage(problem.to_string()),
    }
}

/// The id of the run with the newest record.
pub(super) fn newest(runtime: &Runtime) -> Result<String, Failure> {
    let newest = listed(runtime)?.into_iter().next();
    let newest = newest.map(|record| record.head.run);
    newest.ok_or_else(|| Failure::usage("no records yet; `ampoule run --record` writes one"))
}

/// The id of the run with the newest record, of those that this process made since then.
pub(super) fn newest_of_process(runtime: &Runtime, since: SystemTime) -> Result<String, Failure> {
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
    let is_own = |record: &RecordEntry| u128::from(record.head.made) >= since.as_millis();
    // Each process has its own beginning of ids.
    let own = RunId::new().to_string();
    let own = own.split('-').next().unwrap_or_default();
    let mut listed = listed(runtime)?.into_iter().filter(is_own);
    let newest = listed.find(|record| record.head.run.starts_with(own));
    let newest = newest.map(|record| record.head.run);
    newest.ok_or_else(|| {
        Failure::usage("no run of this chat was recorded; `[records]` with `keep = \"all\"` in ampoule.toml records runs")
    })
}

/// All records as rows, the newest first.
pub(super) fn rows(runtime: &Runtime) -> Result<Vec<Value>, Failure> {
    Ok(listed(runtime)?.iter().map(row).collect())
}

/// All records, the newest first.
pub(super) fn listed(runtime: &Runtime) -> Result<Vec<RecordEntry>, Failure> {
    let mut listed = Vec::new();
    for shelf in runtime.all_records()? {
        listed.extend(shelf.list().map_err(refused)?);
    }
    listed.sort_by_key(|record: &RecordEntry| std::cmp::Reverse(record.head.made));
    Ok(listed)
}

fn row(record: &RecordEntry) -> Value {
    let RecordEntry { head, ended, bytes } = record;
    let made = UNIX_EPOCH.checked_add(Duration::from_millis(head.made));
    // A date that no calendar has is left out.
    let made = made.filter(|_| head.made < MOST_MADE).unwrap_or(UNIX_EPOCH);
    json!({
        "run": head.run,
        "state": "recorded",
        "made": humantime::format_rfc3339_seconds(made).to_string(),
        "principal": head.principal,
        "toolkit": head.toolkit,
        "language": head.language,
        "ending": ended.ending,
        "calls": ended.calls,
        "wallMs": ended.wall_ms,
        "fuel": ended.fuel,
        "bytes": bytes,
    })
}

/// The year 9999, in milliseconds since 1970.
const MOST_MADE: u64 = 253_370_764_800_000;

/// Shows a record: the code, the calls, and how the run ended.
pub(super) fn show(runtime: &Runtime, id: &str, as_json: bool) -> Result<(), Failure> {
    let record = find(runtime, id, Records::record)?;
    let out = streams::out();
    if as_json {
        out.json(&document(&record).to_string());
        return Ok(());
    }
    let Record {
        head,
        program,
        ended,
        ..
    } = &record;
    let head_lines = [
        ("run", head.run.clone()),
        ("principal", head.principal.clone().unwrap_or_default()),
        ("toolkit", head.toolkit.clone().unwrap_or_default()),
        ("language", head.language.clone()),
        ("build", format!("Ampoule {}", head.build.version)),
        ("ending", ended.ending.clone()),
        ("took", format!("{:.0} ms", ended.wall_ms)),
        ("fuel", ended.fuel.to_string()),
    ];
    for (title, text) in head_lines.iter().filter(|(_, text)| !text.is_empty()) {
        out.line(format_args!("{title}: {}", one_line(text)));
    }
    if let Some(run) = program.undoes() {
        out.line(format_args!("takes back calls of: {run}"));
    }
    if let Some((source, modules)) = program.source() {
        out.line("code:");
        for line in visible(source).lines() {
            out.line(format_args!("  {line}"));
        }
        for module in modules {
            out.line(format_args!("module: {}", one_line(module)));
        }
    }
    for call in record.calls() {
        let arguments = Value::Object(call.arguments).to_string();
        let took = match call.took {
            Some(micros) => format!("{:.1} ms", micros as f64 / 1e3),
            None => "not waited for".to_owned(),
        };
        let failed = if call.answered { "" } else { ", failed" };
        let line = format!(
            "call {}: {}.{}({arguments})",
            call.call, call.server, call.tool
        );
        out.line(format_args!("{} {took}{failed}", one_line(&line)));
    }
    say_outcome(&record.outcome);
    Ok(())
}

/// How a run ended, as `ampoule run --json` has it.
pub(super) fn say_outcome(outcome: &RawValue) {
    let out = streams::out();
    out.line("outcome:");
    out.line(visible(&ampoule_untrusted::json::indented(outcome.get())));
}

fn document(record: &Record) -> Value {
    let call = |call: ampoule::RecordedCall| {
        json!({
            "call": call.call,
            "server": call.server,
            "tool": call.tool,
            "arguments": call.arguments,
            "wallMs": call.took.map(|micros| micros as f64 / 1e3),
            "answered": call.answered,
        })
    };
    let outcome: Value = serde_json::from_str(record.outcome.get()).unwrap_or(Value::Null);
    json!({
        "head": record.head,
        "code": record.program.source().map(|(source, _)| source),
        "undoes": record.program.undoes(),
        "calls": record.calls().map(call).collect::<Vec<_>>(),
        "outcome": outcome,
    })
}

/// Removes a record.
pub(super) fn remove(runtime: &Runtime, id: &str) -> Result<(), Failure> {
    find(runtime, id, Records::remove)?;
    Ok(())
}
