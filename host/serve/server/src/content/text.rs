//! Names and errors of others, escaped for display.

use ampoule_untrusted::text::one_line;

/// How much of a name is quoted, in characters.
const QUOTED_CHARS: usize = 100;

/// A name that a model or a server chose, on one line and not too long.
pub(crate) fn quoted(name: &str) -> String {
    let cut: String = name.chars().take(QUOTED_CHARS).collect();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("{}{more}", one_line(&cut))
}

/// What serde says of a value, in words of JSON and on one line.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    let said = error.to_string();
    // The position is one in a part of the message, and means nothing to its author.
    let said = said
        .rsplit_once(" at line ")
        .map_or(said.as_str(), |(said, _)| said);
    let said = said.replace("invalid type: sequence", "invalid type: array");
    let said = said.replace("invalid type: map", "invalid type: object");
    one_line(&said.replace("expected a map", "expected an object")).into_owned()
}
