//! Texts with tokens in place of values.
//!
//! What looks like a token in a text that comes from elsewhere must not become one: whoever wrote
//! `<email:1>` into a page would have a script that copies the page send somebody's address. So such
//! a text is a value like others: it has a token of its own, `<literal:1>`, and where that goes to a
//! tool, it is what it was.

use std::borrow::Cow;
use std::ops::Range;

use crate::finding::Finding;
use crate::json::{self, Place, Visitor};
use crate::table::Table;
use crate::token::{self, LITERAL, Token};

/// What is put where.
struct Change {
    range: Range<usize>,
    name: Box<str>,
    value: Box<str>,
    number: Option<u8>,
}

impl Table {
    /// A text with tokens in place of what was found in it. Tokens of this session that are in it
    /// stay; what else looks like one becomes a value.
    pub fn mask<'t>(&mut self, text: &'t str, found: &[Finding]) -> Cow<'t, str> {
        let values = found.iter().map(|finding| Change {
            range: finding.range.clone(),
            name: finding.kind.name().into(),
            value: finding.value(text).into(),
            number: finding.number,
        });
        let literals = self.literals(text, false);
        let mut changes: Vec<Change> = values.collect();
        changes.extend(literals);
        self.changed(text, changes)
    }

    /// A text from a tool, for a script: what looks like a token in it becomes a value, so that it
    /// can stand for nothing else. It has to be done to all that tools return, before scripts see it.
    pub fn take_in<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        let literals = self.literals(text, true);
        self.changed(text, literals)
    }

    /// What looks like a token: `all`, or what is none of this session's.
    fn literals(&self, text: &str, all: bool) -> Vec<Change> {
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

    fn changed<'t>(&mut self, text: &'t str, mut changes: Vec<Change>) -> Cow<'t, str> {
        if changes.is_empty() {
            return Cow::Borrowed(text);
        }
        changes.sort_by_key(|change| change.range.start);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for change in changes {
            // A token within what was found goes with it.
            if change.range.start < at {
                continue;
            }
            out.push_str(&text[at..change.range.start]);
            let token = self.token(&change.name, &change.value, change.number.is_some());
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

struct Literals<'t> {
    table: &'t Table,
    all: bool,
    changes: Vec<Change>,
}

impl Literals<'_> {
    fn is_known(&self, token: &Token) -> bool {
        self.table.entry(&token.name, token.number).is_some()
    }
}

impl Visitor for Literals<'_> {
    /// Scripts copy names as they copy values.
    fn name(&mut self, name: &str, place: &Place<'_>) {
        self.text(name, place);
    }

    fn text(&mut self, text: &str, place: &Place<'_>) {
        for token in token::tokens(text) {
            if self.all || !self.is_known(&token) {
                self.changes.push(Change {
                    range: place.out_range(&token.range),
                    name: LITERAL.into(),
                    value: text[token.range].into(),
                    number: None,
                });
            }
        }
    }
}
