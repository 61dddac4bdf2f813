//! Documents as values of WIT, and back: whatever a type allows comes back the same.

use ampoule_projection::Interface;
use ampoule_projection::names::{Names, Style};
use ampoule_projection::wit::{self, Package};
use ampoule_projection_tests::{
    ALLOWED, assert_come_back, bytes, json_files, tool, tools as random_tools, tools_in,
};
use ampoule_values::{Answer, DecodeError, PackageValues as _};
use arbitrary::Unstructured;
use serde_json::{Value, json};

#[test]
fn what_real_schemas_allow_comes_back_the_same() {
    for folder in ["tools", "projection"] {
        for path in json_files(folder) {
            let tools = tools_in(&path);
            for document in 0..10 {
                let bytes = bytes(document, 4_000 * tools.len());
                assert_come_back(&tools, &mut Unstructured::new(&bytes));
            }
        }
    }
}

#[test]
fn what_random_schemas_allow_comes_back_the_same() {
    for case in 0..200 {
        let schemas = bytes(case, 3_000);
        let tools = random_tools(&mut Unstructured::new(&schemas)).unwrap();
        for document in 0..5 {
            let documents = bytes(document, 12_000);
            assert_come_back(&tools, &mut Unstructured::new(&documents));
        }
    }
}

/// A package with one tool, whose arguments and result have this schema.
fn package(schema: Value) -> Package {
    let input = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
    let tools = [tool("t", input, Some(schema))];
    let names = Names::new(["t"], Style::Kebab);
    wit::package("server", &Interface::of(&tools), &names)
}

/// What is wrong with a document as a result of this schema.
fn problem(schema: Value, document: &str) -> String {
    let package = package(schema);
    match package.result(&package.functions[0], Answer::Structured(document), ALLOWED) {
        Err(DecodeError::Mismatch(mismatch)) => mismatch.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let object = json!({"type": "object", "properties": {
        "n": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "string"}},
        "to do": {"type": "boolean"},
        "e": {"enum": ["a", "b"]},
        "u": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
    }, "required": ["n"]});
    for (document, expected) in [
        (
            r#"{"n": 1.5}"#,
            "result.n: invalid type: floating point `1.5`, expected an integer",
        ),
        (
            r#"{"n": 9223372036854775808}"#,
            "result.n: 9223372036854775808 does not fit into s64",
        ),
        (
            r#"{"n": 12345678901234567890123}"#,
            "result.n: 12345678901234568000000 does not fit into 64 bits",
        ),
        (
            r#"{"n": 1, "list": ["a", 2]}"#,
            "result.list[1]: invalid type: integer `2`, expected a string",
        ),
        (
            r#"{"n": 1, "to do": 0}"#,
            r#"result["to do"]: invalid type: integer `0`, expected true or false"#,
        ),
        (
            r#"{"n": 1, "e": "c"}"#,
            r#"result.e: the value is not one of: "a", "b""#,
        ),
        (
            r#"{"n": 1, "u": [1, "x"]}"#,
            "result.u: the value matches none of: text, items",
        ),
        ("{}", r#"result: the property "n" is missing"#),
        ("[]", "result: invalid type: sequence, expected an object"),
        ("{\"n\": 1", "result: EOF while parsing an object"),
    ] {
        assert_eq!(problem(object.clone(), document), expected, "{document}");
    }
    assert_eq!(
        problem(json!({"type": "number"}), "9007199254740993"),
        "result: 9007199254740993 does not fit into f64 without losing digits"
    );
}

#[test]
fn a_null_that_the_schema_does_not_allow_is_absent() {
    let schema = json!({"type": "object", "properties": {"s": {"type": "string"}, "n": {"type": ["string", "null"]}, "u": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}}, "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}});
    let package = package(schema);
    let function = &package.functions[0];
    let value = package
        .result(
            function,
            Answer::Structured(r#"{"s": null, "n": null, "u": null, "more": 1}"#),
            ALLOWED,
        )
        .unwrap();
    assert_eq!(
        package.json_of_result(function, &value).unwrap(),
        r#"{"n":null}"#
    );
}

#[test]
fn a_union_takes_the_type_that_loses_least() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"cat": {"type": "string"}, "lives": {"type": "integer"}}},
        {"type": "object", "properties": {"dog": {"type": "string"}}},
    ]});
    let package = package(schema);
    let function = &package.functions[0];
    for document in [r#"{"dog":"Rex"}"#, r#"{"cat":"Tom","lives":9}"#, "{}"] {
        let value = package
            .result(function, Answer::Structured(document), ALLOWED)
            .unwrap();
        assert_eq!(package.json_of_result(function, &value).unwrap(), document);
    }
}

#[test]
fn nested_unions_take_time_in_proportion_to_the_document() {
    let mut schema = json!({"type": "string"});
    let mut document = json!(1);
    for _ in 0..25 {
        schema = json!({"anyOf": [
            {"type": "object", "properties": {"a": schema}, "required": ["a"]},
            {"type": "object", "properties": {"a": schema, "b": {"type": "string"}}, "required": ["a"]},
        ]});
        document = json!({"a": document});
        if schema.to_string().len() > 1 << 16 {
            break;
        }
    }
    // Ends at once, one way or the other.
    let package = package(schema);
    let text = document.to_string();
    assert!(
        package
            .result(&package.functions[0], Answer::Structured(&text), ALLOWED)
            .is_err()
    );
}

#[test]
fn a_value_takes_no_more_memory_than_is_allowed() {
    let package = package(json!({"type": "array", "items": {"type": "boolean"}}));
    let document = format!("[{}true]", "true,".repeat(100_000));
    let answer = Answer::Structured(&document);
    assert!(
        package
            .result(&package.functions[0], answer, ALLOWED)
            .is_ok()
    );
    let refused = package.result(&package.functions[0], answer, 1 << 20);
    assert!(matches!(
        refused,
        Err(DecodeError::TooLarge { allowed: 1_048_576 })
    ));
}

#[test]
fn content_blocks_are_typed_where_they_are_known() {
    let tools = [tool("t", json!({"type": "object"}), None)];
    let names = Names::new(["t"], Style::Kebab);
    let package = wit::package("server", &Interface::of(&tools), &names);
    let blocks = r#"[{"type":"text","text":"hi"},{"type":"image","data":"AQI=","mimeType":"image/png"},{"type":"audio"},{"type":"resource_link","uri":"x:y"}]"#;
    let value = package
        .result(&package.functions[0], Answer::Content(blocks), ALLOWED)
        .unwrap();
    let shown = format!("{value:?}");
    for part in [
        r#"Variant("text", Some(String("hi")))"#,
        r#"("data", List([U8(1), U8(2)])), ("mime-type", String("image/png"))"#,
        r#"Variant("other", Some(String("{\"type\":\"audio\"}")))"#,
        r#"resource_link"#,
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}

#[test]
fn a_picture_is_measured_before_it_is_taken_apart() {
    let tools = [tool("t", json!({"type": "object"}), None)];
    let names = Names::new(["t"], Style::Kebab);
    let package = wit::package("server", &Interface::of(&tools), &names);
    let blocks = json!([{"type": "image", "mimeType": "image/png", "data": "AAAA".repeat(10_000)}])
        .to_string();
    let taken = |allowed| package.result(&package.functions[0], Answer::Content(&blocks), allowed);
    assert!(matches!(
        taken(100_000),
        Err(DecodeError::TooLarge { allowed: 100_000 })
    ));
    assert!(taken(10_000_000).is_ok());
}
