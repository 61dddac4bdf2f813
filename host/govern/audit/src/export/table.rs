//! Events as a table, for a spreadsheet.

use std::io::{self, Write};

use ampoule_untrusted::text::one_line;

use crate::entry::Entry;

/// The columns. The last one has all that was recorded.
const NAMES: [&str; 14] = [
    "time",
    "lane",
    "seq",
    "kind",
    "run",
    "call",
    "principal",
    "server",
    "tool",
    "outcome",
    "bytes",
    "tookUs",
    "fuel",
    "event",
];

pub(crate) struct Table<W: Write>(csv::Writer<W>);

impl<W: Write> Table<W> {
    pub(crate) fn new(out: W) -> io::Result<Self> {
        let mut table = Self::without_names(out);
        table.0.write_record(NAMES)?;
        Ok(table)
    }

    pub(crate) fn without_names(out: W) -> Self {
        Self(csv::Writer::from_writer(out))
    }

    pub(crate) fn add(&mut self, entry: &Entry) -> io::Result<()> {
        let json = entry.json();
        let number = |name: &str| {
            json[name]
                .as_u64()
                .map(|it| it.to_string())
                .unwrap_or_default()
        };
        let (server, tool) = entry.tool().unwrap_or_default();
        let cells = [
            humantime::format_rfc3339_millis(entry.at).to_string(),
            entry.lane.to_string(),
            entry.seq.to_string(),
            cell(&entry.kind),
            cell(entry.run().unwrap_or_default()),
            number("call"),
            cell(entry.principal().unwrap_or_default()),
            cell(server),
            cell(tool),
            cell(entry.outcome().unwrap_or_default()),
            number("bytes"),
            number("tookUs"),
            number("fuel"),
            cell(&entry.line),
        ];
        Ok(self.0.write_record(cells)?)
    }

    pub(crate) fn end(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Text for a cell: nothing hidden, and nothing that a spreadsheet takes for a formula.
fn cell(text: &str) -> String {
    let shown = one_line(text);
    match shown.trim_start().starts_with([
        '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]) {
        true => format!("'{shown}"),
        false => shown.into_owned(),
    }
}
