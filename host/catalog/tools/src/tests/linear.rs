//! How the time of what the host computes for a run grows: in proportion to the size, whatever the
//! shape.

use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_linear::assert_linear;
use ampoule_projection::{Detail, Idiom, Tool};
use ampoule_untrusted::json as json_text;
use serde_json::{Value, json};

use super::super::catalog::Catalog;
use super::super::outcome::written;
use super::super::unknown::KnownNames;
use super::super::*;
use super::{Counting, tool};
use crate::search::Index;
use crate::testing::Stub;
use crate::validate::ArgumentCheck;

fn tools(count: usize) -> Vec<Tool> {
    (0..count)
        .map(|index| {
            let name = format!("thing{index}_of_list{}", index * 7919 % 65_536);
            let mut tool = tool(&name);
            tool.description = Some(format!("Does word{index}x with item{index}y."));
            tool
        })
        .collect()
}

/// Names, in letters that differ.
fn many_names(count: usize) -> Vec<String> {
    tools(count).into_iter().map(|tool| tool.name).collect()
}

fn granted(tools: Vec<Tool>, grant: &str) -> GrantedTools {
    let catalog = Catalog::new(vec![Arc::new(Stub::new("listed", tools))]).unwrap();
    GrantedTools::new(catalog, grant.parse().unwrap()).unwrap()
}

/// A tool whose schema that is, resolved.
fn resolved(schema: Value, idiom: Idiom) -> ResolvedTool {
    let tool = serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
    let granted = granted(vec![tool], "*").named_as(idiom);
    let server = granted.servers().next().unwrap().clone();
    granted.known_tools_of(&server).unwrap().remove(0)
}

fn object<T: Into<Value>>(count: usize, member: impl Fn(usize) -> T) -> Value {
    let members = (0..count).map(|index| (format!("n{index}"), member(index).into()));
    Value::Object(members.collect())
}

#[test]
fn names() {
    let servers: Vec<String> = (0..20).map(|index| format!("server-{index}")).collect();
    let servers: Vec<_> = servers.iter().map(|name| (name.as_str(), None)).collect();
    let many = Counting::new(&servers).catalog;
    for part in ["ab.", "ab__", ".", "é."] {
        assert_linear(
            &format!("a name of many times {part}"),
            2_000,
            |size| part.repeat(size),
            |name| assert_eq!(many.splits(name).count(), 0),
        );
    }
    assert_linear(
        "names that one is compared with",
        200,
        many_names,
        |names| {
            let known = KnownNames {
                names,
                idiom: Idiom::default(),
                effort: &Effort::default(),
            };
            let unknown = UnknownNameError::tool("thing12_off_lisst_that_there_is_not", &known);
            assert!(unknown.message.starts_with("unknown tool"));
        },
    );
    let patterns = "listed.thing1*, listed.*7, listed.thing10_of_list1";
    assert_linear("tools that are granted", 500, tools, |tools| {
        let granted = granted(tools.clone(), patterns);
        let server = granted.servers().next().unwrap().clone();
        assert!(!granted.known_tools_of(&server).unwrap().is_empty());
    });
}

