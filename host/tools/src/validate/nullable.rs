//! `nullable: true`, as OpenAPI has it, in words of JSON Schema: the validator does not know the keyword, and the types that scripts see heed it.
//!
//! A schema takes null where it says so itself, or one that it is made of does: by `$ref`, `allOf`, `anyOf` or `oneOf`.

use std::collections::HashMap;

use ampoule_projection::says_nullable;
use serde_json::{Map, Value, json};

/// Keywords whose values are not schemas, whatever they look like.
const DATA: [&str; 6] = [
    "const", "default", "enum", "example", "examples", "required",
];

/// Keywords whose members are schemas by names of their own.
const BY_NAME: [&str; 6] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
];

/// Keywords of which a schema is made: where one of those schemas takes null, so does the whole.
const MADE_OF: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Keywords that may refuse null, beside `type`, `enum` and `const`.
const OTHERS: [&str; 8] = [
    "$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
];

/// How far one schema is looked for in another.
const MAX_DEPTH: usize = 64;

/// The schema, with null wherever `nullable` says so.
pub(super) fn admitted(schema: &Map<String, Value>) -> Value {
    let root = Value::Object(schema.clone());
    if !mentions(&root) {
        return root;
    }
    let mut nullable = Nullable {
        root: &root,
        known: HashMap::new(),
    };
    nullable.rewritten(&root, 0)
}

/// Whether the keyword is there at all; few schemas have it.
fn mentions(root: &Value) -> bool {
    let mut left = vec![root];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(members) if says_nullable(members) => return true,
            Value::Object(members) => left.extend(members.values()),
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    false
}

struct Nullable<'a> {
    root: &'a Value,
    /// By the schema's address; one that is being looked at is not nullable for its own sake.
    known: HashMap<*const Map<String, Value>, bool>,
}

impl<'a> Nullable<'a> {
    fn rewritten(&mut self, schema: &'a Value, depth: usize) -> Value {
        match schema {
            // What is nested so deeply is not checked at all.
            _ if depth > 2 * MAX_DEPTH => schema.clone(),
            Value::Array(schemas) => schemas
                .iter()
                .map(|schema| self.rewritten(schema, depth + 1))
                .collect(),
            Value::Object(keywords) => {
                let mut made = Map::new();
                for (keyword, value) in keywords {
                    let value = match value {
                        _ if DATA.contains(&keyword.as_str()) => value.clone(),
                        Value::Object(members) if BY_NAME.contains(&keyword.as_str()) => members
                            .iter()
                            .map(|(name, schema)| (name.clone(), self.rewritten(schema, depth + 1)))
                            .collect(),
                        value => self.rewritten(value, depth + 1),
                    };
                    made.insert(keyword.clone(), value);
                }
                if self.takes_null(keywords, 0) {
                    admit_null(&mut made);
                }
                Value::Object(made)
            }
            other => other.clone(),
        }
    }

    fn takes_null(&mut self, schema: &'a Map<String, Value>, depth: usize) -> bool {
        if says_nullable(schema) {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        let key = std::ptr::from_ref(schema);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        self.known.insert(key, false);
        let parts = MADE_OF
            .iter()
            .filter_map(|keyword| schema.get(*keyword)?.as_array())
            .flatten();
        let root = self.root;
        let target = schema
            .get("$ref")
            .and_then(|reference| root.pointer(reference.as_str()?.strip_prefix('#')?));
        let takes = parts
            .chain(target)
            .filter_map(Value::as_object)
            .any(|part| self.takes_null(part, depth + 1));
        self.known.insert(key, takes);
        takes
    }
}

/// Lets a schema take null. Places in it stay where they are, for references to them, but for those within choices.
fn admit_null(schema: &mut Map<String, Value>) {
    match schema.get_mut("type") {
        Some(Value::Array(types)) => {
            types.extend((!types.contains(&json!("null"))).then(|| json!("null")))
        }
        Some(one @ Value::String(_)) if *one != "null" => *one = json!([one.take(), "null"]),
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.extend((!values.contains(&Value::Null)).then_some(Value::Null));
    }
    if let Some(value) = schema.get_mut("const") {
        let value = value.take();
        schema.remove("const");
        schema.insert("enum".to_owned(), json!([value, null]));
    }
    let others: Map<String, Value> = OTHERS
        .iter()
        .filter_map(|keyword| schema.shift_remove_entry(*keyword))
        .collect();
    if !others.is_empty() {
        schema.insert("anyOf".to_owned(), json!([{ "type": "null" }, others]));
    }
}
