//! How much there is to read in a schema.

use serde_json::{Map, Value};

/// How many bytes of text count as much as one value.
const TEXT: usize = 64;

/// How much of a schema is read where it holds, in values: its own keywords, and not the schemas in
/// it. Several places may have the same part, and read it anew.
pub(super) fn of(schema: &Map<String, Value>) -> usize {
    let read = schema
        .iter()
        .map(|(keyword, value)| match keyword.as_str() {
            "properties" | "patternProperties" | "items" | "prefixItems" | "anyOf" | "oneOf"
            | "allOf" | "dependentSchemas" | "dependencies" => members(value),
            "title" | "description" | "default" | "examples" | "example" | "enum" | "const"
            | "not" | "required" | "type" | "format" | "pattern" | "propertyNames"
            | "contentMediaType" | "contentEncoding" | "discriminator" => whole(value),
            _ => 0,
        });
    1 + read.sum::<usize>()
}

/// A list or an object of schemas, without those.
fn members(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.keys().map(|name| 1 + name.len() / TEXT).sum(),
        _ => 0,
    }
}

/// A value with all that is in it.
fn whole(value: &Value) -> usize {
    1 + match value {
        Value::String(text) => text.len() / TEXT,
        Value::Array(items) => items.iter().map(whole).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len() / TEXT + whole(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}