#[test]
fn answers() {
    for (name, text) in [("documents", r#"{"a":[1,"b"]}"#), ("texts", "[broken")] {
        let texts = |count| ToolResult {
            content: vec![json!({"type": "text", "text": text}); count],
            ..ToolResult::default()
        };
        assert_linear(
            &format!("an answer of many {name}"),
            2_000,
            texts,
            |answer| {
                let outcome = written(answer.clone(), Form::Script, false);
                assert!(matches!(outcome, CallOutcome::Value(json) if json.starts_with("[{")));
            },
        );
    }
}

#[test]
fn searches() {
    let misspelt: Vec<String> = (0..60).map(|index| format!("wrd{index}xz")).collect();
    let misspelt = misspelt.join(" ");
    let index = |count| {
        let tools = tools(count);
        Index::new(tools.iter().map(|tool| ("server", tool)))
    };
    for (name, query) in [
        ("misspelt words", &*misspelt),
        ("a word of all tools", "thing does server"),
    ] {
        assert_linear(&format!("tools, by {name}"), 100, index, |index| {
            index.search(query, usize::MAX);
        });
    }
    assert_linear("tools that are indexed", 200, tools, |tools| {
        Index::new(tools.iter().map(|tool| ("server", tool)));
    });
    let index = index(200);
    let queries = |count| format!("{misspelt} ").repeat(count);
    assert_linear("a query", 20, queries, |query| {
        index.search(query, 10);
    });
}

#[test]
fn parameters_and_declarations() {
    let wide = |count: usize| {
        let required: Vec<String> = (0..count).rev().map(|index| format!("n{index}")).collect();
        let properties = object(count, |_| json!({ "type": "string" }));
        json!({ "type": "object", "properties": properties, "required": required })
    };
    assert_linear(
        "parameters",
        2_000,
        |size| resolved(wide(size), Idiom::Python),
        |tool| assert!(tool.parameters().len() >= 2_000),
    );
    for idiom in [Idiom::TypeScript, Idiom::Python] {
        assert_linear(
            &format!("a declaration in {idiom:?}"),
            300,
            |size| resolved(wide(size), idiom),
            |tool| assert!(tool.declare(Detail::Full).len() > 1_000),
        );
        assert_linear(
            "its price",
            2_000,
            |size| resolved(wide(size), idiom),
            |tool| assert!(tool.price_of_declaration() > 1_000),
        );
    }
}

/// Panics if the time of a check, and of saying what is wrong, grows out of proportion.
fn assert_checked_in_time(name: &str, size: usize, make: impl Fn(usize) -> (Value, Value)) {
    let compiled = |size| {
        let (schema, arguments) = make(size);
        let tool: Tool =
            serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
        let check = ArgumentCheck::new(&tool);
        // What is compiled once is measured by itself.
        let _ = check.check(&json!({}), Idiom::default(), &Effort::default());
        (check, arguments)
    };
    assert_linear(name, size, compiled, |(check, arguments)| {
        let _ = check
            .check(arguments, Idiom::default(), &Effort::default())
            .unwrap();
    });
}

#[test]
fn checks() {
    let rows = |schema: Value, row: Value| {
        move |size: usize| {
            let schema = json!({ "properties": { "rows": { "items": schema } }, "$defs": { "a": { "properties": { "a": {} } } } });
            (schema, json!({ "rows": vec![row.clone(); size] }))
        }
    };
    let required: Vec<String> = (0..100).map(|index| format!("n{index}")).collect();
    let choice = json!({ "anyOf": [{ "type": "object", "required": ["a"] }, { "type": "object", "required": ["b"] }] });
    let patterns = object(50, |_| json!({ "type": "string" }));
    let shapes = [
        (
            "rows that lack names",
            json!({ "required": required }),
            json!({}),
        ),
        ("rows that fit no form", choice, json!({})),
        (
            "rows that are not listed",
            json!({ "enum": required }),
            json!("x"),
        ),
        (
            "rows with patterns",
            json!({ "patternProperties": patterns }),
            json!({ "n": 1 }),
        ),
        (
            "rows with unknown properties",
            json!({ "additionalProperties": false, "properties": object(100, |_| json!({})) }),
            json!({ "m1": 1, "m2": 2 }),
        ),
        (
            "long texts",
            json!({ "pattern": "^(a|b|ab)*c$", "maxLength": 5 }),
            json!("ab".repeat(50)),
        ),
        (
            "names with a pattern",
            json!({ "propertyNames": { "allOf": [{ "pattern": "^(a|b)*c$" }, { "maxLength": 5 }] } }),
            json!({ "ab".repeat(50): 1 }),
        ),
        (
            "rows under a condition",
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "required": ["c"] } }),
            json!({ "a": 1 }),
        ),
        (
            "properties that need others",
            json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "a": { "required": ["c"] } } }),
            json!({ "a": 1 }),
        ),
        (
            "rows with unevaluated properties",
            json!({ "allOf": [{ "allOf": [{ "$ref": "#/$defs/a" }] }, { "properties": { "b": {} } }], "unevaluatedProperties": false }),
            json!({ "a": 1, "b": 2, "c": 3 }),
        ),
        (
            "rows that lack an item",
            json!({ "contains": { "const": 1 }, "unevaluatedItems": false }),
            json!([2, 3, 4]),
        ),
        (
            "rows of no form that is known",
            json!({ "oneOf": [{ "properties": { "kind": { "const": "a" } } }, { "properties": { "kind": { "const": "b" } } }] }),
            json!({ "kind": "c" }),
        ),
    ];
    for (name, schema, row) in shapes {
        assert_checked_in_time(name, 200, rows(schema, row));
    }
    assert_checked_in_time("items that are unlike", 2_000, |size| {
        let schema = json!({ "properties": { "rows": { "uniqueItems": true } } });
        (schema, json!({ "rows": (0..size).collect::<Vec<_>>() }))
    });
    assert_checked_in_time("unknown and known properties", 200, |size| {
        let schema =
            json!({ "additionalProperties": false, "properties": object(size, |_| json!({})) });
        let unknown = (0..size).map(|index| (format!("m{index}"), json!(1)));
        (schema, Value::Object(unknown.collect()))
    });
    assert_checked_in_time("forms of a union", 50, |size| {
        let kind = |index| json!({ "properties": { "kind": { "const": index } }, "required": ["kind", "x"] });
        let kinds: Vec<Value> = (0..size).map(kind).collect();
        let schema = json!({ "properties": { "a": { "oneOf": kinds }, "b": { "oneOf": kinds } } });
        (schema, json!({ "a": { "kind": "z" }, "b": { "kind": 1 } }))
    });
    assert_checked_in_time("one long text", 20_000, |size| {
        let schema = json!({ "properties": { "a": { "pattern": "(x+x+)+y", "enum": ["a"] } } });
        (schema, json!({ "a": "x".repeat(size) }))
    });
    assert_checked_in_time("a list of values", 500, |size| {
        let values: Vec<String> = (0..size).map(|index| format!("value {index}")).collect();
        (
            json!({ "properties": { "a": { "enum": values } } }),
            json!({ "a": "valu 7" }),
        )
    });
    assert_linear(
        "a schema that is compiled",
        500,
        |size| {
            let required: Vec<String> = (0..size).map(|index| format!("n{index}")).collect();
            let reference = |_| json!({ "$ref": "#/$defs/a" });
            let schema = json!({ "properties": object(size, reference), "required": required, "$defs": { "a": { "enum": required } } });
            serde_json::from_value::<Tool>(json!({ "name": "tool", "inputSchema": schema }))
                .unwrap()
        },
        |tool| {
            let checked =
                ArgumentCheck::new(tool).check(&json!({}), Idiom::default(), &Effort::default());
            assert!(checked.unwrap().is_err());
        },
    );
}

