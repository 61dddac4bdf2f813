//! Schemas within a schema.

use serde_json::{Map, Value};

/// Keywords whose values are not schemas, whatever they look like.
pub(super) const DATA: [&str; 7] = [
    "const",
    "default",
    "dependentRequired",
    "enum",
    "example",
    "examples",
    "required",
];

/// Keywords whose members are schemas by names of their own.
pub(super) const BY_NAME: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// Keywords whose schemas apply to the same value as the schema that they are in.
pub(super) const SAME_VALUE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/// Keywords whose schemas, by names of properties, apply to the same value where it has those.
pub(super) const DEPENDENT: [&str; 2] = ["dependentSchemas", "dependencies"];

/// How far down schemas are looked for. What is nested more deeply is not checked at all.
const MAX_DEPTH: usize = 128;

/// A copy of a schema, in which every schema was changed, the innermost first. `change` gets it as
/// it was, and as it becomes.
pub(super) fn changed<'a>(
    schema: &'a Value,
    change: &mut impl FnMut(&'a Map<String, Value>, &mut Map<String, Value>),
) -> Value {
    within(schema, change, 0)
}

fn within<'a>(
    schema: &'a Value,
    change: &mut impl FnMut(&'a Map<String, Value>, &mut Map<String, Value>),
    depth: usize,
) -> Value {
    match schema {
        _ if depth > MAX_DEPTH => schema.clone(),
        Value::Array(schemas) => schemas
            .iter()
            .map(|schema| within(schema, change, depth + 1))
            .collect(),
        Value::Object(keywords) => {
            let mut made = Map::new();
            for (keyword, value) in keywords {
                let value = match value {
                    _ if DATA.contains(&keyword.as_str()) => value.clone(),
                    Value::Object(members) if BY_NAME.contains(&keyword.as_str()) => members
                        .iter()
                        .map(|(name, schema)| (name.clone(), within(schema, change, depth + 1)))
                        .collect(),
                    value => within(value, change, depth + 1),
                };
                made.insert(keyword.clone(), value);
            }
            change(keywords, &mut made);
            Value::Object(made)
        }
        other => other.clone(),
    }
}
