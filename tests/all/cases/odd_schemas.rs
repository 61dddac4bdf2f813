//! Schemas of which a part can't be understood: that part accepts anything, and nothing else does.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::with_server;

fn workplace(tools: &Value) -> Workplace {
    with_server("", &json!({ "tools": tools }))
}

/// What each call gives: the arguments that arrived, or the error's message.
async fn called(workplace: &Workplace, calls: &[(&str, Value)]) -> Vec<(Value, Option<String>)> {
    let calls = json!(calls);
    let typescript = format!(
        "const out: any[] = [];\nfor (const [tool, given] of {calls} as any) {{\n  try {{ out.push([await (tools.t as any)[tool](given), null]) }} catch (e: any) {{ out.push([null, `${{e.kind}} ${{e.message}}`]) }}\n}}\nreturn out;"
    );
    let ran = workplace
        .run(&[
            "run",
            "--quiet",
            "--language",
            "typescript",
            "-e",
            &typescript,
        ])
        .await;
    let python = format!(
        "import json\nout = []\nfor tool, given in json.loads({text:?}):\n    try:\n        out.append([await tools.t[tool](**given), None])\n    except ToolError as e:\n        out.append([None, e.kind + ' ' + str(e)])\nreturn out",
        text = calls.to_string(),
    );
    let other = workplace
        .run(&["run", "--quiet", "--language", "python", "-e", &python])
        .await;
    assert_eq!(ran.json(), other.json(), "{ran:?} {other:?}");
    serde_json::from_value(ran.json()).expect("pairs")
}

fn shown(told: &Option<String>) -> &str {
    let told = told.as_deref().unwrap_or("accepted");
    assert!(told.starts_with("arguments "), "{told}");
    told
}

#[tokio::test]
async fn what_goes_round_or_is_missing_is_loose_there_alone() {
    let node = json!({"type": "object", "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}, "required": ["value"]});
    let n = json!({"type": "integer"});
    let tool = |name: &str, x: Value, definitions: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": {"x": x, "n": n}, "$defs": definitions}});
    let circle =
        json!({"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"allOf": [{"$ref": "#/$defs/A"}]}});
    let workplace = workplace(&json!([
        {"name": "tree", "inputSchema": {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"], "$defs": {"Node": node}}},
        tool("round", json!({"$ref": "#/$defs/A"}), circle),
        tool("self", json!({"$ref": "#/properties/x"}), json!({})),
        tool("lost", json!({"$ref": "#/components/schemas/Gone"}), json!({})),
        tool("other", json!({"$ref": "https://example.com/schema.json#/x"}), json!({})),
    ]));
    let tree = |deepest: Value| json!({"root": {"value": 1, "children": [{"value": 2, "children": [{"value": deepest, "children": []}]}]}});
    let loose = ["round", "self", "lost", "other"];
    let mut calls = vec![("tree", tree(json!(3))), ("tree", tree(json!("three")))];
    for name in loose {
        calls.push((name, json!({"x": {"any": ["thing"]}, "n": 2})));
        calls.push((name, json!({"x": 1, "n": "two"})));
    }
    let answers = called(&workplace, &calls).await;
    assert_eq!(answers[0].0, calls[0].1, "{answers:?}");
    assert!(
        shown(&answers[1].1).contains("root.children[0].children[0].value"),
        "{answers:?}"
    );
    for (place, name) in loose.iter().enumerate() {
        let [right, wrong] = [2, 3].map(|at| place * 2 + at);
        assert_eq!(answers[right].0, calls[right].1, "{name}: {answers:?}");
        assert!(
            shown(&answers[wrong].1).contains('n'),
            "{name}: {answers:?}"
        );
    }
    let types = workplace.run(&["tools", "show", "t"]).await;
    let n = types.stdout.matches("n?: number").count();
    assert_eq!(n, loose.len(), "{types:?}");
}

#[tokio::test]
async fn pointers_are_read_however_they_are_escaped() {
    let page =
        json!({"type": "object", "properties": {"ok": {"type": "integer"}}, "required": ["ok"]});
    let references = [
        ("generic", "#/$defs/Page%3CItem%3E"),
        ("raw", "#/$defs/Page<Item>"),
        ("slash", "#/$defs/a~1b"),
        ("tilde", "#/$defs/m~0n"),
        ("percent", "#/$defs/Rate%25"),
        ("umlaut", "#/$defs/%C3%9Cber"),
        ("written", "#/$defs/\u{dc}ber"),
        ("space", "#/$defs/Test%20Details"),
        ("property", "#/properties/generic"),
        ("definition", "#/definitions/Random~1Request"),
        ("anchor", "#here"),
    ];
    let properties: serde_json::Map<String, Value> = references
        .iter()
        .map(|(name, to)| ((*name).to_owned(), json!({ "$ref": to })))
        .collect();
    let mut anchored = page.clone();
    anchored["$anchor"] = json!("here");
    let schema = json!({
        "type": "object",
        "properties": properties,
        "$defs": {"Page<Item>": page, "a/b": page, "m~n": page, "Rate%": page, "\u{dc}ber": page, "Test Details": page, "anchored": anchored},
        "definitions": {"Random/Request": page},
    });
    let workplace = workplace(&json!([{"name": "all", "inputSchema": schema}]));
    let right: serde_json::Map<String, Value> = references
        .iter()
        .map(|(name, _)| ((*name).to_owned(), json!({"ok": 1})))
        .collect();
    let right = Value::Object(right);
    let mut calls = vec![("all", right.clone())];
    for (name, _) in references {
        let mut wrong = right.clone();
        wrong[name] = json!({"ok": "no"});
        calls.push(("all", wrong));
    }
    let answers = called(&workplace, &calls).await;
    assert_eq!(answers[0].0, right, "{answers:?}");
    for ((name, _), (_, told)) in references.iter().zip(&answers[1..]) {
        assert!(
            shown(told).contains(&format!("{name}.ok")),
            "{name}: {told:?}"
        );
    }
    for (format, loose) in [("ts", "unknown"), ("py", "Any")] {
        let types = workplace
            .run(&["tools", "show", "t.all", "--format", format])
            .await;
        assert!(
            !types.stdout.contains(&format!(": {loose}")),
            "{format}: {types:?}"
        );
    }
}

#[tokio::test]
async fn types_that_are_none_accept_anything_and_leave_the_others_strict() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "any"}, "b": {"type": "float"}, "c": {"type": "int"}, "d": {"type": "datetime"},
        "e": {"type": "file"}, "f": {"type": ""}, "g": {"type": "str"}, "h": {"type": ["string", "None"]},
        "good": {"type": "boolean"}, "unit": {"enum": ["mm", "cm", 3, null]},
        "odd": {"minimum": "none", "type": "integer"},
    }, "required": ["good"]});
    let workplace = workplace(&json!([{"name": "odd", "inputSchema": schema}]));
    let right = json!({"a": {"x": 1}, "b": 1.5, "c": 2, "d": "2024-01-05", "e": "f.txt", "f": [1], "g": "s", "h": null, "good": true, "unit": "mm", "odd": -1});
    let calls = [
        ("odd", right.clone()),
        ("odd", json!({"good": "yes"})),
        ("odd", json!({"good": true, "unit": "mile"})),
        ("odd", json!({"good": true, "odd": "text"})),
    ];
    let answers = called(&workplace, &calls).await;
    assert_eq!(answers[0].0, right, "{answers:?}");
    for ((_, told), name) in answers[1..].iter().zip(["good", "unit", "odd"]) {
        assert!(shown(told).contains(name), "{name}: {answers:?}");
    }
}