#[test]
fn documents_on_their_way() {
    let rows = |size: usize| json!(vec![json!({ "a": [1, "text", null] }); size]).to_string();
    assert_linear("arguments as values", 1_000, rows, |text| {
        assert!(json_text::parsed_bytes(text) > 1_000);
    });
    let blocks = |size: usize| vec![json!({ "type": "text", "text": "word\n" }); size];
    // Few enough to be in the processor's caches at each size.
    assert_linear("blocks", 300, blocks, |blocks| {
        for _ in 0..20 {
            assert!(json_text::bytes_of(blocks, u64::MAX) > 1_000);
        }
    });
    for is_error in [false, true] {
        assert_linear("an answer", 1_000, blocks, |blocks| {
            let result = ToolResult {
                content: blocks.clone(),
                structured_content: None,
                is_error,
                meta: None,
            };
            let outcome = outcome::written(result, Form::Script, false);
            assert!(outcome.bytes() > 1_000);
        });
    }
}

/// What would take more than is reasonable, as one size is multiplied by another, is not begun.
#[test]
fn products_are_bounded() {
    let names: Vec<String> = (0..20_000).map(|index| format!("n{index}")).collect();
    let patterns = object(900, |_| json!({ "type": "string" }));
    let mut branching = json!({});
    for _ in 0..60 {
        branching = json!({ "a": branching });
    }
    let objects = json!({ "a": vec![json!({}); 20_000] });
    let texts = json!({ "a": vec!["x"; 20_000] });
    let members = json!({ "a": object(20_000, |_| 1) });
    let twice = json!({ "properties": { "a": { "$ref": "#" } } });
    let cases = [
        (
            "required",
            json!({ "properties": { "a": { "items": { "required": names } } } }),
            &objects,
        ),
        (
            "enum",
            json!({ "properties": { "a": { "items": { "enum": names } } } }),
            &texts,
        ),
        (
            "names",
            json!({ "properties": { "a": { "propertyNames": { "enum": names } } } }),
            &members,
        ),
        (
            "patterns",
            json!({ "properties": { "a": { "patternProperties": patterns } } }),
            &members,
        ),
        (
            "forms within forms",
            json!({ "oneOf": [twice, twice, { "type": "string" }] }),
            &branching,
        ),
    ];
    for (name, schema, arguments) in cases {
        let tool: Tool =
            serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
        let effort = Effort::default();
        let checked = ArgumentCheck::new(&tool)
            .check(arguments, Idiom::default(), &effort)
            .unwrap();
        assert_eq!(checked, Ok(()), "{name}");
        let spent = effort.take_spent();
        assert!(spent < 400_000_000, "{name}: {spent} units");
    }
}

#[test]
fn a_check_that_can_not_be_paid_is_broken_off() {
    let names: Vec<String> = (0..100).map(|index| format!("n{index}")).collect();
    let schema = json!({ "properties": { "a": { "items": { "required": names } } } });
    let tool: Tool =
        serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).unwrap();
    let arguments = json!({ "a": vec![json!({}); 5_000] });
    let check = ArgumentCheck::new(&tool);
    assert!(
        check
            .check(&arguments, Idiom::default(), &Effort::of(1_000_000))
            .is_err()
    );
    assert!(
        check
            .check(&arguments, Idiom::default(), &Effort::default())
            .unwrap()
            .is_err()
    );
}
