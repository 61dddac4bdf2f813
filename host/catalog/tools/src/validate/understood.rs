//! A schema without what can't be understood, so that one odd part switches off no other check.
//!
//! What is not understood accepts anything where it stands, as the types say that scripts see: a
//! reference that leads nowhere or round in a circle, a type that is none, a keyword whose value is
//! not one of its. References are written as pointers, each escaped as a URI is, whatever they
//! were.

use std::collections::HashSet;

use jsonschema::ValidationError;
use serde_json::{Map, Value};

use super::loosened::loosened;
use super::references::{REFERENCES, References};
use super::subschemas::{self, DEPENDENT, SAME_VALUE};

/// The types that there are.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Keywords that name a schema: every reference is a pointer here, and there is one document.
const NAMES: [&str; 4] = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

/// What the addresses of the rules begin with that are known.
const RULES: [&str; 2] = ["http://json-schema.org/", "https://json-schema.org/"];

/// Marks a schema of which something was left out, while it is made.
const GAP: &str = "x-ampoule-left-out";

/// How deep references are followed. Who goes deeper is not checked at all.
const MAX_DEPTH: usize = 128;

/// How many keywords may have values that are not theirs, in one schema.
const MAX_ODD: usize = 16;

/// The schema with what can be understood of it.
pub(super) fn of(root: &Value) -> Value {
    let references = References::within(root);
    let mut made = subschemas::changed(root, &mut |keywords, made| {
        if keywords.get("type").is_some_and(|ty| !is_type(ty)) {
            made.shift_remove("type");
            made.insert(GAP.to_owned(), Value::Null);
        }
        for keyword in REFERENCES {
            let Some(reference) = keywords.get(keyword) else {
                continue;
            };
            let place = reference.as_str().and_then(|it| references.place(it));
            match place {
                Some(place) => made.insert(keyword.to_owned(), written(&place).into()),
                None => {
                    made.shift_remove(keyword);
                    made.insert(GAP.to_owned(), Value::Null)
                }
            };
        }
        let rules = keywords.get("$schema").and_then(Value::as_str);
        if rules.is_some_and(|rules| !RULES.iter().any(|known| rules.starts_with(known))) {
            made.shift_remove("$schema");
        }
        for name in NAMES {
            if keywords.get(name).is_some_and(is_name) {
                made.shift_remove(name);
            }
        }
    });
    let mut circles = Circles {
        root: &made,
        open: HashSet::new(),
        seen: HashSet::new(),
        cut: Vec::new(),
    };
    circles.look(&made, &mut String::new(), 0);
    let cut = circles.cut;
    let mut gaps = Vec::new();
    take_gaps(&mut made, &mut String::new(), &mut gaps);
    for (place, keyword) in cut {
        if let Some(Value::Object(schema)) = made.pointer_mut(&place) {
            schema.shift_remove(keyword);
        }
        gaps.push(place);
    }
    loosened(&mut made, &gaps);
    made
}

/// Takes the marks of what was left out, and notes their places.
fn take_gaps(value: &mut Value, place: &mut String, gaps: &mut Vec<String>) {
    let length = place.len();
    match value {
        Value::Object(members) => {
            if members.shift_remove(GAP).is_some() {
                gaps.push(place.clone());
            }
            for (name, member) in members {
                place.push('/');
                place.push_str(&escaped(name));
                take_gaps(member, place, gaps);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                place.push_str(&format!("/{index}"));
                take_gaps(item, place, gaps);
                place.truncate(length);
            }
        }
        _ => {}
    }
}

/// Builds something of a schema: without the keywords that it can't be built with.
///
/// # Errors
///
/// It can't be built without them either; the sentence says why.
pub(super) fn built<T>(
    schema: &mut Value,
    build: impl Fn(&Value) -> Result<T, ValidationError<'static>>,
) -> Result<T, String> {
    for _ in 0..MAX_ODD {
        let error = match build(schema) {
            Ok(built) => return Ok(built),
            Err(error) => error,
        };
        let place = error.instance_path().as_str().to_owned();
        let told = error.masked().to_string();
        let Some(gap) = without(schema, &place) else {
            return Err(told);
        };
        loosened(schema, &[gap]);
        tracing::debug!(
            place,
            why = told,
            "Ampoule does not understand a part of a schema; the part accepts any value"
        );
    }
    Err(format!(
        "more than {MAX_ODD} of its parts are not understood"
    ))
}

/// Removes the keyword that is at a place, or that it is an item of. Gives the schema's place; none
/// where there is nothing to be removed.
fn without(schema: &mut Value, place: &str) -> Option<String> {
    let mut place = place;
    while let Some((above, last)) = place.rsplit_once('/') {
        if let Some(Value::Object(members)) = schema.pointer_mut(above) {
            let keyword = unescaped(last);
            members.shift_remove(&keyword)?;
            // What is additional is what these do not name.
            let beside: &[&str] = match keyword.as_str() {
                "properties" | "patternProperties" => &["additionalProperties"],
                "prefixItems" | "items" => &["items", "additionalItems"],
                _ => &[],
            };
            for keyword in beside {
                members.shift_remove(*keyword);
            }
            return Some(above.to_owned());
        }
        // An item has no meaning without the others.
        place = above;
    }
    None
}

