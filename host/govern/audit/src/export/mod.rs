//! Events in other forms.
//!
//! - `ocsf`: for what reads security events; `otlp`: for OpenTelemetry

mod ocsf;
mod otlp;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

pub use ocsf::ocsf;
pub use otlp::otlp;

use crate::entry::Entry;

/// How many events are in one request of OTLP.
const BATCH: usize = 512;

/// A format of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// As they are in the log: a line of JSON each.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// OCSF 1.8.0: a line of JSON each.
    Ocsf,
    /// OTLP logs: a line of JSON for some hundreds.
    Otlp,
}

impl Format {
    const ALL: [(&'static str, Self); 3] = [
        ("jsonl", Self::JsonLines),
        ("ocsf", Self::Ocsf),
        ("otlp", Self::Otlp),
    ];
}

/// Not a format of events.
#[derive(Debug, thiserror::Error)]
#[error("unknown format of events: `{0}`; use `jsonl`, `ocsf` or `otlp`")]
pub struct FormatError(String);

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let known = Self::ALL.iter().find(|(name, _)| *name == text);
        known
            .map(|(_, format)| *format)
            .ok_or_else(|| FormatError(text.chars().take(100).collect()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Self::ALL.iter().find(|(_, format)| format == self);
        f.write_str(known.map_or("", |(name, _)| name))
    }
}

/// Writes events in some format, and says how many there were.
///
/// # Errors
///
/// Those of what is written to.
pub fn export(
    entries: impl IntoIterator<Item = Entry>,
    format: Format,
    mut out: impl Write,
) -> io::Result<u64> {
    let mut count = 0;
    let mut batch = Vec::new();
    for entry in entries {
        count += 1;
        batch.push(entry);
        if batch.len() == BATCH {
            write(&batch, format, &mut out)?;
            batch.clear();
        }
    }
    write(&batch, format, &mut out)?;
    out.flush()?;
    Ok(count)
}

/// Writes some events.
pub(crate) fn write(entries: &[Entry], format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::JsonLines => entries
            .iter()
            .try_for_each(|it| writeln!(out, "{}", it.line)),
        Format::Ocsf => entries
            .iter()
            .try_for_each(|it| writeln!(out, "{}", ocsf(it))),
        Format::Otlp if entries.is_empty() => Ok(()),
        Format::Otlp => writeln!(out, "{}", otlp(entries)),
    }
}

#[cfg(test)]
mod tests;
