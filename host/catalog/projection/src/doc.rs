//! Text about tools, made fit for comments and for people: what a schema says is untrusted, and
//! must neither end a comment nor hide anything in it.

use std::borrow::Cow;

use ampoule_untrusted::text::{escape_hidden, is_hidden};
use serde_json::Value;

use super::names;
use super::tool::Hints;
use super::types::{Docs, EnumValue, Type};

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What a search result needs: the first paragraph of descriptions, at most 300 characters of a
    /// tool's and 120 of anything else's; up to 24 values of an enumeration.
    Brief,
    /// Everything: up to 8,000 characters of a tool's description, 2,000 of anything else's; up to
    /// 200 values of an enumeration.
    Full,
    /// All of it, for files that compilers and editors read: of any length, and up to 1,000 values
    /// of an enumeration.
    Whole,
}

/// More than any text has that is read of a server.
const UNBOUNDED: usize = 1 << 28;

impl Detail {
    /// The longest description of a tool, in characters.
    pub fn tool_chars(self) -> usize {
        match self {
            Self::Brief => 300,
            Self::Full => 8_000,
            Self::Whole => UNBOUNDED,
        }
    }

    /// The longest description of anything else, in characters.
    pub fn chars(self) -> usize {
        match self {
            Self::Brief => 120,
            Self::Full => 2_000,
            Self::Whole => UNBOUNDED,
        }
    }

    /// How many values of an enumeration are listed. One with more is taken as any value of their
    /// types.
    pub fn values(self) -> usize {
        match self {
            Self::Brief => 24,
            Self::Full => 200,
            Self::Whole => 1_000,
        }
    }
}

/// The lines of `text`, without what can't be seen, cut to what `detail` allows.
pub fn lines(text: &str, detail: Detail, max_chars: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left = max_chars;
    let visible = visible_text(text, 4 * max_chars);
    for line in visible.trim().split('\n') {
        let line = line.trim_end();
        let blank_again = line.is_empty() && lines.last().is_none_or(String::is_empty);
        if blank_again {
            continue;
        }
        if detail == Detail::Brief && line.is_empty() {
            break;
        }
        // What has no more bytes than that has no more characters.
        let cut = (line.len() > left).then(|| line.char_indices().nth(left));
        match cut.flatten() {
            None => lines.push(line.to_owned()),
            Some((end, _)) => {
                lines.push(format!("{}…", line[..end].trim_end()));
                return lines;
            }
        }
        left = left.saturating_sub(line.chars().count());
    }
    lines
}

/// A text's first characters, as a comment may have them: no more is read than could be needed,
/// however long the text is.
fn visible_text(text: &str, most: usize) -> Cow<'_, str> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    let length = text.len().min(most);
    if text.as_bytes()[..length].iter().all(plain) {
        return Cow::Borrowed(&text[..length]);
    }
    text.chars().take(most).filter_map(visible).collect()
}

