//! Which fields of a value are taken out of it: `email, customers.*.phone`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// What stands where something was taken out.
pub const REDACTED: &str = "[redacted]";
/// How many fields one policy may name.
const MOST_FIELDS: usize = 64;

/// Which fields of a value are taken out of it. Written as a list of paths: `email,
/// customers.*.phone`, where `*` is every member of an object or every item of an array; a number
/// is an item. `*` alone is everything.
///
/// Where a value has another shape than a path expects, more is taken out rather than less: a name
/// is looked for in each item of an array and in JSON within a text, and any other text or number
/// that stands where more of a path was to come goes as a whole. Three things stay: what an object
/// has that lacks the name, its members that have no members where a `*` means any of them, and a
/// number that is all there is, such as a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields(Vec<Vec<String>>);

/// A text that is not a list of [`Fields`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no fields; write paths such as `email, customers.*.phone`, at most 64")]
pub struct FieldsError(String);

impl FromStr for Fields {
    type Err = FieldsError;

    fn from_str(text: &str) -> Result<Self, FieldsError> {
        let path = |path: &str| path.trim().split('.').map(str::to_owned).collect();
        let paths: Vec<Vec<String>> = text.split(',').map(path).collect();
        let empty = paths.iter().flatten().any(String::is_empty);
        match empty || paths.len() > MOST_FIELDS {
            true => Err(FieldsError(text.to_owned())),
            false => Ok(Self(paths)),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.0.iter().map(|path| path.join(".")).collect();
        f.write_str(&paths.join(", "))
    }
}

impl Fields {
    /// Whether they are all there is.
    pub fn are_all(&self) -> bool {
        self.0.iter().any(|path| path == &["*"])
    }

    /// Puts [`REDACTED`] for each of them that there is in `value`; says how many there were.
    pub fn redact(&self, value: &mut Value) -> usize {
        if self.are_all() {
            *value = REDACTED.into();
            return 1;
        }
        if value.is_number() {
            return 0;
        }
        let paths = self.0.iter();
        paths.map(|path| redact(path, value, false)).sum()
    }

    /// Puts [`REDACTED`] for each member of `value`, however deep, that has the name of one of them,
    /// and for what [`redact`](Self::redact) finds; says how many there were. For values that are not
    /// as the results are whose fields these name, such as what a tool says of a failure.
    pub fn redact_wherever(&self, value: &mut Value) -> usize {
        let is_name = |step: &&String| *step != "*" && step.parse::<usize>().is_err();
        let names: Option<Vec<&str>> = self
            .0
            .iter()
            .map(|path| path.iter().rev().find(is_name).map(String::as_str))
            .collect();
        match names {
            Some(names) => redact_members(&names, value) + self.redact(value),
            // Without a name there is no telling where the field is.
            None => {
                *value = REDACTED.into();
                1
            }
        }
    }
}

fn redact_members(names: &[&str], value: &mut Value) -> usize {
    let within = |value| redact_members(names, value);
    match value {
        Value::Array(items) => items.iter_mut().map(within).sum(),
        Value::Object(members) => members
            .iter_mut()
            .map(|(name, member)| match names.contains(&name.as_str()) {
                true => whole(member),
                false => within(member),
            })
            .sum(),
        _ => 0,
    }
}

/// `among`: it is a member of an object, any of which may be meant: those of another kind are not.
fn redact(path: &[String], value: &mut Value, among: bool) -> usize {
    let Some((step, rest)) = path.split_first() else {
        return whole(value);
    };
    match (&mut *value, step.as_str()) {
        (Value::Object(members), "*") => {
            let values = members.values_mut();
            values.map(|value| redact(rest, value, true)).sum()
        }
        (Value::Object(members), name) => members
            .get_mut(name)
            .map_or(0, |value| redact(rest, value, false)),
        (Value::Array(items), "*") => items.iter_mut().map(|item| redact(rest, item, false)).sum(),
        (Value::Array(items), step) => match step.parse::<usize>() {
            Ok(index) => items
                .get_mut(index)
                .map_or(0, |value| redact(rest, value, false)),
            // A list of what one was expected of.
            Err(_) => {
                let items = items.iter_mut();
                items.map(|item| redact(path, item, among)).sum()
            }
        },
        (Value::String(text), _) if text.trim_start().starts_with(['{', '[']) => {
            let Ok(mut inner) = serde_json::from_str(text) else {
                return whole(value);
            };
            let taken = redact(path, &mut inner, among);
            if taken > 0 {
                *text = inner.to_string();
            }
            taken
        }
        // A sentence: the field may be in it.
        (Value::String(_) | Value::Number(_), _) if !among => whole(value),
        _ => 0,
    }
}

fn whole(value: &mut Value) -> usize {
    if value.as_str() == Some(REDACTED) {
        return 0;
    }
    *value = REDACTED.into();
    1
}

#[cfg(test)]
mod tests;
