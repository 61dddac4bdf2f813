//! Names for values, and for the types of a choice.

use std::collections::HashMap;

use serde_json::Value;

use super::super::names::{Style, identifiers, kebab_case};
use super::super::types::{Definition, Enum, Type, Union};
use super::shape::Shape;

/// A case for each value of an enumeration, no two the same.
pub(super) fn of_values(values: &Enum) -> Vec<String> {
    let words: Vec<String> = values
        .values
        .iter()
        .map(|value| word(&value.value))
        .collect();
    cases(words)
}

/// Cases by their words. `Self` is a keyword of Rust that has no escape.
fn cases(mut words: Vec<String>) -> Vec<String> {
    let selves = words.iter_mut().filter(|word| kebab_case(word) == "self");
    selves.for_each(|word| word.push_str(" value"));
    identifiers(&words, Style::Kebab)
}

/// The type that all values have.
pub(super) fn type_of(values: &Enum) -> Shape {
    let all = |has: fn(&Value) -> bool| values.values.iter().all(|value| has(&value.value));
    match () {
        () if all(Value::is_string) => Shape::String,
        () if all(Value::is_i64) => Shape::S64,
        () if all(Value::is_number) => Shape::F64,
        () => Shape::Json,
    }
}

/// A case for each type of a union, no two the same: by the value that tells them apart, by what
/// the schema calls them, or by their kind.
pub(super) fn of_union(union: &Union, definitions: &[Definition]) -> Vec<String> {
    let telling = union.discriminated_by(definitions);
    let mut words: Vec<String> = union
        .variants
        .iter()
        .map(|variant| {
            let constant = telling.and_then(|property| variant.ty.constant(property, definitions));
            constant
                .map(word)
                .or_else(|| called(&variant.ty, definitions))
                .unwrap_or_else(|| kind(&variant.ty).to_owned())
        })
        .collect();
    let mut count: HashMap<String, usize> = HashMap::new();
    for word in &words {
        *count.entry(word.clone()).or_default() += 1;
    }
    let mut nth: HashMap<String, usize> = HashMap::new();
    for word in words.iter_mut().filter(|word| count[*word] > 1) {
        let nth = nth.entry(word.clone()).or_default();
        *nth += 1;
        word.push_str(&nth.to_string());
    }
    cases(words)
}

/// A value in words.
fn word(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .to_string()
            .replace('-', "minus ")
            .replace('.', " point "),
        other => other.to_string(),
    }
}

fn called(ty: &Type, definitions: &[Definition]) -> Option<String> {
    match ty {
        Type::Named(id) => Some(definitions[id.0].hint.clone()),
        Type::Record(record) => record.hint.clone(),
        _ => None,
    }
}

fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Boolean => "boolean",
        Type::Integer(_) => "integer",
        Type::Number => "number",
        Type::String => "text",
        Type::Enum(_) => "value",
        Type::Array(_) | Type::Tuple(_) => "items",
        Type::Record(_) => "object",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::types::EnumValue;
    use super::*;

    #[test]
    fn a_case_is_not_a_keyword_without_an_escape() {
        let value = |value| EnumValue {
            value,
            description: None,
        };
        let values = ["self", "Self", "gen", "type"];
        let values = Enum {
            hint: None,
            values: values.iter().map(|text| value(json!(text))).collect(),
        };
        let cases = of_values(&values);
        assert!(
            !cases.iter().any(|case| case == "self" || case == "gen"),
            "{cases:?}"
        );
        assert_eq!(cases[2..], ["gen-word", "type"]);
    }
}
