//! Values after their names in text: `Name: Jane Doe`, `street = …`, `{'surname': '…'}`.

use rustc_hash::FxHashMap;

use super::Scan;
use crate::fields::{self, Field};
use crate::kind::Kind;
use crate::values::{looks_like_address, looks_like_name, may_be_name, may_be_secret};

/// How long a name before `:` may be, in bytes.
const LONGEST_LABEL: usize = 40;
/// How long a value may be.
const LONGEST_VALUE: usize = 300;
/// How far from `name` something has to be that says that it is a person's.
const NEAR: usize = 200;

/// How many labels of a text are remembered.
const MOST_LABELS: usize = 256;

/// A value that is a name of a person if something near says so.
struct Candidate {
    start: usize,
    end: usize,
}

impl Scan<'_> {
    /// Looks at every `:` and `=`.
    pub(super) fn labelled(&mut self) {
        let text = self.text;
        let mut person: Option<usize> = None;
        let mut maybe: Vec<Candidate> = Vec::new();
        let mut known_labels: FxHashMap<&str, Option<Field>> = FxHashMap::default();
        // Within a value there is no other.
        let mut after = 0;
        for at in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
            if at < after {
                continue;
            }
            let Some((label, begins_line)) = label(text, at) else {
                continue;
            };
            let field = match known_labels.get(label) {
                Some(field) => *field,
                None => {
                    let field = fields::of(label);
                    if known_labels.len() < MOST_LABELS {
                        known_labels.insert(label, field);
                    }
                    field
                }
            };
            let Some(field) = field else {
                continue;
            };
            let said = matches!(
                field,
                Field::Name | Field::Address | Field::Email | Field::Phone | Field::Id(_)
            );
            if said {
                person = Some(at);
                maybe.retain(|maybe| {
                    let near = at - maybe.end <= NEAR;
                    if near {
                        self.keep(Kind::Name, maybe.start, maybe.end);
                    }
                    false
                });
            }
            if matches!(
                field,
                Field::Email | Field::Phone | Field::Id(_) | Field::Code
            ) {
                continue;
            }
            let (start, end) = match value(text, at, field) {
                Ok(value) => value,
                Err(looked_at) => {
                    after = looked_at;
                    continue;
                }
            };
            after = end;
            let value = &text[start..end];
            let known = person.is_some_and(|person| at - person <= NEAR);
            let kind = match field {
                Field::Name if may_be_name(value) => Kind::Name,
                Field::Person if looks_like_name(value, 2) => Kind::Name,
                Field::SomeName if known && looks_like_name(value, 1) => Kind::Name,
                Field::SomeName if begins_line && looks_like_name(value, 2) => Kind::Name,
                Field::SomeName if looks_like_name(value, 1) => {
                    maybe.push(Candidate { start, end });
                    continue;
                }
                Field::Address if looks_like_address(value) => Kind::Address,
                Field::Secret if may_be_secret(value) => Kind::Secret("key"),
                _ => continue,
            };
            self.keep(kind, start, end);
        }
    }
}

/// The name before a `:`, and whether a line begins with it.
fn label(text: &str, at: usize) -> Option<(&str, bool)> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let after = byte(at + 1);
    if matches!(after, b':' | b'=' | b'/')
        || matches!(byte(at.wrapping_sub(1)), b':' | b'=' | b'!' | b'<' | b'>')
    {
        return None;
    }
    let from = at.saturating_sub(LONGEST_LABEL + 1);
    let head = &bytes[from..at];
    let ends = |byte: &u8| {
        matches!(
            byte,
            b',' | b';'
                | b'{'
                | b'('
                | b'|'
                | b'&'
                | b'?'
                | b'\n'
                | b'\t'
                | b':'
                | b'='
                | b'['
                | b'<'
                | b'>'
        )
    };
    let begins = head.iter().rposition(ends).map(|at| from + at + 1);
    let mut start = begins.or((from == 0).then_some(0))?;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let label = text[start..at].trim();
    let quoted = label.starts_with(['"', '\'']);
    let label = label.trim_matches(['"', '\'', '*', '`', '-', ' ', '#', '•']);
    // The end of a sentence is not a label.
    if label.len() < 2 || label.split(' ').nth(4).is_some() || label.ends_with('.') {
        return None;
    }
    let line = start == 0 || byte(start.wrapping_sub(1)) == b'\n';
    Some((label, line && !quoted))
}

/// Where the value after a `:` is; where there is none, up to where was looked for its end.
fn value(text: &str, at: usize, field: Field) -> Result<(usize, usize), usize> {
    let rest = &text[at + 1..];
    let rest = rest.trim_start_matches([' ', '\t']);
    let start = text.len() - rest.len();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    let (start, rest) = match quote {
        Some(_) => (start + 1, &rest[1..]),
        None => (start, rest),
    };
    let mut most = rest.len().min(LONGEST_VALUE);
    while !rest.is_char_boundary(most) {
        most -= 1;
    }
    let is_end = |c: char| match (quote, field) {
        (Some(quote), _) => c == quote || c == '\n',
        (None, Field::Address) => matches!(c, '\n' | ';' | '|' | '&' | '\t' | '}'),
        (None, Field::Secret) => {
            matches!(c, '\n' | ';' | '&' | '\t' | ' ' | ',' | '}' | '"' | '\'')
        }
        (None, _) => matches!(
            c,
            '\n' | ';' | '|' | '&' | '\t' | '}' | ',' | '<' | '(' | '/'
        ),
    };
    // In `'O'Neil'`, what a letter follows ends nothing.
    let goes_on = |at: usize| quote.is_some() && rest[at + 1..].starts_with(char::is_alphabetic);
    let ends = rest[..most]
        .char_indices()
        .find(|(at, c)| is_end(*c) && !goes_on(*at));
    let end = ends.map(|(at, _)| at);
    // What is longer is not such a value.
    let end = end.or((most == rest.len()).then_some(most));
    let end = end.ok_or(start + most)?;
    let value = rest[..end].trim_end();
    match value.is_empty() {
        true => Err(start),
        false => Ok((start, start + value.len())),
    }
}
