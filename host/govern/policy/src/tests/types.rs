//! JSON Schema as Cedar's types, and JSON as their values.

use super::*;
use crate::Effect;

/// Policies of one condition on the tool `t.x`, whose arguments have this schema.
fn under(schema: &Value, condition: &str) -> Result<Policies, PolicyError> {
    of_text(
        schema,
        &format!("forbid(principal, action == Action::\"t.x\", resource) when {{ {condition} }};"),
    )
}

/// Policies over that tool.
fn of_text(schema: &Value, text: &str) -> Result<Policies, PolicyError> {
    let tool = serde_json::from_value(json!({"name": "x", "inputSchema": schema})).unwrap();
    let sources = Sources {
        files: vec![file(text)],
        other_labels: vec!["secret".into()],
        ..Sources::default()
    };
    let server = Server {
        name: "t",
        says_it_is: None,
        tools: Some(&[tool]),
    };
    Policies::new(&sources, &[server])
}

fn effect(policies: &Policies, arguments: &Value) -> Effect {
    let request = Request {
        caller: &alice(),
        act: call("t", "x", arguments),
        labels: &RunLabels::new(),
    };
    decided(policies, &request).effect
}

/// A condition, arguments that it holds for, and some that it does not.
fn holds(schema: &Value, condition: &str, yes: &Value, no: &Value) {
    let policies =
        under(schema, condition).unwrap_or_else(|problems| panic!("{condition}: {problems}"));
    assert_eq!(effect(&policies, yes), Effect::Deny, "{condition}: {yes}");
    assert_eq!(effect(&policies, no), Effect::Allow, "{condition}: {no}");
}

#[test]
fn every_type_that_both_have_is_compared() {
    let schema = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "one": {"enum": ["a", "b"]},
            "count": {"type": "integer"},
            "cost": {"type": "number"},
            "flag": {"type": "boolean"},
            "list": {"type": "array", "items": {"type": "string"}},
            "deep": {"$ref": "#/$defs/deep"},
            "maybe": {"type": ["string", "null"]},
            "odd name\"": {"type": "string"},
            "": {"type": "integer"},
            "__entity": {"type": "string"},
            "if": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
        },
        "required": ["text", "one", "maybe"],
        "$defs": {"deep": {"type": "object", "properties": {"er": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}}, "required": ["er"]}}
    });
    let with = |name: &str, value: Value| {
        let mut arguments = json!({"text": "t", "one": "a", "maybe": null});
        arguments[name] = value;
        arguments
    };
    let base = json!({"text": "t", "one": "a", "maybe": null});
    for (condition, yes, no) in [
        (
            "context.arguments.text like \"x*\"",
            with("text", json!("xyz")),
            base.clone(),
        ),
        (
            "context.arguments.one == \"b\"",
            with("one", json!("b")),
            base.clone(),
        ),
        (
            "context.arguments has count && context.arguments.count > 3",
            with("count", json!(4)),
            with("count", json!(3)),
        ),
        (
            "context.arguments has cost && context.arguments.cost.greaterThan(decimal(\"0.5\"))",
            with("cost", json!(0.5001)),
            with("cost", json!(0.5)),
        ),
        (
            "context.arguments has flag && context.arguments.flag",
            with("flag", json!(true)),
            with("flag", json!(false)),
        ),
        (
            "context.arguments has list && context.arguments.list.contains(\"z\")",
            with("list", json!(["a", "z"])),
            with("list", json!([])),
        ),
        (
            "context.arguments has deep && context.arguments.deep.er.contains({\"n\": 2})",
            with("deep", json!({"er": [{"n": 2, "extra": 1}]})),
            with("deep", json!({"er": [{"n": 1}]})),
        ),
        (
            "context.arguments has deep",
            with("deep", json!({"er": []})),
            base.clone(),
        ),
        (
            "context.arguments has maybe",
            with("maybe", json!("")),
            base.clone(),
        ),
        (
            "context.arguments has \"odd name\\\"\" && context.arguments[\"odd name\\\"\"] == \"x\"",
            with("odd name\"", json!("x")),
            base.clone(),
        ),
        (
            "context.arguments has \"\" && context.arguments[\"\"] == 1",
            with("", json!(1)),
            with("", json!(2)),
        ),
        (
            "context.arguments has \"__entity\" && context.arguments[\"__entity\"] == \"x\"",
            with("__entity", json!("x")),
            base.clone(),
        ),
        (
            "context.arguments has \"if\" && context.arguments[\"if\"] == decimal(\"1.0\")",
            with("if", json!(1)),
            with("if", json!(1.5)),
        ),
    ] {
        holds(&schema, condition, &yes, &no);
    }
}

