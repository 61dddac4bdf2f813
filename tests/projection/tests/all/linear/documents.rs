//! Documents that become values, and documents again.

use ampoule_projection::Interface;
use ampoule_projection::names::{Names, Style};
use ampoule_projection::wit::{self, Package};
use ampoule_projection_tests::{ALLOWED, tool};
use ampoule_values::{Answer, PackageValues as _};
use serde_json::{Map, Value, json};

use super::assert_linear;
use super::schemas::object;

/// The package of a tool with this result, and a document of it.
fn answered(schema: Value, document: Value) -> (Package, String) {
    let tools = [tool("tool", json!({ "type": "object" }), Some(schema))];
    let names = Names::new(["tool"], Style::Kebab);
    (
        wit::package("server", &Interface::of(&tools), &names),
        document.to_string(),
    )
}

/// Panics if the time to map documents and back grows out of proportion.
fn assert_mapped_in_time(name: &str, size: usize, make: impl Fn(usize) -> (Value, Value)) {
    assert_linear(
        name,
        size,
        |size| {
            let (schema, document) = make(size);
            answered(schema, document)
        },
        |(package, document)| {
            let function = package.function("tool").unwrap();
            let value = package
                .result(function, Answer::Structured(document), ALLOWED)
                .unwrap();
            package.json_of_result(function, &value).unwrap();
        },
    );
}

#[test]
fn documents() {
    let choice = json!({ "anyOf": [{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }, { "type": "object", "properties": { "b": { "enum": ["x", "y"] } } }, { "type": "integer" }] });
    assert_mapped_in_time("rows", 500, |n| {
        let row =
            json!({ "id": 1, "name": "a name", "tags": ["x", "y"], "price": 1.5, "at": null });
        let schema = json!({ "type": "array", "items": { "type": "object", "properties": { "id": { "type": "integer" }, "name": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } }, "price": { "type": "number" }, "at": { "type": ["string", "null"] } } } });
        (schema, Value::Array(vec![row; n]))
    });
    assert_mapped_in_time("choices in rows", 500, |n| {
        let rows = (0..n).map(|index| {
            if index % 2 == 0 {
                json!({ "b": "y" })
            } else {
                json!({ "a": "text" })
            }
        });
        (json!({ "type": "array", "items": choice }), rows.collect())
    });
    assert_mapped_in_time("properties in another order", 100, |n| {
        let properties: Map<String, Value> = (0..n)
            .rev()
            .map(|index| (format!("p{index}"), json!(index)))
            .collect();
        (
            object(n, |index| {
                (format!("p{index}"), json!({ "type": "integer" }))
            }),
            Value::Object(properties),
        )
    });
    assert_mapped_in_time("a map", 500, |n| {
        let properties: Map<String, Value> = (0..n)
            .map(|index| (format!("p{index}"), json!("text")))
            .collect();
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            Value::Object(properties),
        )
    });
    assert_mapped_in_time("free-form parts", 500, |n| {
        (
            json!({ "type": "array" }),
            Value::Array(vec![json!({ "a": [1, { "b": null }] }); n]),
        )
    });
    assert_mapped_in_time("a long text", 20_000, |n| {
        (json!({ "type": "string" }), json!("\"word\n".repeat(n)))
    });
}
