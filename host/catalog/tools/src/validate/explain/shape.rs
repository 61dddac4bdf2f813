//! A form in short: `{ channel: "slack", room, mention? }`.

use ampoule_projection::Idiom;
use serde_json::Value;

use super::choice::only_value;
use super::place::is_plain;
use super::values::{SHOWN_CHARS, cut, literal, text};
use super::{Explanation, LISTED};

impl Explanation<'_> {
    /// An object's shape, as a script writes it, if the schema says which properties it has.
    pub(super) fn shape(&self, schema: Option<&Value>) -> Option<String> {
        let schema = schema?;
        let properties = schema.get("properties")?.as_object()?;
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .take(super::COMPARED)
            .collect();
        let members = properties.iter().take(LISTED).map(|(name, of)| {
            let name = cut(name, SHOWN_CHARS);
            let is_optional = !required.contains(&&*name);
            let value = only_value(of).and_then(|value| literal(value, self.idiom));
            self.member(&name, is_optional, value)
        });
        let mut members: Vec<String> = members.collect();
        let others = required
            .iter()
            .filter(|name| !properties.contains_key(**name));
        let others = others.map(|name| self.member(&cut(name, SHOWN_CHARS), false, None));
        members.extend(others.take(LISTED));
        members.extend((properties.len() > LISTED).then(|| "…".to_owned()));
        Some(match (&members[..], self.idiom) {
            ([], _) => return None,
            (members, Idiom::TypeScript) => format!("`{{ {} }}`", members.join(", ")),
            (members, Idiom::Python) => format!("`{{{}}}`", members.join(", ")),
        })
    }

    fn member(&self, name: &str, is_optional: bool, value: Option<String>) -> String {
        let mark = if is_optional { "?" } else { "" };
        let name = match self.idiom {
            Idiom::TypeScript if is_plain(name) => name.to_owned(),
            _ => text(name),
        };
        match (value, self.idiom) {
            (Some(value), _) => format!("{name}{mark}: {value}"),
            (None, Idiom::TypeScript) => format!("{name}{mark}"),
            (None, Idiom::Python) => format!("{name}{mark}: ..."),
        }
    }
}
