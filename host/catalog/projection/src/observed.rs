//! What a tool's results looked like, where its server does not say: types and names of properties,
//! never values.
//!
//! It is a hint for the reader of a tool's declaration, and nothing is ever refused for it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How many results are looked at in a process, and how long each may be, in bytes of JSON: looking
/// at one takes up to a millisecond.
const RESULTS: u32 = 16;
const BYTES: usize = 64 << 10;

/// How deep a result is looked into, and how many items of a list are.
const DEPTH: usize = 4;
const ITEMS: usize = 20;

/// How many names of properties an object may have, and how long one may be. One with more or
/// longer ones is a table, whose names are data.
const NAMES: usize = 24;
const NAME_BYTES: usize = 40;

/// What was seen of one tool's results. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct ObservedShape(Arc<Cell>);

#[derive(Debug, Default)]
struct Cell {
    results: AtomicU32,
    shape: Mutex<Shape>,
}

/// The types that values were of.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// Names of JSON Schema's simple types.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    simple: BTreeSet<Simple>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    items: Option<Box<Shape>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    object: Option<Box<Object>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Simple {
    String,
    Integer,
    Number,
    Boolean,
    Null,
}

/// The objects that were seen in one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Object {
    /// Each has some of these properties, in the order in which they were first seen.
    Record(Vec<Property>),
    /// They have any names.
    Table(Shape),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Property {
    name: String,
    always: bool,
    shape: Shape,
}

impl ObservedShape {
    /// What was seen before.
    pub fn of(shape: Shape) -> Self {
        Self(Arc::new(Cell {
            results: AtomicU32::new(0),
            shape: Mutex::new(shape),
        }))
    }

    /// What was seen before, of so many results: those that were [looked](Self::looked) at.
    pub fn of_results(shape: Shape, results: u32) -> Self {
        let seen = Self::of(shape);
        seen.0.results.store(results, Relaxed);
        seen
    }

    /// How many results were looked at.
    pub fn looked(&self) -> u32 {
        self.0.results.load(Relaxed)
    }

    /// Whether something may be learnt from one more result, of so many bytes. Asking counts.
    pub fn wants(&self, bytes: usize) -> bool {
        // A race looks at one more, which is as well.
        bytes <= BYTES
            && self.0.results.load(Relaxed) < RESULTS
            && self.0.results.fetch_add(1, Relaxed) < RESULTS
    }

    /// Whether a result was looked at in this process.
    pub fn has_looked(&self) -> bool {
        self.0.results.load(Relaxed) > 0
    }

    /// Looks at a result, if it is JSON.
    pub fn learn(&self, json: &str) {
        if let Ok(value) = serde_json::from_str(json) {
            let mut shape = self.0.shape.lock().unwrap_or_else(PoisonError::into_inner);
            shape.add(&value, DEPTH);
        }
    }

    /// What was seen so far; nothing, if no result was.
    pub fn shape(&self) -> Option<Shape> {
        let shape = self.0.shape.lock().unwrap_or_else(PoisonError::into_inner);
        Some(shape.clone()).filter(|shape| *shape != Shape::default())
    }
}

/// What was learnt of a tool does not make it another.
impl PartialEq for ObservedShape {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Shape {
    fn add(&mut self, value: &Value, depth: usize) {
        let simple = match value {
            Value::Null => Simple::Null,
            Value::Bool(_) => Simple::Boolean,
            Value::Number(number) if number.is_f64() => Simple::Number,
            Value::Number(_) => Simple::Integer,
            Value::String(_) => Simple::String,
            Value::Array(items) => {
                let shape = self.items.get_or_insert_default();
                if depth > 0 {
                    items
                        .iter()
                        .take(ITEMS)
                        .for_each(|item| shape.add(item, depth - 1));
                }
                return;
            }
            Value::Object(object) => return self.add_object(object, depth),
        };
        self.simple.insert(simple);
    }

    fn add_object(&mut self, value: &Map<String, Value>, depth: usize) {
        // Below the depth that is looked into, names are useless.
        let as_table = depth == 0 || value.len() > NAMES || !value.keys().all(|key| is_name(key));
        let Some(object) = &mut self.object else {
            let empty = match as_table {
                true => Object::Table(Self::default()),
                false => Object::Record(Vec::new()),
            };
            let is_first = true;
            let object = self.object.insert(Box::new(empty));
            return object.add(value, depth, is_first);
        };
        if as_table {
            object.become_table();
        }
        object.add(value, depth, false);
    }

    fn merge(&mut self, other: Self) {
        self.simple.extend(other.simple);
        if let Some(items) = other.items {
            self.items.get_or_insert_default().merge(*items);
        }
        if let Some(others) = other.object {
            self.object = Some(match self.object.take() {
                Some(mine) => {
                    let values = mine.into_values().into_iter();
                    Box::new(Object::table(values.chain(others.into_values())))
                }
                None => others,
            });
        }
    }

    /// As a JSON Schema.
    pub fn schema(&self) -> Value {
        let mut ways: Vec<Value> = Vec::new();
        if let Some(object) = &self.object {
            ways.push(object.schema());
        }
        if let Some(items) = &self.items {
            ways.push(json!({ "type": "array", "items": items.schema() }));
        }
        let mut simple = self.simple.clone();
        if simple.contains(&Simple::Number) {
            simple.remove(&Simple::Integer);
        }
        ways.extend(simple.iter().map(|simple| json!({ "type": simple })));
        match ways.len() {
            0 => json!({}),
            1 => ways.remove(0),
            _ => json!({ "anyOf": ways }),
        }
    }
}

impl Object {
    fn add(&mut self, value: &Map<String, Value>, depth: usize, is_first: bool) {
        let below = depth.saturating_sub(1);
        if let Self::Record(properties) = self {
            for property in properties.iter_mut() {
                property.always &= value.contains_key(&property.name);
            }
            for (name, value) in value {
                let at = properties.iter().position(|known| known.name == *name);
                let at = at.unwrap_or_else(|| {
                    properties.push(Property {
                        name: name.clone(),
                        always: is_first,
                        shape: Shape::default(),
                    });
                    properties.len() - 1
                });
                properties[at].shape.add(value, below);
            }
            if properties.len() > NAMES {
                self.become_table();
            }
        } else if let Self::Table(shape) = self
            && depth > 0
        {
            let values = value.values().take(ITEMS);
            values.for_each(|value| shape.add(value, below));
        }
    }

