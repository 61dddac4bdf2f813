//! What was measured, as a table of Markdown.

use std::path::Path;

use super::descriptions::Kind;
use super::measured::Measured;

const BEGIN: &str = "<!-- estates -->\n";
const END: &str = "<!-- /estates -->\n";

/// What was measured of one description.
pub(super) struct Row {
    pub(super) kind: Kind,
    /// How many operations it has.
    pub(super) count: usize,
    pub(super) measured: Measured,
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut text = "| API | operations | description | read | list | first search | search | one declaration | first call | memory when read | memory |\n\
        | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for Row {
        kind,
        count,
        measured: it,
    } in rows
    {
        let kibibytes = it.bytes >> 10;
        let times = [
            it.read,
            it.list,
            it.first_search,
            it.search,
            it.declaration,
            it.first_call,
        ];
        let times = times.map(|time| format!("{} ms", short(time))).join(" | ");
        let memory = [it.memory_read, it.memory].map(|memory| format!("{} MiB", short(memory)));
        text += &format!(
            "| {} | {count} | {kibibytes} KiB | {times} | {} |\n",
            kind.name(),
            memory.join(" | ")
        );
    }
    text
}

/// Three digits that count.
fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// Puts a table into the page, in place of the one that is there.
pub(super) fn write(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("where the table begins");
    let (_, after) = rest.split_once(END).expect("where the table ends");
    std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("the page");
}
