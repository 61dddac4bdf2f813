//! A tool's schema, kept as text, or where it can be made from.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use ampoule_untrusted::json::depth;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A JSON Schema as compact JSON. A parsed schema takes about ten times as much memory, and few tools
/// of a long list are used: who uses a schema parses it, keeps what is made of it, and pays. Or what
/// makes the schema, for lists whose schemas would take more memory than what they are made of.
///
/// Two are the same if they say the same, whatever the order of their keys.
#[derive(Clone)]
pub struct SchemaText(Form);

#[derive(Clone)]
enum Form {
    Text {
        text: Box<str>,
        /// The schema itself, if it is nested too deep to be parsed. No server can send such a schema.
        deep: Option<Arc<Value>>,
    },
    Made(Arc<LazySchema>),
}

/// A schema that is made when somebody looks at it.
struct LazySchema {
    source: Box<dyn SchemaSource>,
    bytes: OnceLock<usize>,
}

/// What makes a schema. It makes the same one each time.
pub trait SchemaSource: Send + Sync + 'static {
    /// The whole schema.
    fn schema(&self) -> Value;

    /// The schema as far as search reads it: the properties, those in them, and what they are for.
    fn outline(&self) -> Value {
        self.schema()
    }
}

/// How deep a text may be nested to be parsed: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

impl SchemaText {
    /// A schema that is made each time somebody looks at it.
    pub fn made(source: impl SchemaSource) -> Self {
        Self(Form::Made(Arc::new(LazySchema {
            source: Box::new(source),
            bytes: OnceLock::new(),
        })))
    }

    /// The schema, parsed.
    pub fn parse(&self) -> Value {
        match &self.0 {
            Form::Text {
                deep: Some(deep), ..
            } => Value::clone(deep),
            // The text was made of a value, so it can be parsed. Otherwise nothing would fit.
            Form::Text { text, .. } => serde_json::from_str(text).unwrap_or(Value::Bool(false)),
            Form::Made(made) => made.source.schema(),
        }
    }

    /// The schema, parsed, if it has this in it as JSON. A schema that is made is made once for both.
    pub fn parse_if_has(&self, part: &str) -> Option<Value> {
        match &self.0 {
            Form::Text { text, .. } => text.contains(part).then(|| self.parse()),
            Form::Made(made) => {
                let schema = made.source.schema();
                schema.to_string().contains(part).then_some(schema)
            }
        }
    }

    /// The [parsed](Self::parse) schema, whose root is an object, as that of arguments.
    pub fn parse_object(&self) -> Map<String, Value> {
        object(self.parse())
    }

    /// As much of it as search reads.
    pub fn outline(&self) -> Map<String, Value> {
        match &self.0 {
            Form::Text { .. } => self.parse_object(),
            Form::Made(made) => object(made.source.outline()),
        }
    }

    /// The schema as JSON.
    pub fn as_str(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Text { text, .. } => Cow::Borrowed(text),
            Form::Made(made) => Cow::Owned(made.source.schema().to_string()),
        }
    }

    /// How long it is as JSON, in bytes. It is made for that once at most.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Form::Text { text, .. } => text.len(),
            Form::Made(made) => *made.bytes.get_or_init(|| self.as_str().len()),
        }
    }

    /// Whether the text of a schema that a server sent has this in it. One that is made has nothing
    /// that only servers say.
    pub(crate) fn was_sent_with(&self, part: &str) -> bool {
        match &self.0 {
            Form::Text { text, .. } => text.contains(part),
            Form::Made(_) => false,
        }
    }
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        Value::Bool(true) => Map::new(),
        _ => Map::from_iter([("not".to_owned(), json!({}))]),
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
        Self(Form::Text {
            deep: is_deep.then(|| Arc::new(schema.clone())),
            text: text.into(),
        })
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
        match (&self.0, &other.0) {
            (Form::Made(one), Form::Made(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.as_str() == other.as_str() || self.parse() == other.parse(),
        }
    }
}

impl fmt::Debug for SchemaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.as_str())
    }
}

impl Serialize for SchemaText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As it stands.
        match serde_json::from_str::<&RawValue>(&self.as_str()) {
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
        let read: Result<SchemaText, _> = serde_json::from_str(&schema.as_str());
        assert!(read.is_err());
    }

    #[test]
    fn one_that_is_made_is_made_when_it_is_looked_at() {
        use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

        struct CountingSource(Arc<AtomicUsize>);

        impl SchemaSource for CountingSource {
            fn schema(&self) -> Value {
                self.0.fetch_add(1, Relaxed);
                json!({ "type": "object", "properties": { "a": {} }, "$defs": { "b": {} } })
            }

            fn outline(&self) -> Value {
                json!({ "properties": { "a": {} } })
            }
        }

        let made = Arc::new(AtomicUsize::new(0));
        let schema = SchemaText::made(CountingSource(Arc::clone(&made)));
        assert!(!schema.was_sent_with("$defs"));
        assert_eq!(
            Value::Object(schema.outline()),
            json!({ "properties": { "a": {} } })
        );
        assert_eq!(schema.clone(), schema);
        assert_eq!(made.load(Relaxed), 0);
        assert_eq!((schema.bytes(), schema.bytes()), (56, 56));
        assert_eq!(made.load(Relaxed), 1);
        assert_eq!(schema, SchemaText::from(schema.parse()));
        assert_eq!(json!(schema), schema.parse());
        let before = made.load(Relaxed);
        assert_eq!(schema.parse_if_has("\"c\":"), None);
        assert_eq!(made.load(Relaxed), before + 1);
        let parsed = schema.parse_if_has("\"b\":");
        assert_eq!(made.load(Relaxed), before + 2);
        assert_eq!(parsed, Some(schema.parse()));
        let sent = SchemaText::from(schema.parse());
        assert_eq!(sent.parse_if_has("\"c\":"), None);
        assert_eq!(sent.parse_if_has("\"b\":"), Some(schema.parse()));
    }
}
