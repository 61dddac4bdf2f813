//! Types that components may have: their schemas, and values both ways.

use serde_json::{Value, json};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::{RunResult, RunTypes};
use crate::mismatch::MismatchError;

/// What values may take.
const ALLOWED: u64 = 1 << 20;

/// The types of an imported function: these items are before it, and these are its parameters and its
/// results.
fn types_of(items: &str, function: &str) -> Result<RunTypes, MismatchError> {
    let text = format!(r#"(component {items} (import "run" (func {function})))"#);
    let engine = Engine::default();
    let component = wat::parse_str(text).expect("a component's text");
    let component = Component::new(&engine, component).expect("a component");
    let import = component.component_type().get_import(&engine, "run");
    match import.expect("the import").ty {
        ComponentItem::ComponentFunc(function) => RunTypes::of(&function),
        other => panic!("{other:?}"),
    }
}

/// A function that takes and gives a value of this type.
fn same(items: &str, ty: &str) -> RunTypes {
    types_of(items, &format!(r#"(param "value" {ty}) (result {ty})"#)).expect("its types")
}

/// What comes back of a document.
fn back(types: &RunTypes, document: &Value) -> Result<Value, String> {
    let arguments = json!({ "value": document });
    let values = types.parameters(&arguments, ALLOWED);
    let values = values.map_err(|error| error.to_string())?;
    let result = types
        .result(&values, ALLOWED)
        .map_err(|error| error.to_string())?;
    match result {
        RunResult::Value(Some(json)) => Ok(serde_json::from_str(&json).expect("JSON")),
        other => panic!("{other:?}"),
    }
}

/// The schema of the value.
fn schema(types: &RunTypes) -> Value {
    let schema = types.output_schema().expect("a value").clone();
    let input = &types.input_schema()["properties"]["value"];
    // Of an `option`, the property may be absent, and is not `null`.
    assert!(
        *input == schema || schema["anyOf"][0] == *input,
        "{input}, {schema}"
    );
    schema
}

const REPORT: &str = r#"
    (type $record (record
        (field "the-title" string) (field "low-stock" (option bool)) (field "note" (option (option string)))))
    (import "report" (type $report (eq $record)))"#;
const SHAPE: &str = r#"
    (type $variant (variant (case "point") (case "circle" f64) (case "two-sides" (tuple u8 u8))))
    (import "shape" (type $shape (eq $variant)))"#;
const LEVEL: &str = r#"
    (type $enum (enum "low" "very-high"))
    (import "level" (type $level (eq $enum)))
    (type $flags (flags "read" "write"))
    (import "access" (type $access (eq $flags)))"#;

#[test]
fn values_of_all_types_come_back_the_same() {
    for (items, ty, documents) in [
        ("", "bool", json!([true, false])),
        ("", "s8", json!([-128, 127])),
        ("", "u16", json!([0, 65535])),
        ("", "s64", json!([i64::MIN, i64::MAX])),
        ("", "u64", json!([0, u64::MAX])),
        ("", "f32", json!([0.1, 3, -2.5])),
        ("", "f64", json!([0.1, 1e300, -7])),
        ("", "char", json!(["é"])),
        ("", "string", json!(["", "\"\\\n"])),
        ("", "(list string)", json!([[], ["a", "b"]])),
        ("", "(list u8)", json!(["", "AAEC"])),
        (
            "",
            "(list (tuple string u32))",
            json!([{}, { "a b": 1, "a": 2 }]),
        ),
        (
            "",
            "(tuple string (option u8))",
            json!([["a", null], ["a", 7]]),
        ),
        ("", "(result u8 (error string))", json!([])),
        (LEVEL, "$level", json!(["very-high"])),
        (LEVEL, "$access", json!([[], ["read", "write"]])),
        (
            SHAPE,
            "$shape",
            json!([
                { "tag": "point" }, { "tag": "circle", "val": 2.5 }, { "tag": "two-sides", "val": [1, 2] },
            ]),
        ),
        (
            SHAPE,
            "(list (result $shape))",
            json!([[{ "tag": "ok", "val": { "tag": "point" } }, { "tag": "err" }]]),
        ),
        (
            REPORT,
            "(option $report)",
            json!([
                { "the_title": "a" }, { "the_title": "a", "low_stock": true, "note": null }, { "the_title": "a", "note": "b" },
            ]),
        ),
    ] {
        let types = same(items, ty);
        for document in documents.as_array().expect("a list") {
            assert_eq!(back(&types, document).as_ref(), Ok(document), "{ty}");
        }
    }
}

#[test]
fn schemas_say_what_fits() {
    assert_eq!(
        schema(&same("", "u8")),
        json!({ "type": "integer", "minimum": 0, "maximum": 255 })
    );
    let bytes = json!({ "type": "string", "contentEncoding": "base64" });
    assert_eq!(schema(&same("", "(list u8)")), bytes);
    let map = json!({ "type": "object", "additionalProperties": { "type": "boolean" } });
    assert_eq!(schema(&same("", "(list (tuple string bool))")), map);
    assert_eq!(
        schema(&same("", "(option char)")),
        json!({ "anyOf": [{ "type": "string", "minLength": 1, "maxLength": 1 }, { "type": "null" }] })
    );
    let flags = schema(&same(LEVEL, "$access"));
    assert_eq!(flags["items"]["enum"], json!(["read", "write"]));
    let cases = schema(&same(SHAPE, "$shape"));
    assert_eq!(cases["oneOf"][0]["required"], json!(["tag"]));
    assert_eq!(cases["oneOf"][1]["properties"]["tag"]["const"], "circle");
    assert_eq!(
        cases["oneOf"][1]["properties"]["val"],
        json!({ "type": "number" })
    );
}

#[test]
fn arguments_are_the_fields_of_a_record_or_the_parameters() {
    let record = types_of(
        REPORT,
        r#"(param "input" $report) (result (result u32 (error string)))"#,
    );
    let record = record.expect("its types");
    assert_eq!(
        *record.input_schema(),
        json!({
            "type": "object",
            "properties": {
                "the_title": { "type": "string" },
                "low_stock": { "type": "boolean" },
                "note": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
            "required": ["the_title"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        record.output_schema(),
        Some(&json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }))
    );
    assert!(!record.has_error_data());
    let several = types_of(
        REPORT,
        r#"(param "of-day" string) (param "report" (option $report))"#,
    );
    let several = several.expect("its types");
    assert_eq!(several.input_schema()["required"], json!(["of_day"]));
    assert_eq!(several.output_schema(), None);
    let values = several
        .parameters(&json!({ "of_day": "today" }), ALLOWED)
        .expect("values");
    assert_eq!(values.len(), 2);
    assert_eq!(
        several.result(&[], ALLOWED).expect("a result"),
        RunResult::Value(None)
    );
    let none = types_of("", "").expect("its types");
    assert_eq!(
        none.parameters(&json!({}), ALLOWED).expect("values").len(),
        0
    );
}

#[test]
fn what_does_not_fit_is_an_error_with_its_place() {
    for (items, ty, document, problem) in [
        (
            "",
            "u8",
            json!(256),
            "args.value: 256 does not fit into the type",
        ),
        (
            "",
            "u8",
            json!("1"),
            "args.value: this must be an integer, and is a string",
        ),
        (
            "",
            "u8",
            json!(1.5),
            "args.value: this must be an integer of at most 64 bits",
        ),
        ("", "f32", json!(1e300), "does not fit into 32 bits"),
        (
            "",
            "char",
            json!("ab"),
            "args.value: this must be one character",
        ),
        (
            "",
            "(list bool)",
            json!([true, 1]),
            "args.value[1]: this must be true or false",
        ),
        ("", "(list u8)", json!("AA*"), "this is not base64"),
        (
            REPORT,
            "$report",
            json!({}),
            "args.value: `the_title` is missing",
        ),
        (
            REPORT,
            "$report",
            json!({ "the_title": "", "other": 1 }),
            "args.value: unknown property \"other\"",
        ),
        (
            SHAPE,
            "$shape",
            json!({ "tag": "square" }),
            "args.value.tag: the value is not one of: point, circle",
        ),
        (
            SHAPE,
            "$shape",
            json!({ "tag": "circle" }),
            "args.value: `val` is missing",
        ),
        (
            SHAPE,
            "$shape",
            json!({ "tag": "point", "val": 1 }),
            "the case `point` has no `val`",
        ),
        (
            LEVEL,
            "$level",
            json!("high"),
            "args.value: unknown value \"high\"",
        ),
        (
            "",
            "(list string)",
            json!(vec!["a"; 100_000]),
            "the value takes more than",
        ),
    ] {
        let types = same(items, ty);
        let told = back(&types, &document).expect_err("a problem");
        assert!(told.contains(problem), "{told}");
    }
    let numbers = types_of("", "(result f64)").expect("its types");
    let told = numbers.result(&[wasmtime::component::Val::Float64(f64::NAN)], ALLOWED);
    assert_eq!(
        told.expect_err("a problem").to_string(),
        "result: JSON has no number for NaN"
    );
}

#[test]
fn types_that_json_can_not_express_are_refused_with_their_place() {
    let resource = r#"(import "file" (type $file (sub resource)))"#;
    let refused = |items: &str, function: &str| {
        let problem = types_of(items, function).expect_err("a problem");
        problem.to_string()
    };
    assert_eq!(
        refused(resource, r#"(param "a-file" (list (own $file)))"#),
        "args.a_file[]: a resource is not JSON"
    );
    assert!(
        refused("", "(result (option (option u8)))").starts_with("result: JSON has one `null`")
    );
    let doubled = (0..13).fold("u8".to_owned(), |ty, _| format!("(tuple {ty} {ty})"));
    assert!(refused("", &format!("(result {doubled})")).contains("the types are too large"));
}

#[test]
fn errors_are_texts_or_data() {
    use wasmtime::component::Val;
    let failed = |value| Val::Result(Err(value));
    let text = types_of("", "(result (result (error string)))").expect("its types");
    let told = text.result(
        &[failed(Some(Box::new(Val::String("no stock".into()))))],
        ALLOWED,
    );
    assert_eq!(told.expect("a result"), RunResult::Error("no stock".into()));
    let data = types_of("", "(result (result u8 (error (list u16))))").expect("its types");
    assert!(data.has_error_data());
    let numbers = Val::List(vec![Val::U16(1), Val::U16(2)]);
    let told = data.result(&[failed(Some(Box::new(numbers)))], ALLOWED);
    assert_eq!(told.expect("a result"), RunResult::Error("[1,2]".into()));
    let untold = types_of("", "(result (result u8))").expect("its types");
    let told = untold.result(&[failed(None)], ALLOWED).expect("a result");
    assert!(matches!(told, RunResult::Error(text) if text.contains("does not say why")));
}
