use serde_json::{Value, json};

use super::read;
use crate::pages::visit::Fields;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "count": { "type": ["integer", "null"] },
            "is_new": { "type": "boolean" },
            "status": { "enum": ["a", "b"] },
            "list": { "type": "array" },
        },
    })
}

fn fields(fields: &[(&str, &str)]) -> Fields {
    let own = fields
        .iter()
        .map(|(name, text)| (format!("field:{name}"), (*text).to_owned()));
    Fields::of(own.collect())
}

#[test]
fn each_control_gives_a_value_of_its_type() {
    let given = fields(&[
        ("name", "12"),
        ("count", "12"),
        ("is_new", "true"),
        ("status", "\"b\""),
        ("list", "[1]"),
        ("unknown", "1"),
    ]);
    let arguments = read(&schema(), &given).expect("arguments");
    let expected = json!({ "name": "12", "count": 12, "is_new": true, "status": "b", "list": [1] });
    assert_eq!(Value::Object(arguments), expected);
}

#[test]
fn an_empty_field_is_an_absent_argument_and_a_wrong_one_is_named() {
    let arguments = read(&schema(), &fields(&[("name", ""), ("count", "")]));
    assert_eq!(arguments.expect("arguments").len(), 0);
    let wrong = read(&schema(), &fields(&[("count", "many")]));
    let wrong = wrong.expect_err("a text is not a number").to_string();
    assert!(wrong.contains("`count`"), "{wrong}");
}
