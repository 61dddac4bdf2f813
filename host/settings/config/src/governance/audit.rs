//! What is recorded: `[audit]`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_limits::units;

use super::{Keys, text};
use crate::ConfigError;
use crate::error::Mistakes;
use crate::keys::governance::{AUDIT, EXPORT};
use crate::read::{Entry, Table};
use crate::server::{self, Surroundings};

/// How it is recorded. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditConfig {
    /// `folder`: where.
    pub folder: Option<PathBuf>,
    /// `keep`: how long.
    pub keep: Option<Retention>,
    /// `rotate`: how large a file may grow, in bytes.
    pub rotate: Option<u64>,
    /// `on-failure`: what happens where nothing can be recorded.
    pub on_failure: OnFailure,
    /// `arguments`: how those of calls are written down, by patterns of tools; the first that fits
    /// counts.
    pub arguments: Vec<(String, ArgumentsKept)>,
    /// `export`: where events are passed on to.
    pub export: Vec<AuditExport>,
}

/// How long something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// So long.
    For(Duration),
    /// For ever.
    Forever,
}

/// What happens where nothing can be recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// Nothing is done.
    #[default]
    Stop,
    /// It is done all the same.
    GoOn,
}

/// How arguments are written down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentsKept {
    /// As a digest.
    #[default]
    Digest,
    /// In full.
    Full,
    /// Their names, without their values.
    Redacted,
}

/// Where events are passed on to.
#[derive(Clone, PartialEq, Eq)]
pub enum AuditExport {
    /// `to = "file"`
    File {
        /// `path`: which.
        path: PathBuf,
        /// `format`: in which form.
        form: ExportForm,
    },
    /// `to = "syslog"`
    Syslog {
        /// `address`: `udp://host:port`, `tcp://host:port` or `unix:/path`.
        address: String,
    },
    /// `to = "otlp"`
    Otlp {
        /// `endpoint`: the collector's address.
        endpoint: String,
        /// `headers`: of every request to it.
        headers: BTreeMap<String, String>,
    },
}

/// A form of events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExportForm {
    /// As they are in the log: a line of JSON each.
    #[default]
    JsonLines,
    /// OCSF.
    Ocsf,
    /// OTLP.
    Otlp,
    /// A table.
    Csv,
}

impl fmt::Debug for AuditExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, form } => f.debug_tuple("File").field(path).field(form).finish(),
            Self::Syslog { address } => f.debug_tuple("Syslog").field(address).finish(),
            // Both may hold secrets.
            Self::Otlp { headers, .. } => {
                let names: Vec<&str> = headers.keys().map(String::as_str).collect();
                f.debug_tuple("Otlp").field(&names).finish()
            }
        }
    }
}

const ON_FAILURE: [(&str, OnFailure); 2] = [("stop", OnFailure::Stop), ("go-on", OnFailure::GoOn)];
const KEPT: [(&str, ArgumentsKept); 3] = [
    ("digest", ArgumentsKept::Digest),
    ("full", ArgumentsKept::Full),
    ("redacted", ArgumentsKept::Redacted),
];
const FORMS: [(&str, ExportForm); 4] = [
    ("jsonl", ExportForm::JsonLines),
    ("ocsf", ExportForm::Ocsf),
    ("otlp", ExportForm::Otlp),
    ("csv", ExportForm::Csv),
];

