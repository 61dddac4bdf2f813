//! Known servers: whose tools return what strangers wrote, and which send something out.

use std::sync::LazyLock;

use ampoule_projection::names::canonical;
use ampoule_tools::Grant;
use serde::Deserialize;

use crate::actions::{Actions, Server};
use crate::cedar::Draft;

/// The label of what strangers wrote.
pub(crate) const UNTRUSTED: &str = "untrusted";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    known: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// For whoever reads the table.
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default)]
    servers: Vec<String>,
    reads: Tools,
    #[serde(default)]
    sends: Tools,
}

/// Patterns of tools, of whatever server.
#[derive(Default, Deserialize)]
#[serde(try_from = "Vec<String>")]
struct Tools(Grant);

impl TryFrom<Vec<String>> for Tools {
    type Error = ampoule_tools::ToolPatternError;

    fn try_from(patterns: Vec<String>) -> Result<Self, Self::Error> {
        let patterns = patterns.iter().map(|pattern| format!("*.{pattern}"));
        Grant::of(patterns).map(Self)
    }
}

static KNOWN: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let read: Result<Table, _> = toml::from_str(include_str!("known.toml"));
    read.map(|table| table.known).unwrap_or_default()
});

fn of<'s>(server: &Server<'_>) -> impl Iterator<Item = &'s Entry> + use<'s> {
    let names = [Some(server.name), server.says_it_is];
    let names: Vec<String> = names.into_iter().flatten().map(canonical).collect();
    let is = move |entry: &&Entry| {
        let mut words = entry.servers.iter();
        entry.servers.is_empty() || words.any(|word| names.iter().any(|name| name.contains(word)))
    };
    KNOWN.iter().filter(is)
}

/// The places of a server's tools that send something out.
pub(crate) fn senders(actions: &Actions, server: &Server<'_>) -> Vec<usize> {
    let entries = of(server);
    let places = entries.flat_map(|entry| actions.granted_of(server.name, &entry.sends.0));
    places.collect()
}

/// The places of a server's tools that return what strangers wrote.
pub(crate) fn readers(actions: &Actions, server: &Server<'_>) -> Vec<usize> {
    let entries = of(server);
    let places = entries.flat_map(|entry| actions.granted_of(server.name, &entry.reads.0));
    places.collect()
}

/// The rule for what may follow such a read.
pub(crate) fn rule() -> Draft {
    let mut rule = Draft::new(false, "labels: untrusted-content");
    rule.labels = vec![UNTRUSTED.to_owned()];
    rule.actions = vec!["destructive".to_owned(), "outgoing".to_owned()];
    let reason = "this run has read what strangers may have written, and what it does now may destroy something or send something out";
    rule.annotations.push(("ask", reason.to_owned()));
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let read: Table = toml::from_str(include_str!("known.toml")).unwrap();
        assert_eq!(read.known.len(), KNOWN.len());
        for entry in &read.known {
            let canonical = |word: &String| canonical(word) == *word;
            assert!(entry.servers.iter().all(canonical), "{:?}", entry.servers);
        }
    }
}
