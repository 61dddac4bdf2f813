//! The fields of a form, read again as arguments.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::form::{Control, FIELD, WHOLE, properties};
use crate::ConsoleError;
use crate::pages::visit::Fields;

/// The arguments. An empty field is an absent argument.
pub(super) fn read(schema: &Value, fields: &Fields) -> Result<Map<String, Value>, ConsoleError> {
    let Some(properties) = properties(schema) else {
        return whole(fields.get(WHOLE).unwrap_or("{}"));
    };
    let mut arguments = Map::new();
    for (name, text) in fields.beneath(FIELD).filter(|(_, text)| !text.is_empty()) {
        let Some(property) = properties.get(name) else {
            continue;
        };
        arguments.insert(name.to_owned(), value(name, text, &Control::of(property))?);
    }
    Ok(arguments)
}

fn whole(text: &str) -> Result<Map<String, Value>, ConsoleError> {
    serde_json::from_str(text).map_err(|problem| {
        ConsoleError::Invalid(format!(
            "the arguments must be an object of JSON: {problem}"
        ))
    })
}

fn value(name: &str, text: &str, control: &Control) -> Result<Value, ConsoleError> {
    match control {
        Control::Text => Ok(Value::String(text.replace("\r\n", "\n"))),
        _ => serde_json::from_str(text.trim())
            .map_err(|problem| ConsoleError::Invalid(format!("`{name}` must be JSON: {problem}"))),
    }
}