pub(super) fn read(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<AuditConfig, ConfigError> {
    let mut keys = Keys::only(table, AUDIT);
    let config = AuditConfig {
        folder: keys.find("folder", |folder| server::path(folder, around)),
        keep: keys.find("keep", retention),
        rotate: keys.find("rotate", |it| it.quantity(units::parse_bytes)),
        on_failure: keys.get("on-failure", |it| it.choice(&ON_FAILURE)),
        arguments: keys.get("arguments", arguments),
        export: keys.get("export", |it| it.each(|one| export(one, around))),
    };
    keys.done(config)
}

/// Logs are kept for years, which no other duration here has.
fn retention(entry: &Entry<'_>) -> Result<Retention, ConfigError> {
    let wrong = "this is not how long something is kept; write it like `90d`, `7y` or `forever`";
    match entry.text().map_err(|_| entry.refuse(wrong))? {
        "forever" => Ok(Retention::Forever),
        text => humantime::parse_duration(text)
            .map(Retention::For)
            .map_err(|_| entry.refuse(wrong)),
    }
}

/// How all are, or by patterns of tools.
fn arguments(entry: &Entry<'_>) -> Result<Vec<(String, ArgumentsKept)>, ConfigError> {
    if entry.is_text() {
        return Ok(vec![("*".to_owned(), entry.choice(&KEPT)?)]);
    }
    let table = entry.table().map_err(|_| {
        entry.refuse("this must be `digest`, `full` or `redacted`, or a table of these by tools")
    })?;
    let mut mistakes = Mistakes::default();
    let mut rules = Vec::new();
    for (tools, place, value) in table.entries() {
        if value.is_table() {
            let told = "write tools in quotes, such as \"crm.*\"";
            mistakes.add(entry.refuse_at(place, told));
        } else if let Some(how) = mistakes.unless(value.choice(&KEPT)) {
            rules.push((tools.to_owned(), how));
        }
    }
    mistakes.none().map(|()| rules)
}

/// What `to` may be, with the keys that go with it.
const TO: [(&str, &[&str]); 3] = [
    ("file", &["path", "format"]),
    ("syslog", &["address"]),
    ("otlp", &["endpoint", "headers"]),
];

fn export(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<AuditExport, ConfigError> {
    let table = entry.table()?;
    table.only(EXPORT)?;
    let Some(to) = table.get("to") else {
        return Err(entry.refuse("the key `to` is missing: `file`, `syslog` or `otlp`"));
    };
    let (to, theirs) = to.choice(&TO.map(|one| (one.0, one)))?;
    let others = TO.iter().flat_map(|(_, keys)| *keys);
    if let Some(other) = others
        .filter(|key| !theirs.contains(key))
        .find_map(|key| table.get(key))
    {
        let told = format!(
            "this is not for `{to}`, which takes {}",
            theirs.join(" and ")
        );
        return Err(other.refuse(told));
    }
    let expanded = |key: &str| {
        let text = table.read(key, |it| server::expanded(it, around.environment))?;
        text.ok_or_else(|| entry.refuse(format!("the key `{key}` is missing")))
    };
    Ok(match to {
        "file" => AuditExport::File {
            path: around.folder.join(expanded("path")?),
            form: table
                .read("format", |it| it.choice(&FORMS))?
                .unwrap_or_default(),
        },
        "syslog" => AuditExport::Syslog {
            address: table.read("address", syslog)?.ok_or_else(|| {
                entry.refuse("the key `address` is missing: such as `udp://logs.example.com:514`")
            })?,
        },
        _ => AuditExport::Otlp {
            endpoint: expanded("endpoint")?,
            headers: table
                .read("headers", |it| {
                    server::variables(it, "headers", around.environment)
                })?
                .unwrap_or_default()
                .0,
        },
    })
}

fn syslog(entry: &Entry<'_>) -> Result<String, ConfigError> {
    let address = text(entry)?;
    let with_port = |rest: &str| {
        let port = rest.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        matches!(port, Some(Ok(_)))
    };
    let is_one = match address.split_once(':') {
        Some(("udp" | "tcp", rest)) => rest.strip_prefix("//").is_some_and(with_port),
        Some(("unix", rest)) => rest.starts_with('/'),
        _ => false,
    };
    match is_one {
        true => Ok(address),
        false => {
            Err(entry
                .refuse("this must be `udp://host:port`, `tcp://host:port` or `unix:/dev/log`"))
        }
    }
}
