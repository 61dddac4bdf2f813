//! Texts with tokens in place of values.
//!
//! What looks like a token in a text that comes from elsewhere must not become one: whoever wrote
//! `<email:1>` into a page would have a script that copies the page send somebody's address. So such
//! a text is a value like others: it has a token of its own, `<literal:1>`, and where that goes to a
//! tool, it is what it was.

use std::borrow::Cow;
use std::ops::Range;

use crate::finding::Finding;
use crate::json::{self, TextPlace, Visitor};
use crate::table::Table;
use crate::token::{self, LITERAL, Token};

/// How often a text that is not JSON may be read as if it was, one time after the other.
const DEEPEST: u8 = 4;

/// What is put where.
struct Change<'c> {
    range: Range<usize>,
    name: &'c str,
    value: Cow<'c, str>,
    number: Option<u8>,
}

impl Table {
    /// A text with tokens in place of what was found in it. Tokens of this session that are in it
    /// stay; what else looks like one becomes a value.
    pub fn mask<'t>(&mut self, text: &'t str, found: &[Finding]) -> Cow<'t, str> {
        let values = found.iter().map(|finding| Change {
            range: finding.range.clone(),
            name: finding.kind.name(),
            value: finding.value(text).into(),
            number: finding.number,
        });
        let mut changes: Vec<Change<'_>> = values.collect();
        // What was found reaches beyond what looks like a token, maybe: the value must go, and then
        // the rest looks like no token any more.
        let overlaps = |literal: &Change<'_>| {
            let next = found.partition_point(|it| it.range.end <= literal.range.start);
            let next = found.get(next);
            next.is_some_and(|it| it.range.start < literal.range.end)
        };
        let mut literals = self.literals(text, false);
        literals.retain(|literal| !overlaps(literal));
        if !literals.is_empty() {
            changes.append(&mut literals);
            changes.sort_by_key(|change| change.range.start);
        }
        self.changed(text, changes)
    }

    /// A text from a tool, for a script: what looks like a token in it becomes a value, so that it
    /// can stand for nothing else. It has to be done to all that tools return, before scripts see it.
    pub fn take_in<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let mut literals = self.literals(text, true);
        literals.sort_by_key(|change| change.range.start);
        self.changed(text, literals)
    }

    /// What looks like a token: `all`, or what is not one of this session's.
    fn literals<'t>(&self, text: &'t str, all: bool) -> Vec<Change<'t>> {
        // A token has one of these, or they are escaped.
        let signs = |byte: &u8| matches!(byte, b'<' | b'&' | b'%' | b'\\');
        if !text.bytes().any(|byte| signs(&byte)) {
            return Vec::new();
        }
        let mut literals = Literals {
            table: self,
            all,
            changes: Vec::new(),
        };
        json::walk(text, &mut literals);
        literals.changes
    }

    /// `changes`: in the order of where they begin.
    fn changed<'t>(&mut self, text: &'t str, changes: Vec<Change<'_>>) -> Cow<'t, str> {
        if changes.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for change in changes {
            // What looks like a token in more than one way is one.
            if change.range.start < at {
                continue;
            }
            out.push_str(&text[at..change.range.start]);
            let token = self.token(change.name, &change.value, change.number.is_some());
            let quote = change.number.map(quote_within).unwrap_or_default();
            out.push_str(&quote);
            out.push_str(&token);
            out.push_str(&quote);
            at = change.range.end;
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }
}

/// A quote of JSON within so many strings of JSON.
fn quote_within(level: u8) -> String {
    let backslashes = (1_usize << level) - 1;
    format!("{}\"", "\\".repeat(backslashes))
}

/// A part of a text, and where it is in that.
#[derive(Clone, Copy)]
struct Part<'p> {
    text: &'p str,
    place: &'p TextPlace<'p>,
}

struct Literals<'t, 'c> {
    table: &'t Table,
    all: bool,
    changes: Vec<Change<'c>>,
}

impl Literals<'_, '_> {
    fn is_known(&self, token: &Token) -> bool {
        self.table.entry(&token.name, token.number).is_some()
    }

    /// Looks at what a part of a text is, once escapes are read so many times. `seen`: where that is
    /// in the part.
    fn look(&mut self, part: Part<'_>, text: &str, seen: &TextPlace<'_>, depth: u8) {
        // Whatever becomes a token by reading it, in whatever way.
        for token in token::look_alikes(text) {
            if self.all || !self.is_known(&token) {
                let range = seen.out_range(&token.range);
                self.changes.push(Change {
                    range: part.place.out_range(&range),
                    name: LITERAL,
                    value: part.text[range].to_owned().into(),
                    number: None,
                });
            }
        }
        // No other escape has a sign of a token in it.
        let has_signs = || memchr::memmem::find(text.as_bytes(), br"\u").is_some();
        if depth < DEEPEST
            && has_signs()
            && let Some((decoded, inner)) = json::decoded(text, seen)
        {
            self.look(part, &decoded, &inner, depth + 1);
        }
    }
}

impl Visitor for Literals<'_, '_> {
    fn text(&mut self, text: &str, place: &TextPlace<'_>) {
        self.look(Part { text, place }, text, &TextPlace::default(), 0);
    }

    fn member(&mut self, name: &str, place: &TextPlace<'_>) {
        self.text(name, place);
    }
}
