//! The JSON Schema of `ampoule.toml`, as the types of its tables derive it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::file::File;

/// What editors have no use for, or does not hold of a file: that of `null`.
const DROPPED: [&str; 5] = ["$schema", "title", "default", "format", "minimum"];

/// The JSON Schema of `ampoule.toml`.
pub fn schema() -> Value {
    let mut settings = SchemaSettings::draft07();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<File>();
    let mut schema = of_file(schema.to_value());
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!(super::FILE_NAME);
    schema
}

/// Without what a file does not have. Below `properties`, keys are names.
fn of_file(schema: Value) -> Value {
    match schema {
        Value::Object(schema) => {
            let kept = schema.into_iter();
            let kept = kept.filter(|(key, _)| !DROPPED.contains(&&**key));
            let kept = kept.map(|(key, value)| {
                let value = match (&*key, value) {
                    ("properties", Value::Object(named)) => named
                        .into_iter()
                        .map(|(name, of)| (name, of_file(of)))
                        .collect(),
                    ("description", Value::String(text)) => json!(text.replace('\n', " ")),
                    (_, value) => of_file(value),
                };
                (key, value)
            });
            without_null(kept.collect())
        }
        Value::Array(items) => items.into_iter().map(of_file).collect(),
        other => other,
    }
}

/// A key that is not there is not `null`.
fn without_null(mut schema: Map<String, Value>) -> Value {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|of| of != "null");
        if let [one] = &**types {
            schema["type"] = one.clone();
        }
    }
    if let Some(Value::Array(mut any)) = schema.remove("anyOf") {
        any.retain(|one| *one != json!({ "type": "null" }));
        match (any.len(), any.pop()) {
            (1, Some(Value::Object(one))) => {
                for (key, value) in one {
                    schema.entry(key).or_insert(value);
                }
            }
            (_, last) => {
                any.extend(last);
                schema.insert("anyOf".into(), any.into());
            }
        }
    }
    schema.into()
}
