//! `nullable: true`, as OpenAPI has it, in words of JSON Schema: the validator does not know the
//! keyword, and the types that scripts see follow it.
//!
//! A schema takes null where it says so itself, or one that it is made of does: by `$ref`, `allOf`,
//! `anyOf` or `oneOf`.

use std::collections::HashMap;

use ampoule_projection::says_nullable;
use serde_json::{Map, Value, json};

use super::references::References;
use super::subschemas;

/// Keywords of which a schema is made: where one of those schemas takes null, so does the whole.
const MADE_OF: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Keywords that may refuse null, beside `type`, `enum` and `const`.
const OTHERS: [&str; 8] = [
    "$ref", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
];

/// How far one schema is looked for in another.
const MAX_DEPTH: usize = 64;

/// The schema, with null wherever `nullable` says so.
pub(super) fn admitted(root: Value) -> Value {
    if !mentions(&root) {
        return root;
    }
    let mut nullable = Nullable {
        references: References::within(&root),
        known: HashMap::new(),
    };
    subschemas::changed(&root, &mut |keywords, made| {
        if nullable.takes_null(keywords, 0) {
            admit_null(made);
        }
    })
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
    references: References<'a>,
    /// By the schema's address; one that is being looked at is not nullable for its own sake.
    known: HashMap<*const Map<String, Value>, bool>,
}

impl<'a> Nullable<'a> {
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
        let reference = schema.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| self.references.resolve(reference).ok());
        let takes = parts
            .chain(target)
            .filter_map(Value::as_object)
            .any(|part| self.takes_null(part, depth + 1));
        self.known.insert(key, takes);
        takes
    }
}

/// Lets a schema take null. Places in it stay where they are, for references to them, but for those
/// within choices.
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
