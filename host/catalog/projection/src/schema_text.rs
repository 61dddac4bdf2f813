//! A tool's schema, kept as text.

use std::fmt;
use std::sync::Arc;

use ampoule_untrusted::json::depth;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A JSON Schema as compact JSON. A parsed schema takes about ten times as much memory, and few tools
/// of a long list are used: who uses a schema parses it, keeps what is made of it, and pays.
///
/// Two are the same if they say the same, whatever the order of their keys.
#[derive(Clone)]
pub struct SchemaText {
    text: Box<str>,
    /// The schema itself, if it is nested too deep to be parsed. No server can send such a schema.
    deep: Option<Arc<Value>>,
}

/// How deep a text may be nested to be parsed: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

impl SchemaText {
    /// The schema, parsed.
    pub fn parse(&self) -> Value {
        match &self.deep {
            Some(deep) => Value::clone(deep),
            // The text was made of a value, so it can be parsed. Otherwise nothing would fit.
            None => serde_json::from_str(&self.text).unwrap_or(Value::Bool(false)),
        }
    }

    /// The same of one whose root is an object, as that of arguments.
    pub fn parse_object(&self) -> Map<String, Value> {
        match self.parse() {
            Value::Object(schema) => schema,
            Value::Bool(true) => Map::new(),
            _ => Map::from_iter([("not".to_owned(), json!({}))]),
        }
    }

    /// The schema as JSON.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Default for SchemaText {
    /// A schema that lets everything pass.
    fn default() -> Self {
        Map::new().into()
    }
}

impl From<&Value> for SchemaText {
    fn from(schema: &Value) -> Self {
        let text = schema.to_string();
        let is_deep = depth(&text) > MAX_DEPTH;
        Self {
            deep: is_deep.then(|| Arc::new(schema.clone())),
            text: text.into(),
        }
    }
}

impl From<Value> for SchemaText {
    fn from(schema: Value) -> Self {
        (&schema).into()
    }
}

impl From<Map<String, Value>> for SchemaText {
    fn from(schema: Map<String, Value>) -> Self {
        Value::Object(schema).into()
    }
}

impl PartialEq for SchemaText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.parse() == other.parse()
    }
}

impl fmt::Debug for SchemaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for SchemaText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As it stands.
        match serde_json::from_str::<&RawValue>(&self.text) {
            Ok(text) => text.serialize(serializer),
            Err(_) => self.parse().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SchemaText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_keys_makes_no_difference() {
        let text = |text: &str| serde_json::from_str::<SchemaText>(text).unwrap();
        assert_eq!(text(r#"{"a": 1, "b": {}}"#), text(r#"{"b":{},"a":1}"#));
        assert_ne!(text(r#"{"a": 1}"#), text(r#"{"a": 2}"#));
        assert_eq!(json!(text(r#"{"a": [1]}"#)), json!({ "a": [1] }));
        assert_eq!(
            text(r#"{"b": 0, "a": [ 1.50 ]}"#).as_str(),
            r#"{"b":0,"a":[1.5]}"#
        );
    }

    #[test]
    fn what_is_nested_too_deep_to_be_parsed_again_is_the_same() {
        let mut deep = json!({});
        for _ in 0..200 {
            deep = json!({ "not": deep });
        }
        let schema = SchemaText::from(&deep);
        assert_eq!(schema.parse(), deep);
        assert_eq!(Value::Object(schema.parse_object()), deep);
        let read: Result<SchemaText, _> = serde_json::from_str(schema.as_str());
        assert!(read.is_err());
    }
}
