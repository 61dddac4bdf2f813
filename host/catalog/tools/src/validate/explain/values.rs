//! Values, and lists of what is allowed, in words.

use std::cmp::Ordering;

use ampoule_projection::names::near;
use ampoule_projection::{Idiom, python, typescript};
use ampoule_untrusted::text::escape_hidden;
use jsonschema::error::TypeKind;
use serde_json::Value;

use super::{COMPARED, LISTED};

/// How many of an enum's values are named.
const VALUES: usize = 20;

/// How many letters one of two values needs to be taken for the other.
const LETTERS: usize = 4;

/// How many of an object's keys are named.
const KEYS: usize = 5;

/// How much of a value is shown, in characters.
pub(super) const SHOWN_CHARS: usize = 60;

/// A value that was given.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(members) if members.is_empty() => "an object".to_owned(),
        Value::Object(members) => {
            let names = listed(members.keys().map(String::as_str), KEYS);
            format!("an object with {names}")
        }
        Value::String(content) => text(&cut(content, SHOWN_CHARS)),
        other => cut(&other.to_string(), SHOWN_CHARS),
    }
}

/// Text in quotes.
pub(super) fn text(content: &str) -> String {
    typescript::string(content)
}

/// A value that is neither list nor object, as a script writes it.
pub(super) fn literal(value: &Value, idiom: Idiom) -> Option<String> {
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        return None;
    }
    let word = match idiom {
        Idiom::TypeScript => None,
        Idiom::Python => python::constant(value),
    };
    Some(word.map_or_else(|| shown(value), str::to_owned))
}

/// Names, up to so many.
pub(super) fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = match names.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names: Vec<String> = names.take(most).map(quoted).collect();
    names.join(", ") + &more
}

/// A property's name.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", escape_hidden(&cut(name, SHOWN_CHARS)))
}

/// One of these values: the nearest first, and which was likely meant.
pub(super) struct OneOf {
    pub(super) values: Vec<String>,
    pub(super) more: usize,
    pub(super) meant: Option<String>,
}

impl OneOf {
    /// Null is among them only where it was given, which is then another: nobody means it.
    pub(super) fn of<'v>(options: impl IntoIterator<Item = &'v Value>, given: &Value) -> Self {
        let mut options: Vec<&Value> = options.into_iter().collect();
        if options.iter().any(|option| !option.is_null()) {
            options.retain(|option| !option.is_null());
        }
        let near = scalar(given).map(|given| near_values(&given, &options));
        let near = near.unwrap_or_default();
        let meant = near.first().map(|place| allowed(options[*place]));
        let rest = (0..options.len()).filter(|place| !near.contains(place));
        let values = near.iter().copied().chain(rest).take(VALUES);
        Self {
            values: values.map(|place| allowed(options[place])).collect(),
            more: options.len().saturating_sub(VALUES),
            meant,
        }
    }

    /// What a field must be, with further alternatives.
    pub(super) fn or(&self, others: &[String]) -> String {
        let mut names = self.values.clone();
        let more = (self.more > 0).then(|| format!("{} more", self.more));
        names.extend(more);
        names.extend(others.iter().cloned());
        match names.len() {
            0 | 1 => alternatives(&names),
            _ => format!("one of {}", alternatives(&names)),
        }
    }

    pub(super) fn guess(&self) -> String {
        let guess = self.meant.as_ref().filter(|_| self.values.len() > 1);
        guess.map_or_else(String::new, |meant| format!(" (did you mean {meant}?)"))
    }
}

/// A value that may be given.
fn allowed(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => escape_hidden(&cut(&value.to_string(), SHOWN_CHARS)),
        other => shown(other),
    }
}

/// The places of the options that were probably meant, the nearest first.
fn near_values(given: &str, options: &[&Value]) -> Vec<usize> {
    let texts: Vec<(usize, String)> = (0..options.len().min(COMPARED))
        .filter_map(|place| Some((place, scalar(options[place])?)))
        .collect();
    let is_same = |text: &str| text.to_lowercase() == given.to_lowercase();
    let has_letters = |text: &str| text.chars().count() >= LETTERS;
    let mut likely: Vec<&str> = near(given, texts.iter().map(|(_, text)| &**text), VALUES);
    likely.retain(|text| is_same(text) || has_letters(text) || has_letters(given));
    likely.sort_by(|a, b| match (is_same(a), is_same(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    });
    let place = |wanted: &&str| texts.iter().find(|(_, text)| text == wanted);
    likely
        .iter()
        .filter_map(|text| Some(place(text)?.0))
        .collect()
}

/// The text of a value that is neither list nor object.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(cut(text, 2 * SHOWN_CHARS)),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The types, but for null where there are others: nobody means it.
pub(super) fn types(kind: &TypeKind) -> Vec<String> {
    let mut names: Vec<String> = match kind {
        TypeKind::Single(one) => vec![one.to_string()],
        TypeKind::Multiple(several) => several.iter().map(|one| one.to_string()).collect(),
    };
    if names.iter().any(|name| name != "null") {
        names.retain(|name| name != "null");
    }
    names
}

pub(super) fn with_article(name: &str) -> String {
    match name {
        "null" => name.to_owned(),
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    }
}

pub(super) fn alternatives(names: &[String]) -> String {
    match names {
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// A property that is not known.
pub(super) struct UnknownProperty<'a> {
    pub(super) name: &'a str,
    /// Where it is, as messages show it.
    pub(super) place: String,
}

/// Properties that are not known, each with the one that was likely meant, if that is not given as
/// well; after the last of the others, those that are known.
pub(super) fn unknown(
    unexpected: &[UnknownProperty<'_>],
    known: &[&str],
    is_given: impl Fn(&str) -> bool,
) -> Vec<String> {
    let left: Vec<&str> = known
        .iter()
        .copied()
        .take(COMPARED)
        .filter(|name| !is_given(name))
        .collect();
    let near = |name| near(name, left.iter().copied(), 1).first().copied();
    let nears: Vec<Option<&str>> = unexpected.iter().map(|it| near(it.name)).collect();
    let last = nears.iter().rposition(Option::is_none);
    let problem = |(index, property): (usize, &UnknownProperty<'_>)| {
        let text = format!("{} is not a known property", property.place);
        match nears[index] {
            Some(near) => format!("{text}; did you mean {}?", quoted(near)),
            None if last != Some(index) => text,
            None if known.is_empty() => format!("{text}; there are none"),
            None => format!(
                "{text}; known are {}",
                listed(known.iter().copied(), LISTED)
            ),
        }
    };
    unexpected.iter().enumerate().map(problem).collect()
}

pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
