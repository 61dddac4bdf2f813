//! What a guest sent as a tool's arguments, as the tool gets it:
//!
//! - exact: integers that would be rounded on their way are refused
//! - with the schema's names: `maxCount` for `max_count`, and the other way round
//! - without nulls that stand for leaving a property out

mod nulls;
mod parsed;

use std::collections::HashMap;

use ampoule_projection::names::{Lookup, Names, Style};
use ampoule_untrusted::json::{self, Step};
use serde_json::{Map, Value};

use self::nulls::Nulls;
use super::Form;
use super::validate::push_name;

/// How much of a number is shown, in characters.
const SHOWN_DIGITS: usize = 40;

/// What a schema says of arguments that are sent.
pub(super) struct Declared {
    /// Their names, by which those that a script wrote otherwise are found.
    names: Names,
    nulls: Nulls,
}

impl Declared {
    /// What this schema says. Of names it says nothing where it says what its other properties are:
    /// those are data, and their names are nobody's mistake.
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let says_what_others_are = schema.contains_key("patternProperties")
            || matches!(schema.get("additionalProperties"), Some(Value::Object(others)) if !others.is_empty());
        let properties = schema.get("properties").and_then(Value::as_object);
        let named = properties.filter(|_| !says_what_others_are).into_iter();
        Self {
            names: Names::new(named.flat_map(Map::keys), Style::Camel),
            nulls: Nulls::of(schema),
        }
    }

    /// The schema's name that a name stands for.
    pub(super) fn meant(&self, name: &str) -> Option<&str> {
        match self.names.find(name) {
            Lookup::One(index) => Some(&self.names.names()[index]),
            Lookup::Ambiguous(_) | Lookup::Nothing => None,
        }
    }

    /// Gives arguments the schema's names where they differ in case and punctuation alone. A name
    /// that the schema has stays as it is, and so does one that could mean several, or whose
    /// meaning is given already.
    fn rename(&self, arguments: &mut Map<String, Value>, properties: &Map<String, Value>) {
        if arguments.keys().all(|name| properties.contains_key(name)) {
            return;
        }
        let mut given: HashMap<&str, usize> = HashMap::new();
        for name in arguments.keys().filter_map(|name| self.meant(name)) {
            *given.entry(name).or_default() += 1;
        }
        *arguments = std::mem::take(arguments)
            .into_iter()
            .map(|(name, value)| match self.meant(&name) {
                Some(declared) if given[declared] == 1 => (declared.to_owned(), value),
                _ => (name, value),
            })
            .collect();
    }
}

/// The arguments in a text that was sent for an outcome of that form. Names in typed code are the
/// schema's; scripts, and others that write them by hand, may write others.
///
/// # Errors
///
/// A sentence says why they can't be sent.
pub(super) fn read(
    text: &str,
    schema: &Map<String, Value>,
    declared: &Declared,
    form: Form,
) -> Result<Value, String> {
    let mut arguments =
        parsed::parsed(text).map_err(|error| format!("the arguments can't be sent: {error}"))?;
    if json::may_be_rounded(&arguments)
        && let Some((place, digits)) = json::rounded_integer(text)
    {
        return Err(beyond_64_bits(&place, digits));
    }
    if let (Form::Script, Value::Object(named), Some(properties)) = (
        form,
        &mut arguments,
        schema.get("properties").and_then(Value::as_object),
    ) {
        declared.rename(named, properties);
    }
    if memchr::memmem::find(text.as_bytes(), b"null").is_some() {
        declared.nulls.leave_out(&mut arguments);
    }
    Ok(arguments)
}

fn beyond_64_bits(place: &[Step<'_>], digits: &str) -> String {
    let mut field = String::new();
    for step in place {
        match step {
            Step::Member(quoted) => {
                let name: String = serde_json::from_str(quoted).unwrap_or_default();
                push_name(&mut field, &name);
            }
            Step::Item(index) => field += &format!("[{index}]"),
        }
    }
    let shown = match digits.get(..SHOWN_DIGITS) {
        Some(first) if digits.len() > SHOWN_DIGITS => format!("{first}…"),
        _ => digits.to_owned(),
    };
    format!(
        "`{field}` is {shown}, an integer beyond 64 bits, which would be rounded in transit; send it as text, or as a float if rounding is fine"
    )
}

#[cfg(test)]
mod tests;
