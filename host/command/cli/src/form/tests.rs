use serde_json::json;

use super::*;

fn field(schema: &Value) -> Field {
    let form = json!({ "properties": { "x": schema }, "required": ["x"] });
    fields(Some(&form)).unwrap().remove(0)
}

#[test]
fn what_is_typed_is_held_against_the_field() {
    let choices = json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["Anna", "Bert"] });
    let titled = json!({ "type": "string", "oneOf": [{ "const": "a", "title": "Anna" }] });
    let several = json!({ "type": "array", "items": { "type": "string", "enum": ["a", "b"] } });
    let cases = [
        (json!({ "type": "string" }), " Anna ", Ok(json!("Anna"))),
        (json!({ "type": "string" }), "", Err("it may not be empty")),
        (
            json!({ "type": "string", "minLength": 2, "maxLength": 3 }),
            "äöüß",
            Err("its length must be from 2 to 3"),
        ),
        (
            json!({ "type": "string", "format": "email" }),
            "a@b",
            Err("not a valid email"),
        ),
        (
            json!({ "type": "string", "format": "uri" }),
            "https://x/",
            Ok(json!("https://x/")),
        ),
        (
            json!({ "type": "integer" }),
            "3.5",
            Err("not a whole number"),
        ),
        (
            json!({ "type": "integer", "minimum": 4 }),
            "3",
            Err("it must be at least 4"),
        ),
        (json!({ "type": "number" }), "1e999", Err("not a number")),
        (json!({ "type": "number" }), "-2.5", Ok(json!(-2.5))),
        (json!({ "type": "number", "default": 7 }), "", Ok(json!(7))),
        (json!({ "type": "boolean" }), "Yes", Ok(json!(true))),
        (
            json!({ "type": "boolean" }),
            "maybe",
            Err("it is neither yes nor no"),
        ),
        (choices.clone(), "2", Ok(json!("b"))),
        (choices.clone(), "Anna", Ok(json!("a"))),
        (choices, "3", Err("`3` is not one of the choices")),
        (titled, "Anna", Ok(json!("a"))),
        (several, "b, 1", Ok(json!(["b", "a"]))),
    ];
    for (schema, typed, expected) in cases {
        let expected = expected.map(Some).map_err(str::to_owned);
        assert_eq!(field(&schema).value(typed), expected, "{schema} {typed}");
    }
}

#[test]
fn a_form_that_can_not_be_filled_in_is_none() {
    let of = |schema: Value| fields(Some(&json!({ "properties": schema })));
    let many: Map<_, _> = (0..51).map(|at| (at.to_string(), json!({}))).collect();
    for schema in [
        json!({ "x": { "type": "object" } }),
        json!({ "x": 1 }),
        json!({ "x": { "type": "string", "enum": [] } }),
        json!({ "x": { "type": "string", "enum": [1] } }),
        json!({ "x": { "type": "array", "items": { "type": "string" } } }),
        many.into(),
    ] {
        assert!(of(schema.clone()).is_err(), "{schema}");
    }
    assert!(fields(None).unwrap().is_empty());
}

#[test]
fn a_question_hides_nothing() {
    let schema = json!({ "type": "string", "title": "\u{1b}[2JWho", "description": "a\nampoule: b",
        "enum": ["\u{202e}x"], "default": "y" });
    assert_eq!(
        field(&schema).question(),
        [
            "\\u{1b}[2JWho (one of these, default y): a\\nampoule: b",
            "  1 \\u{202e}x"
        ]
    );
}
