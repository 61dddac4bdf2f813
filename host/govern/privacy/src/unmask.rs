//! Arguments of calls with values in place of tokens.
//!
//! A token counts where a string has it, all of it or a part, also in strings of JSON within strings,
//! and in the names of members. The value is written as it has to be there: within JSON, HTML or a
//! URL, if the token was. What was a number is one again where the token is all that the string has.

use crate::json::{after_space, string_end};
use crate::kind::Counts;
use crate::table::{Entry, Table};
use crate::token::{self, Form, LITERAL};
use serde::de::IgnoredAny;

/// How often JSON may be in a string of JSON, and its tokens still count there as in JSON.
const LEVELS: u8 = 4;

/// What became of a call's arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoredArguments {
    /// The arguments, as JSON; none if nothing was changed.
    pub json: Option<String>,
    /// How many values went out, by kind.
    pub sent: Counts,
    /// How many tokens stayed, as the tool may not have what they stand for.
    pub kept: Counts,
}

/// Values would make the arguments of a call larger than they may be.
#[derive(Debug, thiserror::Error)]
#[error(
    "with the values of its tokens, the call's arguments would be {0} bytes longer at least; pass fewer tokens at once"
)]
pub struct TooLongError(pub(crate) usize);

impl Table {
    /// The arguments of a call with values in place of this session's tokens. `may`: whether the tool
    /// may have a kind, by its name. What is not a token of this session stays as it is.
    ///
    /// # Errors
    ///
    /// [`TooLongError`]: values would add more than the limits allow.
    pub fn unmask(
        &self,
        json: &str,
        may: impl Fn(&str) -> bool,
    ) -> Result<RestoredArguments, TooLongError> {
        let mut run = Run {
            table: self,
            may: &may,
            added: 0,
            sent: Counts::default(),
            kept: Counts::default(),
        };
        let json = run.document(json, 0)?;
        Ok(RestoredArguments {
            json,
            sent: run.sent,
            kept: run.kept,
        })
    }
}

struct Run<'r> {
    table: &'r Table,
    may: &'r dyn Fn(&str) -> bool,
    added: usize,
    sent: Counts,
    kept: Counts,
}

/// What a string becomes.
enum Replacement {
    Text(String),
    Number(String),
}

impl Run<'_> {
    fn document(&mut self, json: &str, level: u8) -> Result<Option<String>, TooLongError> {
        let bytes = json.as_bytes();
        let mut out = String::new();
        let (mut at, mut copied) = (0, 0);
        while let Some(found) = memchr::memchr(b'"', bytes.get(at..).unwrap_or_default()) {
            let start = at + found;
            at = string_end(bytes, start);
            let written = &json[start..at];
            let is_name = bytes.get(after_space(bytes, at)) == Some(&b':');
            let Some(became) = self.string(written, is_name, level)? else {
                continue;
            };
            out.push_str(&json[copied..start]);
            copied = at;
            match became {
                Replacement::Number(number) => out.push_str(&number),
                Replacement::Text(text) => out.push_str(&serde_json::Value::from(text).to_string()),
            }
        }
        if copied == 0 {
            return Ok(None);
        }
        out.push_str(&json[copied..]);
        Ok(Some(out))
    }

    /// What a string with its quotes becomes; none if it stays.
    fn string(
        &mut self,
        written: &str,
        is_name: bool,
        level: u8,
    ) -> Result<Option<Replacement>, TooLongError> {
        let signs = |byte: u8| matches!(byte, b'<' | b'&' | b'%' | b'\\');
        if !written.bytes().any(signs) {
            return Ok(None);
        }
        let Ok(text) = serde_json::from_str::<String>(written) else {
            return Ok(None);
        };
        let holds_json = text.trim_start().starts_with(['{', '['])
            && level < LEVELS
            && serde_json::from_str::<IgnoredAny>(&text).is_ok();
        if holds_json {
            let became = self.document(&text, level + 1)?;
            return Ok(became.map(Replacement::Text));
        }
        self.text(&text, is_name)
    }

    fn text(&mut self, text: &str, is_name: bool) -> Result<Option<Replacement>, TooLongError> {
        let mut out = String::new();
        let mut at = 0;
        for token in token::tokens(text) {
            let Some(entry) = self.table.entry(&token.name, token.number) else {
                continue;
            };
            // What looked like a token was nobody's.
            if token.name != LITERAL && !(self.may)(&token.name) {
                self.kept.add(&token.name);
                continue;
            }
            self.sent.add(&token.name);
            let alone = token.range == (0..text.len()) && token.form == Form::Plain;
            if entry.number && alone && !is_name {
                return Ok(Some(Replacement::Number(entry.value.to_string())));
            }
            let value = self.value(entry, token.form)?;
            out.push_str(&text[at..token.range.start]);
            out.push_str(&value);
            at = token.range.end;
        }
        if at == 0 {
            return Ok(None);
        }
        out.push_str(&text[at..]);
        Ok(Some(Replacement::Text(out)))
    }

    fn value(&mut self, entry: &Entry, form: Form) -> Result<String, TooLongError> {
        // Escapes of JSON and URLs may make three bytes of one.
        let value = form.encode(&entry.value);
        self.added += value.len();
        match self.added > self.table.limits.restored {
            true => Err(TooLongError(self.added)),
            false => Ok(value),
        }
    }
}
