//! The audit log: events, and whether its chains are intact.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::SystemTime;

use ampoule_audit::{
    Against, AuditError, Entry, Events, Filter, Finding, Format, Level, Report, export, human,
    verify,
};
use ampoule_projection::names::ToolPattern;

use super::bounded_buffer::BoundedBuffer;
use super::disclosure::without_arguments;
use super::files::FileContent;
use super::settings::operators_only;
use super::time;
use super::work::blocking;
use crate::model::{AuditFilter, AuditLine, ChainFinding, ChainReport, Page, PageQuery, Viewer};
use crate::{Console, ConsoleError};

/// The most bytes of an export.
const EXPORTED: usize = 64 << 20;

impl Console {
    /// The events of the audit log, the newest first. Viewers who are not operators see their own,
    /// without the arguments of calls.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without an audit log; [`ConsoleError::Invalid`] for a filter or a
    /// cursor that can't be read.
    pub async fn audit(
        &self,
        viewer: &Viewer,
        filter: &AuditFilter,
        wanted: &PageQuery,
    ) -> Result<Page<AuditLine>, ConsoleError> {
        let folder = self.audit_log()?;
        let filter = read(viewer, filter)?;
        let sees_all = viewer.is_operator();
        let rows = wanted.rows();
        let after = wanted.cursor.as_deref().map(place).transpose()?;
        blocking(move || {
            let Some(events) = events(&folder, filter)? else {
                return Ok(empty());
            };
            // The latest of those that come before the cursor: as many as a page has, and one more.
            let mut latest: VecDeque<Entry> = VecDeque::with_capacity(rows + 1);
            for entry in events {
                if after.as_ref().is_some_and(|after| key(&entry) >= *after) {
                    continue;
                }
                latest.push_back(entry);
                if latest.len() > rows + 1 {
                    latest.pop_front();
                }
            }
            let is_last = latest.len() <= rows;
            let items: Vec<&Entry> = latest.iter().rev().take(rows).collect();
            let next = items.last().filter(|_| !is_last).map(|last| {
                let (at, lane, seq) = key(last);
                format!("{}-{lane}-{seq}", at.as_nanos())
            });
            Ok(Page {
                items: items
                    .into_iter()
                    .map(|entry| line(entry, sees_all))
                    .collect(),
                next,
                total: None,
                problems: Vec::new(),
            })
        })
        .await
    }

    /// Verifies all chains of the audit log.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::NotSetUp`] without an audit log.
    pub async fn verify_audit(&self, viewer: &Viewer) -> Result<ChainReport, ConsoleError> {
        operators_only(viewer)?;
        let folder = self.audit_log()?;
        blocking(move || Ok(report(&verify(&folder, &Against::default())?))).await
    }

    /// Exports the events of the audit log.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; as for [`audit`](Self::audit); [`ConsoleError::Conflict`] if
    /// there are too many events for one answer; [`ConsoleError::Busy`] while too many files are sent.
    pub async fn export_audit(
        &self,
        viewer: &Viewer,
        filter: &AuditFilter,
        format: &str,
    ) -> Result<FileContent, ConsoleError> {
        operators_only(viewer)?;
        let folder = self.audit_log()?;
        let filter = read(viewer, filter)?;
        let share = self.downloads().open(viewer)?;
        let name = format!("audit.{format}");
        let format: Format = format.parse().map_err(|_| {
            ConsoleError::Invalid("unknown format: write `jsonl`, `ocsf` or `otlp`".to_owned())
        })?;
        blocking(move || {
            let mut written = BoundedBuffer::new(EXPORTED);
            if let Some(mut events) = events(&folder, filter)? {
                let count = export(events.by_ref(), format, &mut written);
                count.map_err(|_| {
                    ConsoleError::Conflict(
                        "too many events for one answer: narrow them by time, or use `ampoule audit export`"
                            .to_owned(),
                    )
                })?;
            }
            Ok(FileContent {
                name,
                bytes: written.bytes(),
                share,
            })
        })
        .await
    }

