mod conditions;

use ampoule_effort::Effort;
use ampoule_projection::Tool;
use serde_json::json;

use super::*;
use crate::validate::ArgumentCheck;

fn problem_in(idiom: Idiom, schema: &Value, arguments: Value) -> String {
    let tool: Tool =
        serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
    let checked = ArgumentCheck::new(&tool).check(&arguments, idiom, &Effort::default());
    let problem = checked.unwrap();
    problem
        .expect_err(&format!("{arguments} was accepted"))
        .to_string()
}

fn assert_problems(schema: &Value, cases: &[(Value, &str)]) {
    for (arguments, expected) in cases {
        let problem = problem_in(Idiom::TypeScript, schema, arguments.clone());
        assert_eq!(problem, *expected, "{arguments}");
    }
}

#[test]
fn a_choice_of_values_is_one_list() {
    let windows = "1m 5m 10m 15m 30m 1h 2h 3h 6h 12h 1d 2d 7d 14d 30d";
    let windows: Vec<&str> = windows.split(' ').collect();
    let many: Vec<String> = (0..30).map(|index| format!("value-{index}x")).collect();
    let schema = json!({ "properties": {
        "status": { "anyOf": [{ "type": "array", "items": { "$ref": "#/$defs/status" } }, { "type": "null" }] },
        "state": { "anyOf": [{ "$ref": "#/$defs/state" }, { "type": "null" }] },
        "level": { "anyOf": [{ "type": "string", "enum": ["trace", "debug", "warn"] }, { "type": "null" }] },
        "mixed": { "anyOf": [{ "enum": ["all", "none"] }, { "type": "integer" }] },
        "window": { "type": "string", "enum": windows },
        "many": { "enum": many },
        "severity": { "enum": ["P1", "P2"] },
        "port": { "enum": [80, 443] },
    }, "$defs": {
        "status": { "oneOf": [{ "type": "string", "const": "pending" }, { "type": "string", "const": "cancelled" }, { "type": "string", "const": "refunded" }] },
        "state": { "type": "string", "enum": ["closed", "open"] },
    } });
    assert_problems(
        &schema,
        &[
            (
                json!({ "status": ["canceled"] }),
                r#"`status[0]` must be one of "cancelled", "pending" or "refunded", not "canceled" (did you mean "cancelled"?)"#,
            ),
            (
                json!({ "status": ["paid"] }),
                r#"`status[0]` must be one of "pending", "cancelled" or "refunded", not "paid""#,
            ),
            (
                json!({ "status": [7] }),
                r#"`status[0]` must be one of "pending", "cancelled" or "refunded", not 7"#,
            ),
            (
                json!({ "state": "OPEN" }),
                r#"`state` must be one of "open" or "closed", not "OPEN" (did you mean "open"?)"#,
            ),
            (
                json!({ "level": "warning" }),
                r#"`level` must be one of "warn", "trace" or "debug", not "warning" (did you mean "warn"?)"#,
            ),
            (
                json!({ "mixed": "every" }),
                r#"`mixed` must be one of "all", "none" or an integer, not "every""#,
            ),
            (
                json!({ "window": "24h" }),
                r#"`window` must be one of "1m", "5m", "10m", "15m", "30m", "1h", "2h", "3h", "6h", "12h", "1d", "2d", "7d", "14d" or "30d", not "24h""#,
            ),
            (
                json!({ "severity": "p1" }),
                r#"`severity` must be one of "P1" or "P2", not "p1" (did you mean "P1"?)"#,
            ),
            (
                json!({ "severity": "P3" }),
                r#"`severity` must be one of "P1" or "P2", not "P3""#,
            ),
            (
                json!({ "port": "443" }),
                r#"`port` must be one of 443 or 80, not "443" (did you mean 443?)"#,
            ),
        ],
    );
    let problem = problem_in(Idiom::TypeScript, &schema, json!({ "many": "value_29x" }));
    assert!(
        problem.starts_with(r#"`many` must be one of "value-29x", "#),
        "{problem}"
    );
    assert!(
        problem.ends_with(r#" or 10 more, not "value_29x" (did you mean "value-29x"?)"#),
        "{problem}"
    );
}

fn unions() -> Value {
    let object = |kind: &str, others: Value, required: Value| {
        let mut properties = json!({ "type": { "const": kind } });
        properties
            .as_object_mut()
            .unwrap()
            .extend(others.as_object().unwrap().clone());
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
    };
    let text = json!({ "type": "string" });
    json!({ "properties": {
        "filter": { "anyOf": [
            object("range", json!({ "from": text, "to": text }), json!(["type", "from", "to"])),
            object("text", json!({ "query": text, "mode": { "enum": ["any", "all"] } }), json!(["type", "query"])),
            { "type": "null" },
        ] },
        "target": { "oneOf": [text, { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] }] },
        "point": { "anyOf": [
            { "type": "object", "properties": { "x": { "type": "number" }, "y": { "type": "number" } }, "required": ["x", "y"] },
            { "type": "object", "properties": { "city": text }, "required": ["city"], "additionalProperties": false },
        ] },
        "contact": { "anyOf": [{ "required": ["mail"] }, { "required": ["phone"] }] },
        "who": { "oneOf": [{ "required": ["id"] }, { "required": ["name"] }] },
    } })
}

#[test]
fn of_a_union_the_form_that_was_meant_is_explained() {
    assert_problems(
        &unions(),
        &[
            (
                json!({ "filter": { "type": "text", "mode": "al" } }),
                r#"`filter.query` is missing; `filter.mode` must be one of "any" or "all", not "al"; `filter` is `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "filter": { "type": "text", "query": 5 } }),
                r#"`filter.query` must be a string, not 5: write "5""#,
            ),
            (
                json!({ "filter": { "type": "text", "query": "a", "mod": "all" } }),
                r#"`filter.mod` is not a known property; did you mean `mode`?; `filter` is `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "filter": { "type": "text", "query": "a", "queries": ["a"] } }),
                r#"`filter.queries` is not a known property; known are `type`, `query`, `mode`; `filter` is `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "filter": { "type": "regex", "query": "a" } }),
                r#"`filter.type` must be one of "range" or "text", not "regex": `{ type: "range", from, to }` or `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "filter": { "from": "a", "to": "b" } }),
                r#"`filter.type` is missing; with `from`, `to` it is "range": `{ type: "range", from, to }`"#,
            ),
            (
                json!({ "filter": {} }),
                r#"`filter.type` is missing; it must be one of "range" or "text": `{ type: "range", from, to }` or `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "filter": "timeout" }),
                r#"`filter` must be an object, not "timeout": `{ type: "range", from, to }` or `{ type: "text", query, mode? }`"#,
            ),
            (
                json!({ "target": true }),
                "`target` must be a string or an object, not true",
            ),
            (
                json!({ "target": { "id": "7" } }),
                "`target.id` must be an integer, not \"7\": write 7",
            ),
            (
                json!({ "point": { "city": 1 } }),
                "`point` matches none of its 2 allowed forms; for the closest, `point.city` must be a string, not 1: write \"1\"",
            ),
            (
                json!({ "contact": {} }),
                "`contact.mail` or `contact.phone` is missing",
            ),
            (
                json!({ "who": { "id": 1, "name": "a" } }),
                "only one of `who.id`, `who.name` may be given",
            ),
        ],
    );
    let python = problem_in(
        Idiom::Python,
        &unions(),
        json!({ "filter": { "type": "text" } }),
    );
    assert_eq!(
        python,
        r#"`filter.query` is missing; `filter` is `{"type": "text", "query": ..., "mode"?: ...}`"#
    );
}

#[test]
fn what_to_write_instead_of_another_type() {
    let schema = json!({ "additionalProperties": false, "properties": {
        "tags": { "type": "array", "items": { "type": "string" } },
        "states": { "type": ["array", "null"], "items": { "enum": ["open", "closed"] } },
        "rows": { "type": "array", "items": { "type": "object" } },
        "count": { "type": "integer" },
        "share": { "type": "number" },
        "isOn": { "type": "boolean" },
        "customerId": { "type": "string" },
        "filter": { "type": "object" },
    }, "required": ["count"] });
    let with = |name: &str, value: Value| {
        let mut arguments = json!({ "count": 1 });
        arguments[name] = value;
        arguments
    };
    assert_problems(
        &schema,
        &[
            (
                with("tags", json!("web")),
                r#"`tags` must be an array, not "web": write `["web"]`"#,
            ),
            (
                with("tags", json!("a sentence, with a comma")),
                r#"`tags` must be an array, not "a sentence, with a comma": write `["a sentence, with a comma"]`"#,
            ),
            (
                with("tags", json!(5)),
                "`tags` must be an array, not 5: each item is a string",
            ),
            (
                with("states", json!("open, closed")),
                r#"`states` must be an array, not "open, closed": write `["open", "closed"]`"#,
            ),
            (
                with("states", json!("none")),
                r#"`states` must be an array, not "none": each item is one of "open" or "closed""#,
            ),
            (
                with("tags", json!("[\"a\"]")),
                r#"`tags` must be an array, not "[\"a\"]": pass the array itself, not its JSON"#,
            ),
            (
                with("filter", json!("{}")),
                r#"`filter` must be an object, not "{}": pass the object itself, not its JSON"#,
            ),
            (
                with("rows", json!({ "a": 1 })),
                "`rows` must be an array, not an object with `a`: write it in `[…]`",
            ),
            (
                with("count", json!("5")),
                r#"`count` must be an integer, not "5": write 5"#,
            ),
            (
                with("count", json!("5.5")),
                r#"`count` must be an integer, not "5.5""#,
            ),
            (
                with("share", json!("0.5")),
                r#"`share` must be a number, not "0.5": write 0.5"#,
            ),
            (
                with("isOn", json!("True")),
                r#"`isOn` must be a boolean, not "True": write true"#,
            ),
            (
                with("customerId", json!(7)),
                r#"`customerId` must be a string, not 7: write "7""#,
            ),
            (
                with("customerId", json!({ "name": "a", "id": "C-1" })),
                "`customerId` must be a string, not an object with `name`, `id`: write its `id`",
            ),
            (
                json!({ "input": { "count": 1, "tags": [] } }),
                "`input` is not a known property; pass its members directly",
            ),
            (
                json!({ "input": { "amount": 1 } }),
                "`input` is not a known property; known are `tags`, `states`, `rows`, `count`, `share`, `isOn`, `customerId`, `filter`; `count` is missing",
            ),
        ],
    );
    let python = problem_in(Idiom::Python, &schema, with("isOn", json!("true")));
    assert_eq!(
        python,
        r#"`isOn` must be a boolean, not "true": write True"#
    );
}

#[test]
fn null_for_what_is_optional_is_to_be_left_out() {
    let schema = json!({ "required": ["title"], "properties": {
        "title": { "type": "string" },
        "limit": { "type": "integer" },
        "priority": { "type": "string", "enum": ["low", "high"] },
        "row": { "$ref": "#/$defs/row" },
        "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
        "tags": { "items": { "type": "string" } },
    }, "$defs": { "row": { "required": ["a"], "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } } } } });
    let with = |name: &str, value: Value| {
        let mut arguments = json!({ "title": "a" });
        arguments[name] = value;
        arguments
    };
    assert_problems(
        &schema,
        &[
            (
                with("limit", json!(null)),
                "`limit` must be an integer, not null; it is optional: leave it out",
            ),
            (
                with("title", json!(null)),
                "`title` must be a string, not null",
            ),
            (
                with("priority", json!(null)),
                r#"`priority` must be one of "low" or "high", not null; it is optional: leave it out"#,
            ),
            (
                with("row", json!({ "a": null })),
                "`row.a` must be an integer, not null",
            ),
            (
                with("row", json!({ "a": 1, "b": null })),
                "`row.b` must be an integer, not null; it is optional: leave it out",
            ),
            (
                with("either", json!(null)),
                "`either` must be a string or an integer, not null; it is optional: leave it out",
            ),
            (
                with("tags", json!([null])),
                "`tags[0]` must be a string, not null",
            ),
        ],
    );
}

#[test]
fn choices_within_choices_are_explained_to_a_depth() {
    let schema = json!({ "$ref": "#/$defs/tree", "$defs": { "tree": { "anyOf": [
        { "type": "object", "properties": { "child": { "$ref": "#/$defs/tree" } }, "required": ["name"] },
        { "type": "null" },
    ] } } });
    let nested =
        |depth: usize| (0..depth).fold(json!({}), |tree, _| json!({ "name": "a", "child": tree }));
    let near = problem_in(Idiom::TypeScript, &schema, nested(2));
    assert_eq!(
        near,
        "`child.child.name` is missing; `child.child` is `{ child?, name }`"
    );
    let far = problem_in(Idiom::TypeScript, &schema, nested(150));
    assert!(
        far.ends_with("` matches none of its allowed forms"),
        "{far}"
    );
}
