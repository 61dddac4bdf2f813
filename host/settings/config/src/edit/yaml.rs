//! YAML is edited by lines: what is added is written, what goes is left out, and no other byte
//! changes.

use serde_json::{Map, Value};

use super::super::tree::{Format, Member, Node};
use super::entries::parsed;

pub(super) fn put(
    text: &str,
    path: &[&str],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, String> {
    let [key] = path else {
        return Err("tables within tables can't be edited".to_owned());
    };
    let document = parsed(Format::Yaml, text)?;
    let Some(holder) = document.members().iter().find(|member| member.name == *key) else {
        let gap = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        return Ok(format!("{text}{gap}{key}:\n{}", block(name, entry, 2)));
    };
    let table = &holder.node;
    let (at, added) = match table.members().first() {
        _ if text[table.place.start..].starts_with('{') => {
            let comma = if table.members().is_empty() { "" } else { ", " };
            let entry = Value::Object(entry.clone());
            let added = format!("{}: {entry}{comma}", Value::from(name));
            (table.place.start + 1, added)
        }
        Some(first) => {
            let at = line_start(text, first.place.start);
            let indent = text[at..first.place.start].chars().count();
            (at, block(name, entry, indent))
        }
        None => (line_end(text, holder.place.end), block(name, entry, 2)),
    };
    Ok(format!("{}{added}{}", &text[..at], &text[at..]))
}

/// The text without the table's entry of this name.
pub(super) fn take(text: &str, table: &Node, name: &str) -> String {
    let members = table.members();
    let Some(index) = members.iter().position(|member| member.name == name) else {
        return text.to_owned();
    };
    let Member { place, node, .. } = &members[index];
    let (from, to) = if text[table.place.start..].starts_with('{') {
        match (index.checked_sub(1), members.get(index + 1)) {
            (_, Some(next)) => (place.start, next.place.start),
            (Some(before), None) => (members[before].node.place.end, node.place.end),
            (None, None) => (place.start, node.place.end),
        }
    } else {
        let last = last_byte(node).max(place.end);
        let content = text[..last].trim_end().len();
        (
            line_start(text, place.start),
            line_end(text, content.max(place.end)),
        )
    };
    format!("{}{}", &text[..from], &text[to..])
}

/// Where the last value in it ends: a block itself only ends where the next one begins, comments
/// between them included.
fn last_byte(node: &Node) -> usize {
    let within = node
        .items()
        .iter()
        .chain(node.members().iter().map(|member| &member.node))
        .map(last_byte)
        .max();
    within.unwrap_or(node.place.end)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line after this place begins.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// The entry, a line for each of its keys. JSON is YAML.
fn block(name: &str, entry: &Map<String, Value>, indent: usize) -> String {
    let indent = " ".repeat(indent);
    let lines = entry
        .iter()
        .map(|(key, value)| format!("{indent}  {key}: {value}\n"));
    format!("{indent}{name}:\n{}", lines.collect::<String>())
}
