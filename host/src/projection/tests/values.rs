//! Documents as values of WIT, and back: whatever a type allows comes back the same.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Number, Value, json};

use super::super::names::{Names, Style};
use super::super::types::{Bounds, Definition, Extra, Type};
use super::super::wit::value::{Answer, DecodeError};
use super::super::wit::{self, Package};
use super::super::{Interface, Tool};
use super::random::{bytes, json as any_json, tools as random_tools};
use super::{json_files, tool, tools_in};

/// How much memory a value may take, in bytes.
const ALLOWED: u64 = 64 << 20;
/// How deep generated documents nest before they get simple.
const DEPTH: usize = 12;

#[test]
fn what_real_schemas_allow_comes_back_the_same() {
    for folder in ["tools", "projection"] {
        for path in json_files(folder) {
            assert_all_come_back(&tools_in(&path), 30);
        }
    }
}

#[test]
fn what_random_schemas_allow_comes_back_the_same() {
    for case in 0..500 {
        let bytes = bytes(case, 3_000);
        assert_all_come_back(&random_tools(&mut Unstructured::new(&bytes)).unwrap(), 5);
    }
}

/// Panics unless documents of each tool's types come back from values as they were.
fn assert_all_come_back(tools: &[Tool], documents: u64) {
    let interface = Interface::of(tools);
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    let package = wit::package("server", &interface, &names);
    for (index, function) in interface.functions.iter().enumerate() {
        let signature = &package.functions[index];
        for document in 0..documents {
            let bytes = bytes(document, 4_000);
            let mut u = Unstructured::new(&bytes);
            if signature.arguments.is_some() {
                let given = generate(&function.arguments.ty, &interface, 0, &mut u).unwrap();
                let values = package
                    .parameters(signature, &given.to_string(), ALLOWED)
                    .unwrap_or_else(|error| panic!("{error}\n{given}\n{package}"));
                let taken = package.arguments(signature, &values).unwrap();
                assert_same(&given, &taken, &package);
            }
            if let Some(result) = &function.result {
                let given = generate(&result.ty, &interface, 0, &mut u).unwrap();
                let text = given.to_string();
                let value = package
                    .result(signature, Answer::Structured(&text), ALLOWED)
                    .unwrap_or_else(|error| panic!("{error}\n{given}\n{package}"));
                let taken = package.json_of_result(signature, &value).unwrap();
                assert_same(&given, &taken, &package);
            }
        }
    }
}

fn assert_same(given: &Value, taken: &str, package: &Package) {
    let read: Value = serde_json::from_str(taken).unwrap();
    assert!(same(given, &read), "{given}\nbecame\n{read}\n{package}");
}

/// Whether two documents mean the same: the order of properties and the writing of numbers do not matter, the sign of zero does.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, value)| b.get(name).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a == b,
        _ => a.as_f64().map(f64::to_bits) == b.as_f64().map(f64::to_bits),
    }
}

/// A document that a type allows.
fn generate(
    ty: &Type,
    interface: &Interface,
    depth: usize,
    u: &mut Unstructured<'_>,
) -> Result<Value> {
    let inside = |ty: &Type, u: &mut Unstructured<'_>| generate(ty, interface, depth + 1, u);
    let count = |u: &mut Unstructured<'_>| {
        if depth > DEPTH {
            Ok(0)
        } else {
            u.int_in_range(0..=3)
        }
    };
    if depth > 4 * DEPTH {
        // So deep, a type has met itself, and takes anything.
        return Ok(Value::Null);
    }
    Ok(match ty {
        Type::Any | Type::Never => any_json(u, 2)?,
        Type::Null => Value::Null,
        Type::Boolean => Value::Bool(u.arbitrary()?),
        Type::Integer(bounds) => integer(bounds, u)?,
        Type::Number => number(u)?,
        Type::String => Value::String(u.arbitrary()?),
        Type::Enum(values) => u.choose(&values.values)?.value.clone(),
        Type::Array(item) => {
            let items = 0..count(u)?;
            Value::Array(items.map(|_| inside(&item.ty, u)).collect::<Result<_>>()?)
        }
        Type::Tuple(tuple) => {
            let length = u.int_in_range(tuple.required..=tuple.items.len())?;
            let mut items = Vec::new();
            for item in &tuple.items[..length] {
                items.push(inside(&item.ty, u)?);
            }
            if let (true, Some(rest)) = (length == tuple.items.len(), &tuple.rest) {
                for _ in 0..count(u)? {
                    items.push(inside(rest, u)?);
                }
            }
            Value::Array(items)
        }
        Type::Record(record) => {
            let mut object = Map::new();
            for property in &record.properties {
                if property.required || (depth <= DEPTH && u.arbitrary()?) {
                    object.insert(property.name.clone(), inside(&property.value.ty, u)?);
                }
            }
            let extra = match &record.extra {
                Extra::Any => Some(&Type::Any),
                Extra::Of(ty) => Some(&**ty),
                Extra::Unstated | Extra::Closed => None,
            };
            if let Some(ty) = extra {
                for index in 0..count(u)? {
                    let name = format!("extra {index}");
                    if record
                        .properties
                        .iter()
                        .all(|property| property.name != name)
                    {
                        object.insert(name, inside(ty, u)?);
                    }
                }
            }
            Value::Object(object)
        }
        Type::Union(union) => inside(&u.choose(&union.variants)?.ty, u)?,
        Type::Nullable(_) if u.arbitrary()? => Value::Null,
        Type::Nullable(ty) => inside(ty, u)?,
        Type::Named(id) => {
            let Definition { value, .. } = interface.definition(*id);
            inside(&value.ty, u)?
        }
    })
}

fn integer(bounds: &Bounds, u: &mut Unstructured<'_>) -> Result<Value> {
    let unsigned = bounds.minimum.is_some_and(|minimum| minimum >= 0);
    let (low, high) = if unsigned && bounds.maximum.is_some_and(|most| most > i64::MAX.into()) {
        (0, i128::from(u64::MAX))
    } else {
        (i64::MIN.into(), i64::MAX.into())
    };
    let low = bounds.minimum.unwrap_or(low).clamp(low, high);
    let high = bounds.maximum.unwrap_or(high).clamp(low, high);
    let chosen = match u.int_in_range(0..=3)? {
        0 => low,
        1 => high,
        _ => u.int_in_range(low..=high)?,
    };
    Ok(Value::Number(Number::from_i128(chosen).unwrap()))
}

fn number(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match u.int_in_range(0..=4)? {
        0 => json!(-0.0),
        1 => json!(u.arbitrary::<i32>()?),
        2 => json!(9_007_199_254_740_992_u64),
        3 => json!(0.1),
        _ => json!(u.arbitrary::<f64>()?.clamp(-1e300, 1e300))
            .as_f64()
            .map_or(json!(1), Value::from),
    })
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
            r#"result.e: the value is none of: "a", "b""#,
        ),
        (
            r#"{"n": 1, "u": [1, "x"]}"#,
            "result.u: the value fits none of: text, items",
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
