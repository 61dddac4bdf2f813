//! What a guest sent as a tool's arguments, as the tool gets it:
//!
//! - exact: integers that would be rounded on their way are refused
//! - with the schema's names: `maxCount` for `max_count`, and the other way round
//! - without nulls that stand for leaving a property out

mod nulls;
mod parsed;

use std::collections::{HashMap, HashSet};

use ampoule_projection::Tool;
use ampoule_projection::names::{Lookup, Names, Style};
use ampoule_untrusted::json::{self, Step};
use serde_json::{Map, Value};

use self::nulls::Nulls;
use super::Form;
use super::validate::push_name;

/// How much of a number is shown, in characters.
const SHOWN_DIGITS: usize = 40;

/// What a tool's schemas say of its calls.
pub(super) struct DeclaredSchemas {
    /// The arguments' names, by which those that a script wrote otherwise are found.
    names: Names,
    nulls: Nulls,
    /// The names of the arguments, required ones first, each kind in the schema's order.
    pub(super) parameters: Box<[String]>,
    /// As [`Tool::wraps_result`] says.
    pub(super) wraps_result: bool,
}

impl DeclaredSchemas {
    /// What the schemas of this tool say. Their texts are parsed for that, and not kept.
    pub(super) fn of(tool: &Tool) -> Self {
        Self {
            wraps_result: tool.wraps_result(),
            ..Self::by_schema(&tool.input_schema.parse_object())
        }
    }

    /// What this schema says. Of names it says nothing where it says what its other properties are:
    /// those are data, and their names are nobody's mistake.
    fn by_schema(schema: &Map<String, Value>) -> Self {
        let says_what_others_are = schema.contains_key("patternProperties")
            || matches!(schema.get("additionalProperties"), Some(Value::Object(others)) if !others.is_empty());
        let (properties, _) = named(schema);
        let named = properties.filter(|_| !says_what_others_are).into_iter();
        Self {
            names: Names::new(named.flat_map(Map::keys), Style::Camel),
            nulls: Nulls::of(schema),
            parameters: parameters(schema).into(),
            wraps_result: false,
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
    fn rename(&self, arguments: &mut Map<String, Value>) {
        if arguments
            .keys()
            .all(|name| self.meant(name).is_none_or(|meant| meant == name))
        {
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

/// The names of a schema's arguments, required ones first, each kind in the schema's order.
pub(super) fn parameters(schema: &Map<String, Value>) -> Vec<String> {
    let (properties, required) = named(schema);
    let required: HashSet<&str> = required.iter().filter_map(Value::as_str).collect();
    let (first, then): (Vec<String>, Vec<String>) = (properties.into_iter())
        .flat_map(Map::keys)
        .cloned()
        .partition(|name| required.contains(name.as_str()));
    [first, then].concat()
}

/// How many names a schema lists: those of properties, and those of required ones.
pub(super) fn listed_names(schema: &Map<String, Value>) -> usize {
    let (properties, required) = named(schema);
    properties.map_or(0, Map::len) + required.len()
}

/// A schema's properties, and the names of those that it requires.
fn named(schema: &Map<String, Value>) -> (Option<&Map<String, Value>>, &[Value]) {
    let required = schema.get("required").and_then(Value::as_array);
    (
        schema.get("properties").and_then(Value::as_object),
        required.map_or(&[], Vec::as_slice),
    )
}

/// The arguments in a text that was sent for an outcome of that form. Names in typed code are the
/// schema's; scripts, and others that write them by hand, may write others.
///
/// # Errors
///
/// A sentence says why they can't be sent.
pub(super) fn read(text: &str, declared: &DeclaredSchemas, form: Form) -> Result<Value, String> {
    let mut arguments =
        parsed::parsed(text).map_err(|error| format!("the arguments can't be sent: {error}"))?;
    if json::may_be_rounded(&arguments)
        && let Some((place, digits)) = json::rounded_integer(text)
    {
        return Err(beyond_64_bits(&place, digits));
    }
    if let (Form::Script | Form::Whole, Value::Object(named)) = (form, &mut arguments) {
        declared.rename(named);
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
