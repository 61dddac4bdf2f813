use ampoule_projection::names::{Names, Style};
use ampoule_projection::typescript::{self, Namespace};
use ampoule_projection::{Detail, Interface};
use serde_json::{Value, json};

use super::*;

fn check_for(schema: Value) -> ArgumentCheck {
    let tool: Tool =
        serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
    ArgumentCheck::new(&tool)
}

fn checked(schema: Value, arguments: &Value) -> Result<(), ArgumentsError> {
    check_for(schema)
        .check(arguments, Idiom::default(), &Effort::default())
        .expect("there is effort enough")
}

fn problem(schema: &Value, arguments: Value) -> String {
    checked(schema.clone(), &arguments)
        .expect_err(&format!("{arguments} was accepted"))
        .to_string()
}

#[test]
fn problems_name_the_field_what_it_is_and_what_it_may_be() {
    let schema = json!({
        "type": "object",
        "required": ["query"],
        "additionalProperties": false,
        "properties": {
            "query": { "type": "string", "minLength": 2 },
            "limit": { "type": ["integer", "null"], "minimum": 1, "maximum": 100 },
            "orders": { "type": "array", "maxItems": 5, "items": {
                "type": "object",
                "required": ["id"],
                "properties": { "id": { "type": "integer" }, "status": { "enum": ["open", "closed", null] } },
                "additionalProperties": false,
            } },
            "when": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
            "shape": { "oneOf": [
                { "type": "object", "required": ["kind", "radius"], "properties": { "kind": { "const": "circle" }, "radius": { "type": "number" } } },
                { "type": "object", "required": ["kind", "side"], "properties": { "kind": { "const": "square" }, "side": { "type": "number" } } },
            ] },
            "code": { "type": "string", "pattern": "^[A-Z]{2}$" },
            "odd key": { "const": 1 },
        },
    });
    let cases = [
        (json!({}), "`query` is missing"),
        (
            json!({ "query": 7 }),
            "`query` must be a string, not 7: write \"7\"",
        ),
        (
            json!({ "query": "" }),
            "`query` must be at least 2 characters long, not \"\"",
        ),
        (
            json!({ "query": "ab", "limit": "ten" }),
            "`limit` must be an integer, not \"ten\"",
        ),
        (
            json!({ "query": "ab", "limit": 0 }),
            "`limit` must be at least 1, not 0",
        ),
        (
            json!({ "query": "ab", "limit": [1, 2] }),
            "`limit` must be an integer, not an array of 2 items",
        ),
        (
            json!({ "query": "ab", "limt": 3 }),
            "`limt` is not a known property; did you mean `limit`?",
        ),
        (
            json!({ "query": "ab", "q": 3 }),
            "`q` is not a known property; known are `query`, `limit`, `orders`, `when`, `shape`, `code`, `odd key`",
        ),
        (
            json!({ "query": "ab", "orders": [{ "id": 1 }, { "id": 1, "status": "opened" }] }),
            "`orders[1].status` must be one of \"open\" or \"closed\", not \"opened\" (did you mean \"open\"?)",
        ),
        (
            json!({ "query": "ab", "orders": [{}] }),
            "`orders[0].id` is missing",
        ),
        (
            json!({ "query": "ab", "orders": [{ "id": 1, "state": 2 }] }),
            "`orders[0].state` is not a known property; did you mean `status`?",
        ),
        (
            json!({ "query": "ab", "orders": [1, 2, 3, 4, 5, 6] }),
            "`orders` must have at most 5 items; `orders[0]` must be an object, not 1; `orders[1]` must be an object, not 2; `orders[2]` must be an object, not 3; `orders[3]` must be an object, not 4; and there are more problems",
        ),
        (
            json!({ "query": "ab", "when": true }),
            "`when` must be a string or an integer, not true",
        ),
        (
            json!({ "query": "ab", "shape": { "kind": "square", "side": "long" } }),
            "`shape.side` must be a number, not \"long\"",
        ),
        (
            json!({ "query": "ab", "code": "xy" }),
            "`code` must be text that matches /^[A-Z]{2}$/, not \"xy\"",
        ),
        (
            json!({ "query": "ab", "odd key": 2 }),
            "`[\"odd key\"]` must be 1, not 2",
        ),
        (
            json!([]),
            "the argument must be an object, not an array of 0 items",
        ),
        (
            json!({ "limit": 0, "limt": 1 }),
            "`limit` must be at least 1, not 0; `limt` is not a known property; known are `query`, `limit`, `orders`, `when`, `shape`, `code`, `odd key`; `query` is missing",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(problem(&schema, arguments), expected);
    }
    checked(
        schema,
        &json!({ "query": "ab", "limit": null, "when": 3, "orders": [] }),
    )
    .unwrap();
}

#[test]
fn what_is_shown_is_bounded() {
    let options: Vec<String> = (0..1000).map(|number| format!("option-{number}")).collect();
    let long = "é".repeat(100_000);
    let message = problem(
        &json!({ "properties": { "a": { "enum": options } } }),
        json!({ "a": long }),
    );
    assert!(
        message.len() < 600 && message.contains(" or 980 more"),
        "{message}"
    );
    let rows: Vec<Value> = (0..200_000).map(|_| json!("x")).collect();
    let message = problem(
        &json!({ "properties": { "a": { "items": { "type": "integer" } } } }),
        json!({ "a": rows }),
    );
    assert_eq!(
        message,
        "`a[0]` must be an integer, not \"x\"; and there are more problems"
    );
}

#[test]
fn the_draft_is_the_one_that_the_schema_names() {
    let schema = |draft: &str| json!({ "$schema": draft, "properties": { "a": { "type": "integer", "minimum": 3, "exclusiveMinimum": true } } });
    assert!(
        checked(
            schema("http://json-schema.org/draft-04/schema#"),
            &json!({ "a": 3 })
        )
        .is_err()
    );
    let tuple = |draft: &str| json!({ "$schema": draft, "properties": { "a": { "items": [{ "type": "integer" }] } } });
    assert!(
        checked(
            tuple("http://json-schema.org/draft-07/schema#"),
            &json!({ "a": ["x"] })
        )
        .is_err()
    );
    let prefix = json!({ "properties": { "a": { "prefixItems": [{ "type": "integer" }] } } });
    assert!(checked(prefix, &json!({ "a": ["x"] })).is_err());
}

#[test]
fn references_within_the_schema_are_followed() {
    let tree = json!({
        "type": "object",
        "properties": { "root": { "$ref": "#/$defs/no%20de" } },
        "$defs": { "no de": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "children": { "items": { "$ref": "#/$defs/no%20de" } } } } },
    });
    let arguments = json!({ "root": { "name": "a", "children": [{ "name": "b", "children": [{ "name": 3 }] }] } });
    assert_eq!(
        problem(&tree, arguments),
        "`root.children[0].children[0].name` must be a string, not 3: write \"3\""
    );
}