#[test]
fn one_of_several_objects_is_what_they_agree_on() {
    let schema = json!({"type": "object", "anyOf": [
        {"properties": {"kind": {"const": "a"}, "owner": {"type": "string"}, "x": {"type": "integer"}}, "required": ["kind", "owner"]},
        {"properties": {"kind": {"const": "b"}, "owner": {"type": "string"}, "x": {"type": "string"}}, "required": ["kind", "owner"]},
    ]});
    holds(
        &schema,
        "context.arguments.kind == \"a\" && context.arguments.owner == \"o\"",
        &json!({"kind": "a", "owner": "o", "x": 1}),
        &json!({"kind": "b", "owner": "o"}),
    );
    let told = problems(under(
        &schema,
        "context.arguments has x && context.arguments.x == 1",
    ));
    assert!(
        told[0].ends_with(
            "policies can't see the argument `x` of the tool `t.x`: it is of one of several types"
        ),
        "{told:?}"
    );
}

#[test]
fn what_has_no_type_is_said_so() {
    let schema = json!({
        "type": "object",
        "properties": {
            "any": {},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
            "free": {"type": "object"},
            "either": {"type": ["string", "integer"]},
            "mixed": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
            "nulls": {"type": "array", "items": {"type": ["string", "null"]}},
            "tree": {"$ref": "#/$defs/tree"},
            "null": {"type": "null"},
        },
        "$defs": {"tree": {"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}},
    });
    for (name, why) in [
        ("any", "its schema allows any value"),
        ("map", "it is an object with any names"),
        ("free", "it is an object with any names"),
        ("either", "it is of one of several types"),
        ("mixed", "its items are of several types"),
        ("nulls", "its items are of several types"),
        ("null", "its schema allows no value but `null`, if any"),
    ] {
        let told = problems(under(&schema, &format!("context.arguments has \"{name}\"")));
        let expected = format!("policies can't see the argument `{name}` of the tool `t.x`: {why}");
        assert!(told[0].ends_with(&expected), "{told:?}");
    }
    let told = problems(under(
        &schema,
        "context.arguments has tree && context.arguments.tree has children",
    ));
    assert!(
        told[0].ends_with(
            "policies can't see the argument `tree.children` of the tool `t.x`: it contains itself"
        ),
        "{told:?}"
    );
    // What is beside it has one.
    holds(
        &schema,
        "context.arguments has tree && context.arguments.tree has name && context.arguments.tree.name == \"x\"",
        &json!({"tree": {"name": "x", "children": [{"name": "y"}]}}),
        &json!({"tree": {"name": "y"}}),
    );
}

#[test]
fn a_tool_without_arguments_has_none() {
    for schema in [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {}}),
        json!({}),
    ] {
        let told = problems(under(&schema, "context.arguments has x"));
        assert!(
            told[0].contains("the tool `t.x` has no argument `x`"),
            "{told:?}"
        );
    }
}

#[test]
fn what_is_not_as_the_schema_says_is_not_judged() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}, "required": ["s"]});
    let policies = under(
        &schema,
        "context.arguments has n && context.arguments.n > 5 && context.arguments.s == \"x\"",
    )
    .unwrap();
    for arguments in [
        json!({"n": "6", "s": "y"}),
        json!({"n": 1.5, "s": "y"}),
        json!({"n": 1}),
        json!([]),
        json!("x"),
    ] {
        assert_eq!(effect(&policies, &arguments), Effect::Deny, "{arguments}");
    }
    assert_eq!(
        effect(&policies, &json!({"n": null, "s": "x"})),
        Effect::Allow
    );
    assert_eq!(
        effect(&policies, &json!({"n": 5.0, "s": "x"})),
        Effect::Allow
    );
}

#[test]
fn what_does_not_look_at_arguments_is_judged_where_they_are_unfit() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let many = r#"@id("many") @ask forbid(principal, action == Action::"t.x", resource) when { context.arguments has n && context.arguments.n > 5 };"#;
    // Neither hints nor labels are arguments.
    let others = r#"
        forbid(principal, action, resource) when { context has hints && context.hints has destructive && context.hints.destructive };
        forbid(principal, action, resource) when { context has labels && context.labels.contains("secret") };"#;
    let policies = of_text(&schema, &format!("{many}{others}")).unwrap();
    for (n, expected) in [
        (json!(1), Effect::Allow),
        (json!(6), Effect::Ask),
        (json!(1e300), Effect::Ask),
        (json!("6"), Effect::Ask),
    ] {
        assert_eq!(effect(&policies, &json!({"n": n})), expected, "{n}");
    }
    // What asks whether there are arguments at all can't be judged then.
    let any = r#"@id("any") forbid(principal, action == Action::"t.x", resource) when { context has arguments && context.arguments has n && context.arguments.n > 100 };"#;
    let policies = of_text(&schema, &format!("{many}{any}")).unwrap();
    assert_eq!(effect(&policies, &json!({"n": 1})), Effect::Allow);
    assert_eq!(effect(&policies, &json!({"n": 1e300})), Effect::Deny);
}
