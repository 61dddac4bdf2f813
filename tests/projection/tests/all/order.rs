//! The order in which a server lists its tools makes no difference.

use ampoule_projection_tests::{assert_sound, tool};
use arbitrary::Unstructured;
use serde_json::{Value, json};

#[test]
fn long_names_that_begin_alike_keep_their_own_types() {
    let tools = ["x", "y"].map(|end| {
        let schema = json!({ "type": "object", "properties": { end: { "type": "string" } } });
        tool(&("a".repeat(1_000) + end), schema, None)
    });
    assert_sound(&tools, &mut Unstructured::new(&[]));
}

#[test]
fn definitions_are_called_by_the_same_tool_in_any_order() {
    let using = |item: Value| json!({ "type": "object", "properties": { "one": { "$ref": "#/$defs/Item" }, "other": { "$ref": "#/$defs/Item" } }, "$defs": { "Item": item } });
    let item = |first: &str| json!({ "type": "object", "properties": { first: { "type": "string" }, "b": { "type": "string" }, "c": { "type": "string" }, "d": { "type": "string" }, "next": { "$ref": "#/$defs/Item" } } });
    // Two tools share a definition, and a third calls another one the same.
    let tools = [
        tool("second", using(item("a")), None),
        tool("first", using(item("a")), None),
        tool("third", using(item("z")), None),
    ];
    assert_sound(&tools, &mut Unstructured::new(&[]));
}
