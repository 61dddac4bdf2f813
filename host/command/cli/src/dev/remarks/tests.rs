use serde_json::{Value, json};

use super::*;

fn tool(definition: Value) -> Tool {
    serde_json::from_value(definition).expect("a tool")
}

fn warnings(definition: Value) -> Vec<String> {
    let tool = tool(definition);
    let remarks = of_tool(&tool, &Interface::of([&tool]));
    remarks.into_iter().map(|remark| remark.text).collect()
}

#[test]
fn a_tool_that_says_all_has_no_remarks() {
    let definition = json!({
        "name": "add",
        "description": "Adds a note.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "What it says." },
                "tags": { "type": "array", "items": { "type": "string" }, "description": "Labels." },
            },
        },
        "outputSchema": { "type": "object", "properties": { "id": { "type": "string" } } },
    });
    assert_eq!(warnings(definition), Vec::<String>::new());
    let none = json!({ "name": "now", "description": "x", "inputSchema": { "type": "object" } });
    assert_eq!(warnings(none), Vec::<String>::new());
}

#[test]
fn what_is_not_said_is_named_with_its_place() {
    let definition = json!({
        "name": "add",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": { "type": "string", "title": "Text" },
                "where": {
                    "type": "object",
                    "description": "x",
                    "properties": { "all": { "type": "array", "items": {} }, "data": { "type": "object" } },
                },
                "self": { "$ref": "#/nowhere", "description": "x" },
            },
        },
        "outputSchema": { "type": "object" },
    });
    let said = warnings(definition);
    let expected = [
        "the tool has no `description`",
        "points to nothing in this schema",
        "`text` has no `description`",
        "`where.all[]`, `where.data`, `self` may be anything",
        "the result may be anything",
    ];
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "{said}: no {expected}");
    }
    let any = json!({
        "name": "add",
        "description": "x",
        "inputSchema": { "type": "object", "additionalProperties": true },
    });
    let said = warnings(any);
    assert!(said[0].contains("takes any arguments"), "{said:?}");
}

#[test]
fn a_type_that_holds_itself_is_looked_at_once() {
    let definition = json!({
        "name": "add",
        "description": "x",
        "inputSchema": {
            "type": "object",
            "properties": { "tree": { "$ref": "#/$defs/tree", "description": "x" } },
            "$defs": { "tree": {
                "type": "object",
                "properties": {
                    "value": { "description": "x" },
                    "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } },
                },
            } },
        },
    });
    let said = warnings(definition);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("`tree.value` may be anything"), "{said:?}");
}

#[test]
fn names_that_clash_or_change_are_told() {
    let names = ["get-x", "get_x", "find", "größe", "delete"];
    let tools: Vec<_> = names
        .iter()
        .map(|name| tool(json!({ "name": name, "inputSchema": { "type": "object" } })))
        .collect();
    let remarks = of_names(&tools.iter().collect::<Vec<_>>());
    let said: Vec<_> = remarks.iter().map(|remarks| remarks.len()).collect();
    assert_eq!(said, [1, 1, 0, 1, 0], "{remarks:?}");
    assert!(remarks[0][0].text.contains("another tool has this name"));
    assert!(remarks[3][0].text.contains("can't be written in"));
}

#[test]
fn what_many_tools_lack_is_said_once() {
    let tools: Vec<_> = (0..9)
        .map(|number| {
            tool(json!({ "name": format!("t{number}"), "inputSchema": { "type": "object" } }))
        })
        .collect();
    let remarks = of_all(&tools.iter().collect::<Vec<_>>());
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    for remark in &remarks {
        assert_eq!(remark.level, Level::Note);
        assert!(remark.text.contains("`t5` and 3 more"), "{remark:?}");
    }
    assert_eq!(of_all(&[])[0].level, Level::Warning);
}
