//! Values after their names in text: `Name: Jane Doe`, `street = …`, `{'surname': '…'}`.

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

/// A value that is a name of a person if something near says so.
struct Maybe {
    start: usize,
    end: usize,
}

impl Scan<'_> {
    /// Looks at every `:` and `=`.
    pub(super) fn labelled(&mut self) {
        let text = self.text;
        let mut person: Option<usize> = None;
        let mut maybe: Vec<Maybe> = Vec::new();
        for at in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
            let Some((field, begins_line)) = self.label(at) else {
                continue;
            };
            let said = matches!(field, Field::Name | Field::Address | Field::Email | Field::Phone | Field::Id(_));
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
            let Some((start, end)) = self.value(at, field) else {
                continue;
            };
            let value = &text[start..end];
            let known = person.is_some_and(|person| at - person <= NEAR);
            let kind = match field {
                Field::Name if may_be_name(value) => Kind::Name,
                Field::Person if looks_like_name(value, 2) => Kind::Name,
                Field::SomeName if known && looks_like_name(value, 1) => Kind::Name,
                Field::SomeName if begins_line && looks_like_name(value, 2) => Kind::Name,
                Field::SomeName if looks_like_name(value, 1) => {
                    maybe.push(Maybe { start, end });
                    continue;
                }
                Field::Address if looks_like_address(value) => Kind::Address,
                Field::Secret if may_be_secret(value) => Kind::Secret("key"),
                _ => continue,
            };
            self.keep(kind, start, end);
        }
    }

    /// What the name before a `:` says, and whether a line begins with it.
    fn label(&self, at: usize) -> Option<(Field, bool)> {
        let bytes = self.bytes();
        let after = self.byte(at + 1);
        if matches!(after, b':' | b'=' | b'/') || matches!(self.before(at), b':' | b'=' | b'!' | b'<' | b'>') {
            return None;
        }
        let from = at.saturating_sub(LONGEST_LABEL + 1);
        let head = &bytes[from..at];
        let ends = |byte: &u8| matches!(byte, b',' | b';' | b'{' | b'(' | b'|' | b'&' | b'?' | b'\n' | b'\t' | b':' | b'=' | b'[' | b'<' | b'>');
        let begins = head.iter().rposition(ends).map(|at| from + at + 1);
        let mut start = begins.or((from == 0).then_some(0))?;
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        let label = self.text[start..at].trim();
        let quoted = label.starts_with(['"', '\'']);
        let label = label.trim_matches(['"', '\'', '*', '`', '-', ' ', '#', '•']);
        // The end of a sentence is no label.
        if label.len() < 2 || label.split(' ').nth(4).is_some() || label.ends_with('.') {
            return None;
        }
        let line = start == 0 || self.before(start) == b'\n';
        Some((fields::of(label)?, line && !quoted))
    }

    /// Where the value after a `:` is.
    fn value(&self, at: usize, field: Field) -> Option<(usize, usize)> {
        let rest = &self.text[at + 1..];
        let rest = rest.trim_start_matches([' ', '\t']);
        let start = self.text.len() - rest.len();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
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
            (None, Field::Secret) => matches!(c, '\n' | ';' | '&' | '\t' | ' ' | ',' | '}' | '"' | '\''),
            (None, _) => matches!(c, '\n' | ';' | '|' | '&' | '\t' | '}' | ',' | '<' | '(' | '/'),
        };
        let end = rest[..most].find(is_end);
        // What is longer is no such value.
        let end = end.or((most == rest.len()).then_some(most))?;
        let value = rest[..end].trim_end();
        (!value.is_empty()).then_some((start, start + value.len()))
    }
}
