//! `ampoule audit`: the audit log.
//!
//! - `stats`: the same, counted

mod stats;

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use ampoule_audit::{
    Against, AuditError, Entry, Events, Filter, Format, PublicKey, Report, human, public_key,
    verify,
};
use ampoule_configured::governed;
use ampoule_projection::names::ToolPattern;
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

const EXAMPLES: &str = "Examples:
  ampoule audit ls --since 1h --tool 'mail.*'
  ampoule audit ls --run d365-17 --json
  ampoule audit ls --kind decision --outcome denied --all
  ampoule audit verify
  ampoule audit export --format ocsf --since 2026-11-01 --out november.jsonl";

/// Lists, verifies, exports and counts the events of the audit log.
///
/// The audit log has runs, calls, decisions, answers, sign-ins, and changes of policies, skills and
/// sessions. `[audit]` in ampoule.toml turns it on. Ampoule writes each event before it acts, in a
/// signed chain of hashes: `verify` finds events that were changed, removed, added or moved.
#[derive(Debug, Args)]
#[command(after_help = exit::AUDIT_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::AUDIT_HELP))]
pub(super) struct Audit {
    #[command(subcommand)]
    what: Task,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists events, one a line, the newest last.
    Ls {
        #[command(flatten)]
        meant: EventFilter,
        /// How many of the newest events.
        #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "all")]
        last: usize,
        /// All matching events.
        #[arg(long)]
        all: bool,
    },
    Verify(Verify),
    Stats(stats::Stats),
    /// Exports events in another format.
    Export {
        /// The format: `jsonl`, `ocsf` or `otlp`.
        #[arg(long)]
        format: Format,
        /// The file. Default: standard output.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        meant: EventFilter,
    },
    /// Prints the public key that verifies the signatures. Store it out of reach of anyone who can
    /// write the log: `verify --key` then also detects a log that was rewritten from scratch.
    Key,
}

/// Verifies every line of every file of the log.
#[derive(Debug, Args)]
struct Verify {
    /// The public key, as `ampoule audit key` printed it earlier.
    #[arg(long)]
    key: Option<PublicKey>,
    /// The number that an earlier `verify` printed: a log that was rolled back has a smaller one.
    #[arg(long, value_name = "N")]
    number: Option<u64>,
}

/// The events that match all these options. Default: all.
#[derive(Debug, Default, Args)]
pub(super) struct EventFilter {
    /// From this time on: `2026-11-24`, `2026-11-24T08:00:00Z`, or a time ago, such as `2h`.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<SystemTime>,
    /// Before this time.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<SystemTime>,
    /// Of this run: its id, or the id's end.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Of this principal.
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// About these tools, such as `mail` or `mail.send_*`.
    #[arg(long, value_name = "PATTERN")]
    tool: Option<ToolPattern>,
    /// Of these kinds, separated by commas: `run-started`, `run-ended`, `call-asked`, `call-ended`,
    /// `decision`, `answer`, `sign-in`, `policy-changed`, `skill`, `session`, `configuration`,
    /// `request-denied`.
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kind: Vec<String>,
    /// With this outcome, such as `denied`, `answered` or `threw`.
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
}

impl EventFilter {
    /// The principal whose events they are, if one is named.
    pub(super) fn principal(&self) -> Option<&str> {
        self.principal.as_deref()
    }

    pub(super) fn filter(&self) -> Filter {
        Filter {
            since: self.since,
            until: self.until,
            run: self.run.clone(),
            principal: self.principal.clone(),
            tool: self.tool.clone(),
            kinds: self.kind.clone(),
            outcome: self.outcome.clone(),
        }
    }
}

/// A time, or how long ago it was.
fn moment(text: &str) -> Result<SystemTime, String> {
    if let Ok(ago) = humantime::parse_duration(text) {
        let then = SystemTime::now().checked_sub(ago);
        return then.ok_or_else(|| "that is too long ago".to_owned());
    }
    let whole = match text.contains([':', 'T']) {
        true => text.to_owned(),
        false => format!("{text}T00:00:00Z"),
    };
    humantime::parse_rfc3339_weak(&whole).map_err(|_| {
        "write a time like `2026-11-24`, `2026-11-24T08:00:00Z`, or how long ago, like `2h`"
            .to_owned()
    })
}

/// The folder of the log; an error if there is no audit log.
pub(super) fn place(setup: &Setup) -> Result<PathBuf, Failure> {
    let config = setup.read()?;
    let audit = config.governance.audit.as_ref().ok_or_else(|| {
        Failure::usage("the audit log is off: add the line `[audit]` to ampoule.toml to turn it on")
    })?;
    Ok(governed::audit_folder(audit)?)
}

pub(super) fn events(folder: &Path, filter: Filter) -> Result<Events, Failure> {
    Ok(Events::read(folder, filter)?)
}

/// Reports lines of the log that could not be read.
pub(super) fn say_left_out(events: &Events) {
    let left_out = events.left_out();
    if left_out > 0 {
        streams::err().warning(format_args!(
            "{left_out} lines of the log can't be read; `ampoule audit verify` says why"
        ));
    }
}

