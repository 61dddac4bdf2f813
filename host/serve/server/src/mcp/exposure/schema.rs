//! A tool's schema, as clients take it: without references where that is possible. Several clients
//! refuse `$ref` and `$schema`.

use serde_json::{Map, Value};

/// How many values a schema may have once its references are replaced by what they mean. One of
/// which more would come keeps its references.
const MOST_VALUES: usize = 5_000;
/// How deeply references may be nested.
const DEEPEST: usize = 16;

/// Where definitions are, in the schemas of servers.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The schema without `$schema`, and with each reference replaced by its definition. One whose
/// definitions mean themselves keeps them, as it came.
pub(super) fn flat(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut plain = schema.clone();
    plain.remove("$schema");
    let mut room = MOST_VALUES;
    let mut inlined = plain.clone();
    for definitions in DEFINITIONS {
        inlined.remove(definitions);
    }
    match replaced(&Value::Object(inlined), schema, 0, &mut room) {
        Some(Value::Object(inlined)) => inlined,
        _ => plain,
    }
}

/// A value with its references replaced; nothing where that is not possible.
fn replaced(
    value: &Value,
    root: &Map<String, Value>,
    depth: usize,
    room: &mut usize,
) -> Option<Value> {
    *room = room.checked_sub(1)?;
    Some(match value {
        Value::Object(members) => {
            let Some(reference) = members.get("$ref") else {
                let members = members.iter().map(|(key, member)| {
                    let member = replaced(member, root, depth, room)?;
                    Some((key.clone(), member))
                });
                return members.collect::<Option<Map<_, _>>>().map(Value::Object);
            };
            if depth == DEEPEST {
                return None;
            }
            let meant = definition(reference.as_str()?, root)?;
            let mut meant = replaced(meant, root, depth + 1, room)?;
            let mut beside = members.iter().filter(|(key, _)| *key != "$ref");
            match &mut meant {
                // What stands beside a reference says more of this place, such as a description.
                Value::Object(meant) => {
                    for (key, member) in beside {
                        meant.insert(key.clone(), replaced(member, root, depth, room)?);
                    }
                }
                _ if beside.next().is_some() => return None,
                _ => {}
            }
            meant
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| replaced(item, root, depth, room));
            Value::Array(items.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

/// What a reference within the schema means.
fn definition<'a>(reference: &str, root: &'a Map<String, Value>) -> Option<&'a Value> {
    let (definitions, name) = reference.strip_prefix("#/")?.split_once('/')?;
    let is_plain = !name.contains(['/', '~', '%']) && DEFINITIONS.contains(&definitions);
    root.get(definitions)?.get(name).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flattened(schema: Value) -> Value {
        Value::Object(flat(schema.as_object().unwrap()))
    }

    #[test]
    fn references_are_replaced_by_what_they_mean() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "to": { "$ref": "#/$defs/Person", "description": "Who gets it" } },
            "$defs": {
                "Person": { "type": "object", "properties": { "name": { "$ref": "#/$defs/Name" } } },
                "Name": { "type": "string" },
            },
        });
        let flat = json!({
            "type": "object",
            "properties": {
                "to": {
                    "type": "object",
                    "properties": { "name": { "type": "string" } },
                    "description": "Who gets it",
                },
            },
        });
        assert_eq!(flattened(schema), flat);
    }

    #[test]
    fn a_schema_that_means_itself_keeps_its_references() {
        let schema = json!({
            "type": "object",
            "properties": { "tree": { "$ref": "#/$defs/Tree" } },
            "$defs": { "Tree": { "properties": { "left": { "$ref": "#/$defs/Tree" } } } },
        });
        assert_eq!(flattened(schema.clone()), schema);
        let elsewhere = json!({ "properties": { "a": { "$ref": "https://example.com/a.json" } } });
        assert_eq!(flattened(elsewhere.clone()), elsewhere);
    }

    #[test]
    fn what_would_grow_without_bound_stays_as_it_is() {
        let mut definitions = Map::new();
        for level in 0..15 {
            let twice = format!("#/$defs/d{}", level + 1);
            let of = json!({ "properties": { "a": { "$ref": twice }, "b": { "$ref": twice } } });
            definitions.insert(format!("d{level}"), of);
        }
        definitions.insert("d15".into(), json!({ "type": "string" }));
        let schema =
            json!({ "properties": { "x": { "$ref": "#/$defs/d0" } }, "$defs": definitions });
        assert_eq!(flattened(schema.clone()), schema);
    }
}
