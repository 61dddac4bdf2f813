//! Places in the arguments, as a script would write them.

use jsonschema::paths::{Location, LocationSegment};

use super::values::{SHOWN_CHARS, cut, text};

/// How much of a place is shown, in characters.
const PLACE_CHARS: usize = 200;

pub(super) fn field(path: &Location) -> String {
    match path_text(path) {
        text if text.is_empty() => "the argument".to_owned(),
        text => format!("`{text}`"),
    }
}

pub(super) fn child(path: &Location, name: &str) -> String {
    let mut text = path_text(path);
    push_name(&mut text, name);
    format!("`{text}`")
}

fn path_text(path: &Location) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            LocationSegment::Index(index) => text += &format!("[{index}]"),
            LocationSegment::Property(name) => push_name(&mut text, &name),
        }
    }
    cut(&text, PLACE_CHARS)
}

/// Adds a member's name to a place in the arguments, as a script would write it.
pub(crate) fn push_name(path: &mut String, name: &str) {
    if !is_plain(name) {
        *path += &format!("[{}]", text(&cut(name, SHOWN_CHARS)));
        return;
    }
    if !path.is_empty() {
        path.push('.');
    }
    *path += name;
}

/// Whether a name needs no quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$'))
}
