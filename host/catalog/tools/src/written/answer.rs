//! What a script reads of an answer, against the tool's schema for answers.

use ampoule_projection::names::near;
use ampoule_projection::{Idiom, Tool, result_schema, says_nullable};
use serde_json::{Map, Value};

use crate::validate::references::decoded;

/// What an answer has around its value in the protocol, and not in scripts.
const PROTOCOL: [&str; 3] = ["content", "structuredContent", "isError"];

/// How many properties are listed before they are only counted.
const LISTED: usize = 20;

/// How many names that were likely meant are told.
const NEAR: usize = 3;

/// How many references from one schema to the next are followed.
const MAX_REFERENCES: usize = 16;

/// Keywords beside which a schema's own properties say nothing for certain.
const UNSURE: [&str; 3] = ["$dynamicRef", "$recursiveRef", "patternProperties"];

/// A property that answers do not have.
pub(super) struct Missing<'p> {
    /// Its place.
    pub(super) place: &'p str,
    /// What is said of the value that lacks it, behind its name.
    pub(super) said: String,
}

/// The first property on a way that answers do not have; none where they may have all. The place is
/// a JSON Pointer, where `-` stands for any item of a list.
pub(super) fn missing<'p>(tool: &Tool, place: &'p str, idiom: Idiom) -> Option<Missing<'p>> {
    let root = &tool.output_schema.as_ref()?.parse();
    let mut at = result_schema(root);
    let mut length = 0;
    for token in place.strip_prefix('/')?.split('/') {
        length += 1 + token.len();
        let name = token.replace("~1", "/").replace("~0", "~");
        let object = settled(root, at)?;
        if is_of_type(object, "array") {
            let is_index = name == "-" || name.bytes().all(|byte| byte.is_ascii_digit());
            if !is_index || object.contains_key("prefixItems") {
                return None;
            }
            at = object.get("items")?;
            continue;
        }
        if !is_of_type(object, "object") {
            return None;
        }
        let properties = object.get("properties").and_then(Value::as_object)?;
        if let Some(property) = properties.get(&name) {
            at = property;
            continue;
        }
        let is_index = name.bytes().all(|byte| byte.is_ascii_digit());
        let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
        // Python's scripts may write a name as their language has it.
        let is_alike = idiom == Idiom::Python
            && properties
                .keys()
                .any(|other| folded(other) == folded(&name));
        if !is_closed || is_index || name == "-" || is_alike {
            return None;
        }
        return Some(Missing {
            place: &place[..length],
            said: sentence(&name, properties),
        });
    }
    None
}

/// The schema that decides which properties a value has; none where none does alone.
fn settled<'a>(root: &'a Value, mut schema: &'a Value) -> Option<&'a Map<String, Value>> {
    for _ in 0..MAX_REFERENCES {
        let object = schema.as_object()?;
        if says_nullable(object) || UNSURE.iter().any(|keyword| object.contains_key(*keyword)) {
            return None;
        }
        match object.get("$ref").and_then(Value::as_str) {
            Some(reference) if reference.starts_with('#') => {
                schema = root.pointer(&decoded(reference))?;
            }
            Some(_) => return None,
            None => return Some(object),
        }
    }
    None
}

fn is_of_type(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("type").is_some_and(|of| of == name)
}

fn sentence(name: &str, properties: &Map<String, Value>) -> String {
    let mut keys: Vec<&str> = properties.keys().map(String::as_str).collect();
    let meant: Vec<String> = near(name, keys.iter().copied(), NEAR)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let more = keys.len().saturating_sub(LISTED);
    keys.truncate(LISTED);
    let keys = match (keys.is_empty(), more) {
        (true, _) => "It has no keys".to_owned(),
        (false, 0) => format!("Its keys: {}", keys.join(", ")),
        (false, more) => format!("Its keys: {} and {more} more", keys.join(", ")),
    };
    match (PROTOCOL.contains(&name), meant.is_empty()) {
        (true, _) => format!(
            "has no `{name}`, for an answer is the value itself, without what the protocol has around it. {keys}"
        ),
        (false, false) => format!(
            "has no `{name}`; did you mean {}? {keys}",
            meant.join(" or ")
        ),
        (false, true) => format!("has no `{name}`. {keys}"),
    }
}

/// A name without case and punctuation.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
