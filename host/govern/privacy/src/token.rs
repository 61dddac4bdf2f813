//! Tokens: what stands for a value where the model reads, and how it is found again.
//!
//! A token is `<email:1>`. Models and the code that they write copy it in other forms, and these are
//! the same token: in other case, escaped for HTML (`&lt;email:1&gt;`), for JSON within a string
//! (`\u003cemail:1\u003e`) and for URLs (`%3Cemail%3A1%3E`). Whatever else looks like one (with
//! spaces, without brackets) is none.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What tokens are called that stand for a text that looked like a token.
pub(crate) const LITERAL: &str = "literal";
/// How long the name in a token may be.
const LONGEST_NAME: usize = 32;
/// How many digits its number has at most.
const MOST_DIGITS: usize = 9;

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Html,
    Json,
    Percent,
}

/// What each form begins with, separates by, and ends with; in lower case.
const FORMS: [(Form, &str, &[&str], &str); 4] = [
    (Form::Plain, "<", &[":"], ">"),
    (Form::Html, "&lt;", &[":"], "&gt;"),
    (Form::Json, r"\u003c", &[":"], r"\u003e"),
    (Form::Percent, "%3c", &[":", "%3a"], "%3e"),
];

static OPENINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let openings = FORMS.iter().map(|(_, opening, _, _)| opening);
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(openings)
        .ok()
});

/// Beginnings (longer ones before those that begin them), separators and ends of what becomes a token once a text is read in some way.
const BEGINNINGS: [&str; 11] = [
    "<", "&lt;", "&lt", "&#60;", "&#60", "&#x3c;", "&#x3c", "&#x003c;", r"\u003c", r"\x3c", "%3c",
];
const SEPARATORS: [&str; 7] = [":", "%3a", "&colon;", "&#58;", "&#x3a;", r"\u003a", r"\x3a"];
const ENDS: [&str; 11] = [
    ">", "&gt;", "&gt", "&#62;", "&#62", "&#x3e;", "&#x3e", "&#x003e;", r"\u003e", r"\x3e", "%3e",
];

/// A token in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    pub(crate) form: Form,
    /// What it names, in lower case.
    pub(crate) name: String,
    pub(crate) number: u32,
}

/// As it is written.
pub(crate) fn written(name: &str, number: u32) -> String {
    format!("<{name}:{number}>")
}

/// Whether a text can be the name in a token, in any case.
pub(crate) fn is_name(name: &[u8]) -> bool {
    let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    name.len() <= LONGEST_NAME
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(in_name)
}

/// What looks like a token, in its order.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let hits = OPENINGS.as_ref().map(|openings| openings.find_iter(text));
    let mut after = 0;
    hits.into_iter().flatten().filter_map(move |hit| {
        if hit.start() < after {
            return None;
        }
        let (form, _, separators, closing) = FORMS[hit.pattern().as_usize()];
        let token = at(text, hit.range(), form, separators, &[closing])?;
        after = token.range.end;
        Some(token)
    })
}

/// What looks like a token, or may once somebody has read escapes of it: those of JSON, HTML and
/// URLs, also where brackets are not written in one way.
pub(crate) fn look_alikes(text: &str) -> impl Iterator<Item = Token> {
    let bytes = text.as_bytes();
    let signs = |(_, byte): &(usize, &u8)| matches!(byte, b'<' | b'&' | b'%' | b'\\');
    let mut after = 0;
    bytes
        .iter()
        .enumerate()
        .filter(signs)
        .filter_map(move |(start, _)| {
            if start < after {
                return None;
            }
            // The longest one comes first.
            let opening = BEGINNINGS.iter().find(|it| begins(bytes, start, it))?;
            let opening = start..start + opening.len();
            let token = at(text, opening, Form::Plain, &SEPARATORS, &ENDS)?;
            after = token.range.end;
            Some(token)
        })
}

fn at(
    text: &str,
    opening: Range<usize>,
    form: Form,
    separators: &[&str],
    closings: &[&str],
) -> Option<Token> {
    let bytes = text.as_bytes();
    let (start, name_at) = (opening.start, opening.end);
    let in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let length = bytes[name_at..].iter().take(LONGEST_NAME + 1);
    let name_end = name_at + length.take_while(in_name).count();
    let name = &bytes[name_at..name_end];
    if !is_name(name) {
        return None;
    }
    let separator = separators.iter().find(|s| begins(bytes, name_end, s))?;
    let number_at = name_end + separator.len();
    let digits = bytes[number_at..].iter().take(MOST_DIGITS + 1);
    let number_end = number_at + digits.take_while(|byte| byte.is_ascii_digit()).count();
    let digits = &text[number_at..number_end];
    let written_once = !digits.starts_with('0') && digits.len() <= MOST_DIGITS;
    if !written_once || digits.is_empty() {
        return None;
    }
    let closing = closings.iter().find(|s| begins(bytes, number_end, s))?;
    Some(Token {
        range: start..number_end + closing.len(),
        form,
        name: text[name_at..name_end].to_ascii_lowercase(),
        number: digits.parse().ok()?,
    })
}

fn begins(bytes: &[u8], at: usize, with: &str) -> bool {
    let there = bytes.get(at..at + with.len());
    there.is_some_and(|there| there.eq_ignore_ascii_case(with.as_bytes()))
}

impl Form {
    /// A value as it has to be written where a token has this form.
    pub(crate) fn encode(self, value: &str) -> String {
        match self {
            Self::Plain => value.to_owned(),
            Self::Html => html(value),
            Self::Json => {
                let quoted = serde_json::Value::from(value).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            Self::Percent => percent(value),
        }
    }
}

fn html(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// What stays as it is in a part of a URL.
const OTHER: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

fn percent(value: &str) -> String {
    utf8_percent_encode(value, OTHER).to_string()
}
