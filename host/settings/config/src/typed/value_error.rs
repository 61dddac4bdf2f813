//! What is wrong with a value, in plain words.

use std::fmt;
use std::ops::Range;

use serde::de;

use super::value::{At, IN_QUOTES};
use crate::read::one_of;
use crate::tree::{Node, Value};

/// A text of fewer bytes is not a secret.
const SHORTEST_SECRET: usize = 4;

/// What is wrong with a value, and where that is, once it is known.
#[derive(Debug)]
pub(super) struct ValueError {
    pub(super) what: ValueMistake,
    pub(super) place: Option<Place>,
    /// The keys that there are, where one is not among them.
    pub(super) known: Option<&'static [&'static str]>,
    /// Whether it may quote the value that it is about.
    pub(super) may_quote: bool,
}

/// What is wrong.
#[derive(Debug)]
pub(super) enum ValueMistake {
    /// This key is missing.
    Missing(&'static str),
    /// A key means nothing; the message says so.
    Unknown(String),
    /// As it says.
    Else(String),
}

/// Where it is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) key: String,
    pub(super) shown: String,
    pub(super) range: Range<usize>,
}

impl ValueError {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self::of(ValueMistake::Else(why.into()))
    }

    pub(super) fn of(what: ValueMistake) -> Self {
        Self {
            what,
            place: None,
            known: None,
            may_quote: true,
        }
    }

    /// Whether it is that value.
    pub(super) fn is_at(&self, key: &str) -> bool {
        self.place.as_ref().is_some_and(|place| place.key == key)
    }

    /// The same at this value, unless it is known to be at one within it. The owner of a type may quote
    /// the value.
    pub(super) fn at(mut self, at: &At<'_, '_>) -> Self {
        if self.place.is_some() {
            return self;
        }
        if let ValueMistake::Else(why) = &mut self.what
            && self.may_quote
        {
            *why = unquoted(std::mem::take(why), at);
        }
        self.there(at)
    }

    /// The same at this value, of which it quotes nothing.
    pub(super) fn there(mut self, at: &At<'_, '_>) -> Self {
        if let ValueMistake::Else(why) = &mut self.what
            && at.is_by_tools
            && matches!(at.node.value, Value::Table(_))
        {
            IN_QUOTES.clone_into(why);
        }
        self.place = Some(Place {
            key: at.key.clone(),
            shown: at.shown.clone(),
            range: at.node.place.clone(),
        });
        self
    }
}

/// A message without the value that it is about. What it begins with in backticks is that value, as far
/// as it is shown.
fn unquoted(why: String, at: &At<'_, '_>) -> String {
    let mut why = without_beginning(why);
    let mut texts = Vec::new();
    gather(at.node, &mut texts);
    let expanded = (texts.iter()).filter_map(|text| at.notes.expanded(text).ok());
    let expanded: Vec<String> = expanded.collect();
    for text in texts.into_iter().chain(expanded.iter().map(String::as_str)) {
        why = why.replace(&format!("`{text}`"), "this");
        if text.len() >= SHORTEST_SECRET && !is_plain(text) && why.contains(text) {
            return "this can't be used here".to_owned();
        }
    }
    why
}

/// A message that begins with a value in backticks, without it.
fn without_beginning(why: String) -> String {
    let quoted = why.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    match quoted {
        Some((_, rest)) => format!("this{rest}"),
        None => why,
    }
}

impl ValueMistake {
    /// The same without the name that it is about.
    pub(super) fn unquoted(self) -> Self {
        match self {
            Self::Else(why) => Self::Else(without_beginning(why)),
            other => other,
        }
    }
}

/// Whether a text is made of letters: a message may have such a word of its own.
fn is_plain(name: &str) -> bool {
    (name.bytes()).all(|byte| byte.is_ascii_alphabetic() || byte == b'-')
}

fn gather<'a>(node: &'a Node, into: &mut Vec<&'a str>) {
    match &node.value {
        Value::Text(text) | Value::Integer(text) | Value::Fraction(text) => into.push(text),
        Value::List(items) => items.iter().for_each(|item| gather(item, into)),
        Value::Table(members) => {
            for member in members {
                into.extend(Some(&*member.name).filter(|name| !is_plain(name)));
                gather(&member.node, into);
            }
        }
        Value::Boolean(_) | Value::Null | Value::Other => {}
    }
}

impl de::Error for ValueError {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self::new(why.to_string())
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self {
            may_quote: false,
            ..Self::new(format!("this must be {expected}"))
        }
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self {
            may_quote: false,
            ..Self::new(format!("this must be {expected}"))
        }
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self {
            known: Some(expected),
            ..Self::new("unknown key")
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of(ValueMistake::Missing(field))
    }
}

impl fmt::Display for ValueMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(key) => write!(f, "the key `{key}` is missing"),
            Self::Unknown(why) | Self::Else(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)
    }
}

impl std::error::Error for ValueError {}
