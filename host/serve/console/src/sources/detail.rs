//! One run, put together from what a process, the disk, its record and the audit log know of it.

use std::path::Path;
use std::time::{Duration, SystemTime};

use ampoule::{ParkedRun, Record, RecordEntry, Runtime};
use ampoule_audit::{AuditError, Event, Events, Filter};
use serde_json::Value;

use super::disclosure::{Disclosure, without_arguments};
use super::file_changes::FileChanges;
use super::find_run::FoundRun;
use super::outcome::{self, ShownOutcome};
use super::rows::{is_active, live_row, parked_row, record_row};
use super::timeline::Timeline;
use crate::ConsoleError;
use crate::model::{Place, RunDetail, RunRow, Usage, Viewer};

/// How many events of the audit log are shown of one run.
const EVENTS: usize = 10_000;
/// How far the clocks of two processes may be apart, and how late an event may be written.
const LATE: Duration = Duration::from_secs(60);

/// What a viewer may read of a record.
pub(super) fn of_record<'a>(
    record: &'a Record,
    runtime: &'a Runtime,
    viewer: &'a Viewer,
) -> Disclosure<'a> {
    Disclosure {
        runtime,
        viewer,
        carried: record.ended.carried.as_ref(),
    }
}

/// A run that is put together.
pub(super) struct Detail {
    pub(super) run: RunDetail,
    timeline: Timeline,
    began: Option<SystemTime>,
}

impl Detail {
    /// The outcomes of processes and of parked runs are those that clients have; a record has everything,
    /// so the viewer reads of it what policies let the viewer read.
    pub(super) fn of(found: FoundRun, runtime: &Runtime, viewer: &Viewer) -> Self {
        match found {
            FoundRun::Live(row) => Self::live(&row),
            FoundRun::Parked(run) => Self::parked(&run),
            FoundRun::Recorded(record) => {
                Self::recorded(&record, of_record(&record, runtime, viewer))
            }
        }
    }

    fn new(row: RunRow, shown: ShownOutcome) -> Self {
        let can_cancel = row.place == Place::Live && is_active(&row.state);
        let usage = Usage {
            fuel: shown.usage.fuel.max(row.fuel),
            memory_bytes: shown.usage.memory_bytes.or(row.memory_bytes),
            wall_ms: shown.usage.wall_ms.or(row.wall_ms),
            ..Usage::default()
        };
        let began = humantime::parse_rfc3339(&row.since).ok();
        Self {
            timeline: Timeline::of(shown.calls),
            run: RunDetail {
                row,
                code: None,
                modules: Vec::new(),
                undoes: None,
                output: shown.output,
                output_whole: true,
                value: shown.value,
                failure: shown.failure,
                calls: Vec::new(),
                usage,
                decisions: Vec::new(),
                labels: Vec::new(),
                files: Vec::new(),
                session: shown.session,
                withheld: false,
                can_cancel,
            },
            began,
        }
    }

    fn live(row: &Value) -> Self {
        let shown = match row.get("outcome") {
            Some(whole) if !whole.is_null() => outcome::read(whole),
            _ => ShownOutcome {
                output: row["printed"].as_str().unwrap_or_default().to_owned(),
                failure: outcome::in_short(&row["ended"]),
                ..ShownOutcome::default()
            },
        };
        let mut detail = Self::new(live_row(row), shown);
        detail.timeline.events(&row["callEvents"]);
        let has_whole = row.get("outcome").is_some_and(|it| !it.is_null());
        let run = &mut detail.run;
        run.output_whole = has_whole || row["printedWhole"].as_bool().unwrap_or(true);
        run.code = row["code"].as_str().map(ToOwned::to_owned);
        detail
    }

    fn parked(run: &ParkedRun) -> Self {
        let whole = run.outcome.as_ref();
        let whole = whole.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
        let shown = match &whole {
            Some(whole) => outcome::read(whole),
            None => ShownOutcome {
                output: run.printed.clone(),
                ..ShownOutcome::default()
            },
        };
        let mut row = parked_row(run);
        if whole.is_some() {
            row.state.clone_from(&shown.ending);
        }
        let mut detail = Self::new(row, shown);
        detail.run.code = Some(run.code.clone()).filter(|code| !code.is_empty());
        detail
    }

    fn recorded(record: &Record, disclosure: Disclosure<'_>) -> Self {
        let whole = serde_json::from_str(record.outcome.get()).unwrap_or_default();
        let row = record_row(&RecordEntry {
            head: record.head.clone(),
            ended: record.ended.clone(),
            bytes: 0,
        });
        let mut shown = outcome::read(&whole);
        let withheld = !disclosure.allows(record.outcome.get());
        if withheld {
            shown.withhold();
        }
        let mut detail = Self::new(row, shown);
        detail.run.withheld = withheld;
        detail.add_record(record, disclosure);
        detail
    }

    /// Adds what only a record has: the whole script, arguments and answers.
    pub(super) fn add_record(&mut self, record: &Record, disclosure: Disclosure<'_>) {
        let run = &mut self.run;
        run.row.recorded = true;
        if let Some((source, modules)) = record.program.source() {
            run.code = Some(source.to_owned());
            run.modules = modules.into_iter().map(ToOwned::to_owned).collect();
        }
        run.undoes = record.program.undoes().map(|run| run.to_string());
        let whole_calls = self.timeline.record(record, disclosure);
        let changes = FileChanges::of(record, disclosure);
        run.files = changes.shown;
        run.withheld |= !whole_calls || changes.withheld;
    }

    pub(super) fn add_audit(&mut self, folder: &Path, viewer: &Viewer) -> Result<(), ConsoleError> {
        // The log is read from the beginning of the run, and until shortly after its end.
        let filter = Filter {
            since: self.began.and_then(|began| began.checked_sub(LATE)),
            ..Filter::default()
        };
        let events = match Events::read(folder, filter) {
            Ok(events) => events,
            Err(AuditError::Missing(_)) => return Ok(()),
            Err(problem) => return Err(problem.into()),
        };
        let (mut shown, mut ended) = (0, None::<SystemTime>);
        for mut entry in events {
            if ended.is_some_and(|ended| entry.at > ended + LATE) || shown >= EVENTS {
                break;
            }
            if entry.run() != Some(&*self.run.row.run) {
                continue;
            }
            if let Some(Event::RunEnded(_)) = &entry.event {
                ended = Some(entry.at);
            }
            if !viewer.is_operator() {
                without_arguments(&mut entry);
            }
            self.timeline.audit(&entry, self.began);
            shown += 1;
        }
        Ok(())
    }

    pub(super) fn done(mut self) -> RunDetail {
        let mut run = self.run;
        self.timeline.add_to(&mut run.usage);
        run.calls = self.timeline.calls();
        run.decisions = std::mem::take(&mut self.timeline.decisions);
        run.labels = std::mem::take(&mut self.timeline.labels);
        run
    }
}