#[test]
fn a_schema_that_can_not_be_used_lets_everything_pass() {
    let mut doubling = json!({ "$ref": "#/$defs/a0", "$defs": { "a40": { "type": "string" } } });
    for link in 0..40 {
        let next = format!("#/$defs/a{}", link + 1);
        doubling["$defs"][format!("a{link}")] =
            json!({ "allOf": [{ "$ref": next }, { "$ref": next }] });
    }
    let mut deep = json!({ "type": "string" });
    for _ in 0..110 {
        deep = json!({ "items": deep });
    }
    let (mut looked_again, mut branching) = (json!({}), json!({}));
    for _ in 0..40 {
        looked_again = json!({ "allOf": [looked_again], "unevaluatedProperties": false });
        branching = json!({ "if": branching, "then": {}, "unevaluatedItems": false });
    }
    let anchored = json!({ "$anchor": "a", "type": "string" });
    let schemas = [
        looked_again,
        branching,
        json!({ "$ref": "#b", "$defs": { "a": anchored } }),
        json!({ "$ref": "#a", "$defs": { "a": anchored, "b": anchored } }),
        json!({ "$anchor": "a", "anyOf": [{ "$ref": "#a" }] }),
        json!({ "$dynamicAnchor": "a", "not": { "$dynamicRef": "#a" } }),
        json!({ "type": "nonsense" }),
        json!({ "properties": { "a": { "pattern": "(" } } }),
        json!({ "properties": { "a": { "pattern": "(x+x+)+(?=y)" } } }),
        json!({ "properties": { "a": { "pattern": "(((x{1,1000}){1,1000}){1,1000})" } } }),
        json!({ "$ref": "https://example.com/schema.json" }),
        json!({ "$ref": "#/$defs/missing" }),
        json!({ "$ref": "#" }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "b": { "not": { "$ref": "#/$defs/a" } } } }),
        doubling,
        deep,
    ];
    for schema in schemas {
        let text = schema.to_string();
        checked(
            schema,
            &json!({ "a": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" }),
        )
        .unwrap_or_else(|problem| panic!("{text}: {problem}"));
    }
}

#[test]
fn null_is_taken_where_the_types_say_so() {
    let schema = json!({
        "type": "object",
        "required": ["text"],
        "properties": {
            "text": { "type": "string", "nullable": true, "minLength": 2 },
            "several": { "type": ["string", "integer"], "nullable": true },
            "one_of": { "type": "string", "enum": ["a", "b"], "nullable": true },
            "constant": { "const": 1, "nullable": true },
            "choice": { "oneOf": [{ "type": "string" }, { "type": "integer" }], "nullable": true },
            "in_choice": { "oneOf": [{ "type": "string", "nullable": true }, { "type": "integer", "nullable": true }] },
            "row": { "allOf": [{ "$ref": "#/$defs/row" }], "nullable": true },
            "maybe": { "$ref": "#/$defs/maybe" },
            "also_maybe": { "type": "string", "allOf": [{ "$ref": "#/$defs/maybe" }] },
            "list": { "type": "array", "items": { "type": "string", "nullable": true } },
            "map": { "additionalProperties": { "type": "integer", "nullable": true } },
            "nullable": { "type": "boolean" },
            "never": { "type": "string", "nullable": false },
            "data": { "enum": [{ "nullable": true, "type": "x" }] },
        },
        "$defs": {
            "row": { "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" } } },
            "maybe": { "type": "string", "nullable": true },
        },
    });
    let fields = [
        "text",
        "several",
        "one_of",
        "constant",
        "choice",
        "in_choice",
        "row",
        "maybe",
        "also_maybe",
    ];
    let tool: Tool =
        serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
    let names = Names::new(["tool"], Style::Camel);
    let interface = Interface::of([&tool]);
    let namespace = Namespace {
        identifier: "server",
        interface: &interface,
        names: &names,
    };
    let types = typescript::declare(&[namespace], Detail::Full);
    for field in fields {
        let mut arguments = json!({ "text": "ab" });
        arguments[field] = Value::Null;
        check_for(schema.clone())
            .check(&arguments, Idiom::default(), &Effort::default())
            .unwrap()
            .unwrap();
        assert!(
            types
                .lines()
                .any(|line| line.trim_start().starts_with(field) && line.contains("| null")),
            "{field}: {types}"
        );
    }
    let good = [
        json!({ "text": "ab", "list": [null, "x"], "map": { "a": null, "b": 1 }, "row": { "a": 1 }, "one_of": "b", "constant": 1, "choice": 3 }),
        json!({ "text": null, "data": { "nullable": true, "type": "x" } }),
    ];
    for arguments in good {
        check_for(schema.clone())
            .check(&arguments, Idiom::default(), &Effort::default())
            .unwrap()
            .unwrap();
    }
    let bad = [
        (json!({}), "`text` is missing"),
        (
            json!({ "text": 7 }),
            "`text` must be a string, not 7: write \"7\"",
        ),
        (
            json!({ "text": "a" }),
            "`text` must be at least 2 characters long, not \"a\"",
        ),
        (
            json!({ "text": "ab", "one_of": "c" }),
            "`one_of` must be one of \"a\" or \"b\", not \"c\"",
        ),
        (
            json!({ "text": "ab", "constant": 2 }),
            "`constant` must be 1, not 2",
        ),
        (json!({ "text": "ab", "row": {} }), "`row.a` is missing"),
        (
            json!({ "text": "ab", "nullable": null }),
            "`nullable` must be a boolean, not null; it is optional: leave it out",
        ),
        (
            json!({ "text": "ab", "never": null }),
            "`never` must be a string, not null; it is optional: leave it out",
        ),
        (
            json!({ "text": "ab", "data": null }),
            "`data` must be {\"nullable\":true,\"type\":\"x\"}, not null; it is optional: leave it out",
        ),
    ];
    for (arguments, expected) in bad {
        assert_eq!(problem(&schema, arguments), expected);
    }
}
