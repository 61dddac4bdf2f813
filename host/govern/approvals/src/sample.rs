//! What a call comes to that is recorded instead of sent: an example of what its tool's schema says.

use serde_json::{Map, Value};

/// How deep schemas are followed.
const DEEPEST: usize = 8;
/// How many members of objects are made up in all.
const MOST: usize = 200;

/// An example of what fits a tool's output schema, if the schema gives one: its `examples`,
/// `default`, `const` or the first of its `enum`; or an object of such for each member that it
/// requires. Nothing is made up beyond that: a script would take it for true.
pub fn of(schema: &Value) -> Option<Value> {
    sample(schema, DEEPEST, &mut MOST.clone())
}

fn sample(schema: &Value, depth: usize, left: &mut usize) -> Option<Value> {
    let schema = schema.as_object()?;
    let first = |key: &str| schema.get(key)?.as_array()?.first();
    let given = first("examples")
        .or_else(|| schema.get("example"))
        .or_else(|| schema.get("default"))
        .or_else(|| schema.get("const"))
        .or_else(|| first("enum"));
    if let Some(given) = given {
        return Some(given.clone());
    }
    if schema.get("type")? != "object" || depth == 0 {
        return None;
    }
    let none = Map::new();
    let members = schema
        .get("properties")
        .map_or(Some(&none), Value::as_object)?;
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|one| one == name))
    };
    let mut made = Map::new();
    for (name, member) in members {
        *left = left.checked_sub(1)?;
        match sample(member, depth - 1, left) {
            Some(value) => drop(made.insert(name.clone(), value)),
            None if is_required(name) => return None,
            None => {}
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    let all = required.is_none_or(|required| {
        let mut names = required.iter().filter_map(Value::as_str);
        names.all(|name| made.contains_key(name))
    });
    all.then_some(Value::Object(made))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn examples_are_the_schemas_own() {
        let schema = json!({ "type": "object", "required": ["id", "state"], "properties": {
            "id": { "type": "string", "examples": ["m-1", "m-2"] },
            "state": { "enum": ["sent", "queued"] },
            "note": { "type": "string" },
            "by": { "type": "object", "required": ["name"], "properties": { "name": { "default": "x" } } },
        } });
        assert_eq!(
            of(&schema),
            Some(json!({ "id": "m-1", "state": "sent", "by": { "name": "x" } }))
        );
        assert_eq!(
            of(&json!({ "examples": [7], "type": "object" })),
            Some(json!(7))
        );
    }

    #[test]
    fn nothing_is_made_up() {
        let without = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } });
        assert_eq!(of(&without), None);
        assert_eq!(of(&json!({ "type": "string" })), None);
        assert_eq!(of(&json!(true)), None);
        let undeclared = json!({ "type": "object", "required": ["id"] });
        assert_eq!(of(&undeclared), None);
        let mut deep = json!({ "const": 1 });
        for _ in 0..20 {
            deep = json!({ "type": "object", "required": ["a"], "properties": { "a": deep } });
        }
        assert_eq!(of(&deep), None);
    }
}
