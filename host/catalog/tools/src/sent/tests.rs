use serde_json::json;

use super::*;

fn sent(schema: &Value, text: &str) -> Result<String, String> {
    let declared = DeclaredSchemas::by_schema(schema.as_object().unwrap());
    read(text, &declared, Form::Script).map(|arguments| arguments.to_string())
}

#[test]
fn names_are_the_schemas_where_they_can_mean_only_one() {
    let schema = json!({ "properties": { "max_count": {}, "pageSize": {}, "from": {}, "user-id": {}, "userID": {}, "Name": {}, "name": {} } });
    let cases = [
        (
            r#"{"maxCount":1,"page_size":2,"from_":3}"#,
            r#"{"max_count":1,"pageSize":2,"from":3}"#,
        ),
        (
            r#"{"MAX-COUNT":1,"max_count":2}"#,
            r#"{"MAX-COUNT":1,"max_count":2}"#,
        ),
        (
            r#"{"maxCount":1,"MaxCount":2}"#,
            r#"{"maxCount":1,"MaxCount":2}"#,
        ),
        (
            r#"{"user_id":1,"NAME":2,"name":3}"#,
            r#"{"user_id":1,"NAME":2,"name":3}"#,
        ),
        (
            r#"{"max_cont":1,"z":{"maxCount":2}}"#,
            r#"{"max_cont":1,"z":{"maxCount":2}}"#,
        ),
        ("{}", "{}"),
        ("[1]", "[1]"),
    ];
    for (text, expected) in cases {
        assert_eq!(sent(&schema, text).unwrap(), expected, "{text}");
    }
    let schema = schema.as_object().unwrap();
    let declared = DeclaredSchemas::by_schema(schema);
    let typed = read(r#"{"maxCount":1}"#, &declared, Form::Typed).unwrap();
    assert_eq!(typed.to_string(), r#"{"maxCount":1}"#);
}

#[test]
fn names_of_data_stay() {
    let open = [json!(true), json!({}), json!(false)];
    for others in open {
        let schema = json!({ "properties": { "max_count": {} }, "additionalProperties": others });
        assert_eq!(
            sent(&schema, r#"{"maxCount":1}"#).unwrap(),
            r#"{"max_count":1}"#,
            "{schema}"
        );
    }
    let data = [
        json!({ "properties": { "name": {} }, "additionalProperties": { "type": "string" } }),
        json!({ "properties": { "name": {} }, "patternProperties": { "^N": {} } }),
        json!({ "additionalProperties": { "type": "string" } }),
        json!({}),
    ];
    for schema in data {
        assert_eq!(
            sent(&schema, r#"{"NAME":"x"}"#).unwrap(),
            r#"{"NAME":"x"}"#,
            "{schema}"
        );
    }
}

#[test]
fn integers_are_exact_or_refused_with_their_place() {
    let exact = [
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "10000000000000000000000",
        "1e30",
        "1000000000000000000000000000000.0",
        "0.1",
        r#""1000000000000000000000000000001""#,
    ];
    for number in exact {
        let arguments = sent(&json!({}), &format!(r#"{{"a":{number}}}"#)).unwrap();
        let arguments: Value = serde_json::from_str(&arguments).unwrap();
        let expected: Value = serde_json::from_str(number).unwrap();
        assert_eq!(arguments["a"], expected, "{number}");
    }
    let refused = [
        (
            r#"{"id":1000000000000000000000000000000}"#,
            "`id` is 1000000000000000000000000000000, an integer",
        ),
        (
            r#"{"id":18446744073709551617}"#,
            "`id` is 18446744073709551617, an",
        ),
        (
            r#"{"id":-9223372036854775809}"#,
            "`id` is -9223372036854775809, an",
        ),
        (
            r#"{"a":"[{\"","rows":[1,[1e30,{"x y":[]}],{"b": 99999999999999999999 }]}"#,
            "`rows[2].b` is 99999999999999999999, an",
        ),
        (
            r#"{"x \"y":[0,123456789012345678901234567890]}"#,
            r#"`["x \"y"][1]` is 123456789012345678901234567890"#,
        ),
    ];
    for (text, expected) in refused {
        let problem = sent(&json!({}), text).unwrap_err();
        assert!(problem.starts_with(expected), "{problem}");
        assert!(problem.ends_with("beyond 64 bits, which would be rounded in transit; send it as text, or as a float if rounding is fine"), "{problem}");
    }
    let long = format!(r#"{{"id":{}}}"#, "7".repeat(300));
    assert!(sent(&json!({}), &long).unwrap_err().len() < 250);
}