    /// Objects with any names, whose values are all of these.
    fn table(values: impl IntoIterator<Item = Shape>) -> Self {
        let mut shape = Shape::default();
        values.into_iter().for_each(|value| shape.merge(value));
        Self::Table(shape)
    }

    /// Lets go of the names.
    fn become_table(&mut self) {
        if let Self::Record(properties) = self {
            let properties = std::mem::take(properties);
            *self = Self::table(properties.into_iter().map(|it| it.shape));
        }
    }

    fn into_values(self) -> Vec<Shape> {
        match self {
            Self::Record(properties) => properties.into_iter().map(|it| it.shape).collect(),
            Self::Table(shape) => vec![shape],
        }
    }

    fn schema(&self) -> Value {
        match self {
            Self::Record(properties) => {
                let required = properties.iter().filter(|property| property.always);
                let required: Vec<_> = required.map(|property| &property.name).collect();
                let each = properties.iter();
                let each = each.map(|property| (property.name.clone(), property.shape.schema()));
                let properties: Map<String, Value> = each.collect();
                json!({ "type": "object", "properties": properties, "required": required })
            }
            Self::Table(shape) => {
                json!({ "type": "object", "additionalProperties": shape.schema() })
            }
        }
    }
}

/// Whether a key looks like the name of a property, rather than like data: an address, an id.
fn is_name(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$');
    let digits = key.bytes().filter(u8::is_ascii_digit).count();
    (1..=NAME_BYTES).contains(&key.len())
        && key.bytes().all(plain)
        && digits <= 3
        && !key.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(results: &[&str]) -> Value {
        let seen = ObservedShape::default();
        for result in results {
            assert!(seen.wants(result.len()));
            seen.learn(result);
        }
        seen.shape().map_or(Value::Null, |shape| shape.schema())
    }

    #[test]
    fn types_are_learnt_and_joined_and_values_are_not() {
        let schema = seen(&[
            r#"{"total": 2, "items": [{"id": "secret-1", "price": 1}, {"id": "secret-2", "price": 1.5, "note": null}]}"#,
            r#"{"total": 0, "items": [], "next": "secret-3"}"#,
        ]);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "total": { "type": "integer" },
                    "items": { "type": "array", "items": {
                        "type": "object",
                        "properties": {
                            "id": { "type": "string" },
                            "price": { "type": "number" },
                            "note": { "type": "null" },
                        },
                        "required": ["id", "price"],
                    } },
                    "next": { "type": "string" },
                },
                "required": ["total", "items"],
            })
        );
        assert!(!schema.to_string().contains("secret"));
        let either = seen(&["\"text\"", "null", "[1]"]);
        let array = json!({ "type": "array", "items": { "type": "integer" } });
        let expected = json!({ "anyOf": [array, { "type": "string" }, { "type": "null" }] });
        assert_eq!(either, expected);
    }

    #[test]
    fn names_that_are_data_are_not_kept() {
        let table = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
        for keys in [
            r#"{"ada@example.org": 1}"#.to_owned(),
            r#"{"2026-01-01": 1}"#.to_owned(),
            r#"{"cus_81723": 1}"#.to_owned(),
            format!("{{\"{}\": 1}}", "x".repeat(200)),
            Value::Object((0..100).map(|n| (format!("k{n}"), n.into())).collect()).to_string(),
        ] {
            assert_eq!(seen(&[&keys]), table, "{keys}");
            assert_eq!(seen(&[r#"{"a": 2}"#, &keys]), table, "{keys}");
        }
        // Names that differ from result to result are data, too.
        let results: Vec<String> = (0..13)
            .map(|n| format!("{{\"a{n}\": 1, \"b{n}\": 1}}"))
            .collect();
        let results: Vec<&str> = results.iter().map(String::as_str).collect();
        assert_eq!(seen(&results), table);
    }

    #[test]
    fn what_is_large_deep_or_no_json_is_left_alone() {
        assert_eq!(seen(&[]), Value::Null);
        assert_eq!(seen(&["no JSON"]), Value::Null);
        let seen = ObservedShape::default();
        assert!(!seen.wants(BYTES + 1));
        seen.learn(&format!("{}1{}", "[".repeat(100), "]".repeat(100)));
        let schema = seen.shape().unwrap().schema().to_string();
        assert_eq!(schema.matches("array").count(), DEPTH + 1, "{schema}");
        let wanted = (0..100).filter(|_| seen.wants(1)).count();
        assert_eq!(wanted, RESULTS as usize);
    }

    #[test]
    fn what_was_seen_is_kept_as_json() {
        let seen = ObservedShape::default();
        seen.learn(r#"{"a": [{"b": null}], "c": {"x y": 1}}"#);
        let shape = seen.shape().unwrap();
        let kept = serde_json::to_string(&shape).unwrap();
        let back: Shape = serde_json::from_str(&kept).unwrap();
        assert_eq!(back, shape);
        let again = ObservedShape::of(back);
        again.learn(r#"{"a": [], "d": 1}"#);
        let schema = again.shape().unwrap().schema();
        assert_eq!(schema["required"], json!(["a"]));
    }
}