impl Audit {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        let folder = place(&self.setup)?;
        match &self.what {
            Task::Ls { meant, last, all } => {
                let most = if *all { usize::MAX } else { *last };
                self.show(events(&folder, meant.filter())?, most);
                Ok(ExitCode::SUCCESS)
            }
            Task::Verify(against) => self.verify(&folder, against),
            Task::Export { format, out, meant } => {
                let events = events(&folder, meant.filter())?;
                self.export(events, *format, out.as_deref())
            }
            Task::Stats(stats) => stats.execute(&self.setup, self.output, &folder),
            Task::Key => {
                let key = public_key(&folder)?.to_string();
                self.output.report(&json!({ "key": key }), &key);
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    fn show(&self, mut events: Events, most: usize) {
        let mut latest: VecDeque<Entry> = VecDeque::new();
        for entry in events.by_ref() {
            latest.push_back(entry);
            if latest.len() > most {
                latest.pop_front();
            }
        }
        let out = streams::out();
        for entry in &latest {
            match self.output.as_json {
                true => out.json(&entry.line),
                false => out.line(out.wrapped(&human(entry), "", "  ")),
            }
        }
        if latest.is_empty() {
            streams::err().note("no matching events");
        }
        say_left_out(&events);
    }

    fn verify(&self, folder: &Path, against: &Verify) -> Result<ExitCode, Failure> {
        let against = Against {
            key: against.key,
            number: against.number,
        };
        let report = verify(folder, &against)?;
        match self.output.as_json {
            true => streams::out().json(&document(&report).to_string()),
            false => say(&report),
        }
        Ok(match report.is_whole() {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }

    fn export(
        &self,
        mut events: Events,
        format: Format,
        to: Option<&Path>,
    ) -> Result<ExitCode, Failure> {
        let Some(path) = to else {
            let mut written = Vec::new();
            ampoule_audit::export(events.by_ref(), format, &mut written)?;
            let written = String::from_utf8_lossy(&written);
            if !written.is_empty() {
                streams::out().foreign_line(written.trim_end_matches('\n'));
            }
            say_left_out(&events);
            return Ok(ExitCode::SUCCESS);
        };
        let shown = text::one_line(&path.to_string_lossy()).into_owned();
        let unwritten = |error: io::Error| Failure::usage(format!("{shown}: {error}"));
        // Only this user may read the events.
        let mut how = OpenOptions::new();
        let file = how.write(true).create_new(true).mode(0o600).open(path);
        let mut file = io::BufWriter::new(file.map_err(unwritten)?);
        let count = ampoule_audit::export(events.by_ref(), format, &mut file).map_err(unwritten)?;
        file.flush().map_err(unwritten)?;
        let out = streams::out();
        match self.output.as_json {
            true => out.json(&json!({ "events": count, "file": shown }).to_string()),
            false => out.line(out.prose(&format!("exported {count} events to {shown}"))),
        }
        say_left_out(&events);
        Ok(ExitCode::SUCCESS)
    }
}

fn say(report: &Report) {
    let out = streams::out();
    for finding in &report.findings {
        let line = match finding.line {
            0 => String::new(),
            line => format!(":{line}"),
        };
        let level = format!("{:?}", finding.level).to_lowercase();
        let file = text::one_line(&finding.file);
        let what = format!("{file}{line}: {level}: {}", finding.what);
        out.line(out.wrapped(&text::one_line(&what), "", "  "));
    }
    if report.more > 0 {
        out.line(format_args!("and {} more", report.more));
    }
    let said = match report.is_whole() {
        true => "the log is intact".to_owned(),
        false => format!(
            "the log is damaged or was changed: {} findings",
            report.broken
        ),
    };
    out.line(out.prose(&format!(
        "{said}: {} events in {} files of {} chains, {} signatures; {} events wait for one",
        report.events, report.files, report.chains, report.checkpoints, report.unsigned
    )));
    if let Some(key) = &report.key {
        streams::err().note(format_args!(
            "verified with the key {key}; number {}",
            report.number
        ));
    }
}

fn document(report: &Report) -> serde_json::Value {
    let findings = report.findings.iter().map(|finding| {
        json!({
            "level": finding.level, "file": finding.file, "line": finding.line,
            "what": finding.what.to_string(),
        })
    });
    json!({
        "whole": report.is_whole(),
        "findings": findings.collect::<Vec<_>>(),
        "more": report.more,
        "broken": report.broken,
        "chains": report.chains,
        "files": report.files,
        "events": report.events,
        "checkpoints": report.checkpoints,
        "unsigned": report.unsigned,
        "number": report.number,
        "key": report.key.map(|key| key.to_string()),
    })
}

/// The request can't be done, or the folder can't be used.
impl From<AuditError> for Failure {
    fn from(problem: AuditError) -> Self {
        Self::usage(problem.to_string())
    }
}