fn is_type(ty: &Value) -> bool {
    let is_one = |ty: &Value| ty.as_str().is_some_and(|ty| TYPES.contains(&ty));
    match ty {
        Value::Array(types) => !types.is_empty() && types.iter().all(is_one),
        one => is_one(one),
    }
}

/// A property may be called like a keyword, and is a schema then.
fn is_name(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_))
}

/// A pointer as the fragment of a URI.
fn written(place: &str) -> String {
    let mut reference = "#".to_owned();
    for byte in place.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'~' | b'-' | b'_' | b'.' | b'$' => {
                reference.push(char::from(byte));
            }
            _ => reference.push_str(&format!("%{byte:02X}")),
        }
    }
    reference
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

/// References that lead back to where they stand, without going deeper into the value.
struct Circles<'a> {
    root: &'a Value,
    /// The schemas on the way, and those that were followed to their end, by their places.
    open: HashSet<String>,
    seen: HashSet<String>,
    /// The references to be cut.
    cut: Vec<(String, &'static str)>,
}

impl<'a> Circles<'a> {
    /// Follows each schema in a value.
    fn look(&mut self, value: &'a Value, place: &mut String, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let length = place.len();
        match value {
            Value::Object(members) => {
                self.follow(members, place, depth);
                for (name, member) in members {
                    place.push('/');
                    place.push_str(&escaped(name));
                    self.look(member, place, depth + 1);
                    place.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push_str(&format!("/{index}"));
                    self.look(item, place, depth + 1);
                    place.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// Follows what applies to the same value as a schema.
    fn follow(&mut self, schema: &'a Map<String, Value>, place: &str, depth: usize) {
        if depth > MAX_DEPTH || self.seen.contains(place) {
            return;
        }
        self.open.insert(place.to_owned());
        for (keyword, value) in schema {
            let at = |name: &str| format!("{place}/{}/{}", escaped(keyword), escaped(name));
            match (keyword.as_str(), value) {
                (name, Value::String(reference)) => {
                    let Some(known) = REFERENCES.into_iter().find(|known| *known == name) else {
                        continue;
                    };
                    let target = super::references::decoded(reference);
                    match self.root.pointer(&target) {
                        _ if self.open.contains(&target) => {
                            self.cut.push((place.to_owned(), known));
                        }
                        Some(Value::Object(schema)) => self.follow(schema, &target, depth + 1),
                        _ => {}
                    }
                }
                (name, Value::Object(members)) if DEPENDENT.contains(&name) => {
                    for (name, member) in members {
                        self.part(member, &at(name), depth);
                    }
                }
                (name, Value::Array(parts)) if SAME_VALUE.contains(&name) => {
                    for (index, part) in parts.iter().enumerate() {
                        self.part(part, &at(&index.to_string()), depth);
                    }
                }
                (name, part) if SAME_VALUE.contains(&name) => {
                    self.part(part, &format!("{place}/{name}"), depth);
                }
                _ => {}
            }
        }
        self.open.remove(place);
        self.seen.insert(place.to_owned());
    }

    fn part(&mut self, part: &'a Value, place: &str, depth: usize) {
        if let Value::Object(schema) = part {
            self.follow(schema, place, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_understood_is_left_out_and_nothing_else() {
        let schema = json!({
            "$schema": "https://example.com/none",
            "properties": {
                "type": { "type": "integer" },
                "odd": { "type": "any", "minimum": 1 },
                "some": { "type": ["string", "None"] },
                "gone": { "$ref": "#/$defs/Gone", "title": "t" },
                "other": { "$ref": "https://example.com/other.json" },
                "page": { "$ref": "#/$defs/Page<Item>" },
                "slash": { "$ref": "#/$defs/a~1b%25" },
                "anchor": { "$ref": "#here" },
                "round": { "$ref": "#/$defs/A" },
                "own": { "$ref": "#/properties/own" },
            },
            "$defs": {
                "Page<Item>": { "type": "object" },
                "a/b%": { "$anchor": "here", "type": "object" },
                "A": { "allOf": [{ "$ref": "#/$defs/B" }] },
                "B": { "allOf": [{ "$ref": "#/$defs/A" }, { "type": "string" }] },
                "Tree": { "properties": { "children": { "items": { "$ref": "#/$defs/Tree" } } } },
            },
        });
        let expected = json!({
            "properties": {
                "type": { "type": "integer" },
                "odd": { "minimum": 1 },
                "some": {},
                "gone": { "title": "t" },
                "other": {},
                "page": { "$ref": "#/$defs/Page%3CItem%3E" },
                "slash": { "$ref": "#/$defs/a~1b%25" },
                "anchor": { "$ref": "#/$defs/a~1b%25" },
                "round": { "$ref": "#/$defs/A" },
                "own": {},
            },
            "$defs": {
                "Page<Item>": { "type": "object" },
                "a/b%": { "type": "object" },
                "A": { "allOf": [{ "$ref": "#/$defs/B" }] },
                "B": { "allOf": [{}, { "type": "string" }] },
                "Tree": { "properties": { "children": { "items": { "$ref": "#/$defs/Tree" } } } },
            },
        });
        assert_eq!(of(&schema), expected);
        // Nothing more is left out the second time.
        assert_eq!(of(&expected), expected);
    }
}
