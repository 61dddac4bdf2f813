//! Values and names, as TypeScript writes them.

use ampoule_untrusted::text;
use serde_json::Value;

/// How deep a value that a type is made of may nest; what is deeper may be anything.
const MAX_DEPTH: usize = 16;

/// A string in quotes.
pub fn string(text: &str) -> String {
    text::escape_hidden(&Value::from(text).to_string())
}

/// The name of a property: in quotes if it needs them.
pub fn property(name: &str) -> String {
    let mut chars = name.chars();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if chars
        .next()
        .is_some_and(|c| plain(c) && !c.is_ascii_digit())
        && chars.all(plain)
    {
        name.to_owned()
    } else {
        string(name)
    }
}

/// The type whose only value is `value`. `any` is what may be any value.
pub(super) fn value(value: &Value, any: &str) -> String {
    let mut text = String::new();
    write(value, any, MAX_DEPTH, &mut text);
    text
}

fn write(value: &Value, any: &str, depth: usize, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::String(text) => out.push_str(&string(text)),
        Value::Array(_) | Value::Object(_) if depth == 0 => out.push_str(any),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write(item, any, depth - 1, out);
            }
            out.push(']');
        }
        Value::Object(properties) if properties.is_empty() => out.push_str("{}"),
        Value::Object(properties) => {
            out.push_str("{ ");
            for (index, (name, value)) in properties.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "; " });
                out.push_str(&property(name));
                out.push_str(": ");
                write(value, any, depth - 1, out);
            }
            out.push_str(" }");
        }
    }
}

/// The types of values, each once.
pub(super) fn types<'a>(values: impl Iterator<Item = &'a Value>, any: &'a str) -> String {
    let mut types: Vec<&str> = Vec::new();
    for value in values {
        let ty = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => any,
        };
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    types.join(" | ")
}