    pub(super) fn audit_log(&self) -> Result<PathBuf, ConsoleError> {
        let folder = self.sources().audit.clone();
        folder.ok_or(ConsoleError::NotSetUp(
            "the audit log is off: add `[audit]` to ampoule.toml",
        ))
    }
}

/// The events of a log; none if nothing was written yet.
pub(super) fn events(
    folder: &std::path::Path,
    filter: Filter,
) -> Result<Option<Events>, ConsoleError> {
    match Events::read(folder, filter) {
        Ok(events) => Ok(Some(events)),
        Err(AuditError::Missing(_)) => Ok(None),
        Err(problem) => Err(problem.into()),
    }
}

/// A filter as it was sent. Viewers who are not operators see their own events.
pub(super) fn read(viewer: &Viewer, sent: &AuditFilter) -> Result<Filter, ConsoleError> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let moment = |text: &Option<String>| -> Result<Option<SystemTime>, ConsoleError> {
        let text = given(text);
        let read = text
            .map(|text| humantime::parse_rfc3339_weak(&text))
            .transpose();
        read.map_err(|_| {
            ConsoleError::Invalid("write a time like `2026-11-24T08:00:00Z`".to_owned())
        })
    };
    let principal = match viewer.is_operator() {
        true => given(&sent.principal),
        false => Some(viewer.name().to_owned()),
    };
    let tool = given(&sent.tool).map(|text| text.parse::<ToolPattern>());
    Ok(Filter {
        since: moment(&sent.since)?,
        until: moment(&sent.until)?,
        run: given(&sent.run),
        principal,
        tool: tool
            .transpose()
            .map_err(|problem| ConsoleError::Invalid(problem.to_string()))?,
        kinds: given(&sent.kind).into_iter().collect(),
        outcome: given(&sent.outcome),
    })
}

type Key = (std::time::Duration, u16, u64);

/// The order of the events: by time, and within a time by chain and number.
fn key(entry: &Entry) -> Key {
    let since = entry.at.duration_since(SystemTime::UNIX_EPOCH);
    (since.unwrap_or_default(), entry.lane, entry.seq)
}

/// The place that a cursor names.
fn place(cursor: &str) -> Result<Key, ConsoleError> {
    let read = || {
        let mut parts = cursor.split('-');
        let nanos: u64 = parts.next()?.parse().ok()?;
        let (lane, seq) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        parts.next().is_none().then_some(())?;
        Some((std::time::Duration::from_nanos(nanos), lane, seq))
    };
    read().ok_or_else(|| {
        ConsoleError::Invalid(
            "unknown cursor: take the `next` of a page, or leave it out".to_owned(),
        )
    })
}

fn empty() -> Page<AuditLine> {
    Page {
        items: Vec::new(),
        next: None,
        total: None,
        problems: Vec::new(),
    }
}

fn line(entry: &Entry, sees_all: bool) -> AuditLine {
    let mut entry = entry.clone();
    let event = match sees_all {
        true => entry.json(),
        false => without_arguments(&mut entry),
    };
    let owned = |text: Option<&str>| text.map(ToOwned::to_owned);
    AuditLine {
        id: entry.id(),
        at: time::text(entry.at),
        kind: entry.kind.clone(),
        text: human(&entry),
        run: owned(entry.run()),
        principal: owned(entry.principal()),
        outcome: owned(entry.outcome()),
        event,
    }
}

fn report(report: &Report) -> ChainReport {
    let finding = |finding: &Finding| ChainFinding {
        level: match finding.level {
            Level::Note => "note",
            Level::Doubtful => "doubtful",
            Level::Broken => "broken",
        }
        .to_owned(),
        file: finding.file.clone(),
        line: finding.line,
        what: finding.what.to_string(),
    };
    ChainReport {
        whole: report.is_whole(),
        events: report.events,
        files: report.files,
        chains: report.chains,
        checkpoints: report.checkpoints,
        unsigned: report.unsigned,
        number: report.number,
        key: report.key.map(|key| key.to_string()),
        findings: report.findings.iter().map(finding).collect(),
        more: report.more,
    }
}