/// The text on one line.
pub fn line(text: &str, detail: Detail, max_chars: usize) -> String {
    lines(text, detail, max_chars)
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.trim_start().to_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The first sentence of a description, in one line of at most 200 characters.
pub fn first_sentence(description: &str) -> String {
    let paragraph = line(description, Detail::Brief, 200);
    let sentence = paragraph
        .split_once(". ")
        .map_or(paragraph.as_str(), |(first, _)| first);
    sentence.trim_end_matches('.').to_owned()
}

/// A character as a comment may have it: every kind of line end is one, and what is not seen is
/// left out.
fn visible(c: char) -> Option<char> {
    match c {
        '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\t' => Some(' '),
        c if is_hidden(c) => None,
        c => Some(c),
    }
}

/// What is said about a value, in lines: its description, then what its type leaves out.
pub fn of_value(name: &str, docs: &Docs, ty: &Type, detail: Detail) -> Vec<String> {
    let title = docs
        .title
        .as_ref()
        .filter(|title| names::canonical(title) != names::canonical(name));
    let text = docs.description.as_ref().or(title);
    let mut said = text.map_or_else(Vec::new, |text| lines(text, detail, detail.chars()));
    let mut remarks = remarks(docs, detail);
    for each in items(ty) {
        let text = each
            .description
            .as_deref()
            .map(|text| line(text, detail, detail.chars()));
        let words: Vec<_> = text
            .into_iter()
            .chain(self::remarks(each, detail))
            .collect();
        if !words.is_empty() {
            remarks.push(format!("each: {}", words.join(", ")));
        }
    }
    append(&mut said, &remarks);
    if detail != Detail::Brief {
        said.extend(values(ty).iter().take(detail.values()).filter_map(|value| {
            let description = value.description.as_deref()?;
            Some(format!(
                "- {}: {}",
                json(&value.value, 80),
                line(description, detail, detail.chars())
            ))
        }));
    }
    said
}

/// Adds `remarks` to `lines`: in brackets after the only one, else as a line of their own.
pub fn append(lines: &mut Vec<String>, remarks: &[String]) {
    if remarks.is_empty() {
        return;
    }
    let remarks = remarks.join("; ");
    match lines.as_mut_slice() {
        [line] => line.push_str(&format!(" ({remarks})")),
        [] => lines.push(remarks),
        _ => lines.push(format!("({remarks})")),
    }
}

/// What a tool says about its effects. One that changes nothing destroys nothing.
pub fn hints(hints: Hints) -> Vec<String> {
    if hints.read_only == Some(true) {
        return vec!["read-only".to_owned()];
    }
    let destructive = match hints.destructive {
        Some(true) => Some("destructive"),
        Some(false) => Some("not destructive"),
        None => None,
    };
    let idempotent = (hints.idempotent == Some(true)).then_some("idempotent");
    destructive
        .into_iter()
        .chain(idempotent)
        .map(str::to_owned)
        .collect()
}

/// What a schema says besides its description: the default, the range.
fn remarks(docs: &Docs, detail: Detail) -> Vec<String> {
    let mut remarks = Vec::new();
    let most = match detail {
        Detail::Brief | Detail::Full => 120,
        Detail::Whole => UNBOUNDED,
    };
    if let Some(default) = docs.default.as_ref().filter(|default| !default.is_null()) {
        remarks.push(format!("default: {}", json(default, most)));
    }
    remarks.extend(docs.facts.iter().map(|fact| line(fact, detail, 300)));
    if detail != Detail::Brief && !docs.examples.is_empty() {
        let examples: Vec<_> = docs
            .examples
            .iter()
            .map(|example| json(example, most))
            .collect();
        remarks.push(format!("for example {}", examples.join(", ")));
    }
    remarks
}

/// What is said about the values in an array, through arrays of arrays.
fn items(mut ty: &Type) -> Vec<&Docs> {
    let mut said = Vec::new();
    loop {
        match ty {
            Type::Nullable(inner) => ty = inner,
            Type::Array(item) => {
                said.push(&item.docs);
                ty = &item.ty;
            }
            _ => return said,
        }
    }
}

/// The values of an enumeration, and of nothing else.
fn values(ty: &Type) -> &[EnumValue] {
    match ty {
        Type::Enum(values) => &values.values,
        Type::Nullable(inner) => values(inner),
        Type::Array(item) => values(&item.ty),
        _ => &[],
    }
}

/// A value as JSON on one line, with nothing hidden in it, cut after `max_chars`.
pub fn json(value: &Value, max_chars: usize) -> String {
    let text = escape_hidden(&value.to_string());
    match text.char_indices().nth(max_chars) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Whether declarations use a type. It may be named in a comment as well; then it is declared in
/// vain.
pub(super) fn mentions(declared: &str, name: &str) -> bool {
    declared.match_indices(name).any(|(at, _)| {
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        apart(declared[..at].chars().next_back())
            && apart(declared[at + name.len()..].chars().next())
    })
}
