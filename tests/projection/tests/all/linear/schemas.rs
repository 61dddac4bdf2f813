//! Declarations of schemas of many shapes.

use ampoule_projection::{Detail, Tool};
use ampoule_projection_tests::{python, tool, typescript, wit};
use serde_json::{Map, Value, json};

use super::assert_linear;

/// Panics if the time to declare tools in all languages grows out of proportion.
fn assert_declared_in_time(name: &str, size: usize, make: impl Fn(usize) -> Vec<Tool>) {
    assert_linear(name, size, make, |tools| {
        let declared = [
            typescript("server", tools, Detail::Full),
            typescript("server", tools, Detail::Whole),
            python(tools, Detail::Full),
            python(tools, Detail::Whole),
            wit("server", tools),
        ];
        assert!(declared.iter().all(|text| !text.is_empty()));
    });
}

/// One tool with such a schema for its arguments and for its result.
fn one(schema: Value) -> Vec<Tool> {
    vec![tool("tool", schema.clone(), Some(schema))]
}

/// An object with so many properties.
pub(super) fn object(count: usize, property: impl Fn(usize) -> (String, Value)) -> Value {
    let properties: Map<String, Value> = (0..count).map(property).collect();
    json!({ "type": "object", "properties": properties })
}

/// An object with so many definitions, each of which is the value of a property as well.
fn defined(count: usize, definition: impl Fn(usize) -> Value) -> Value {
    let mut schema = object(count, |index| (format!("p{index}"), reference(index)));
    let definitions: Map<String, Value> = (0..count)
        .map(|index| (format!("D{index}"), definition(index)))
        .collect();
    schema["$defs"] = Value::Object(definitions);
    schema
}

fn reference(index: usize) -> Value {
    json!({ "$ref": format!("#/$defs/D{index}") })
}

#[test]
fn properties() {
    assert_declared_in_time("properties", 200, |n| {
        one(object(n, |index| {
            (
                format!("property {index}"),
                json!({ "type": "string", "description": "What it is." }),
            )
        }))
    });
    assert_declared_in_time("required properties", 200, |n| {
        let names: Vec<String> = (0..n).map(|index| format!("p{index}")).collect();
        one(json!({ "type": "object", "required": names }))
    });
    assert_declared_in_time("properties with objects", 100, |n| {
        one(object(n, |index| {
            (
                format!("p{index}"),
                object(2, |inner| {
                    (format!("p{inner}"), json!({ "type": "integer" }))
                }),
            )
        }))
    });
    assert_declared_in_time("names that are alike", 100, |n| {
        one(object(n, |index| {
            (
                "_".repeat(index % 7) + &"-".repeat(index / 7),
                json!({ "type": "string" }),
            )
        }))
    });
}

#[test]
fn nesting() {
    let tower = |height: usize| {
        (0..height).fold(json!({ "type": "string" }), |inner, _| json!({ "type": "object", "properties": { "x": inner, "y": { "type": "string" } } }))
    };
    assert_declared_in_time("depth", 8, |n| one(tower(n)));
    assert_declared_in_time("towers", 5, |n| {
        one(object(n, |index| (format!("p{index}"), tower(100))))
    });
    assert_declared_in_time("arrays of arrays", 8, |n| {
        one((0..n).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": "array", "description": "What it is.", "items": inner }),
        ))
    });
}

#[test]
fn choices() {
    let branch = |index: usize| json!({ "type": "object", "properties": { format!("p{index}"): { "type": "string" } }, "required": [format!("p{index}")] });
    assert_declared_in_time("objects in a choice", 50, |n| {
        let branches: Vec<Value> = (0..n).map(branch).collect();
        one(object(1, |_| {
            ("p".to_owned(), json!({ "anyOf": branches }))
        }))
    });
    assert_declared_in_time("constants in a choice", 100, |n| {
        let branches: Vec<Value> = (0..n)
            .map(|index| json!({ "const": format!("value {index}"), "description": "What it is." }))
            .collect();
        one(object(1, |_| {
            ("p".to_owned(), json!({ "oneOf": branches }))
        }))
    });
    assert_declared_in_time("a choice with a discriminator", 50, |n| {
        let branches: Vec<Value> = (0..n).map(|index| json!({ "type": "object", "properties": { "kind": { "const": format!("k{index}") }, "x": { "type": "string" } } })).collect();
        one(object(1, |_| {
            ("p".to_owned(), json!({ "oneOf": branches }))
        }))
    });
    assert_declared_in_time("a choice between definitions", 50, |n| {
        let mut schema = defined(n, |index| {
            object(3, |inner| {
                (format!("p{index} {inner}"), json!({ "type": "string" }))
            })
        });
        schema["properties"]["any"] = json!({ "anyOf": (0..n).map(reference).collect::<Vec<_>>() });
        one(schema)
    });
    assert_declared_in_time("many choices", 25, |n| {
        one(object(n, |index| {
            (
                format!("p{index}"),
                json!({ "anyOf": [branch(index), branch(index + 1), { "type": "string" }] }),
            )
        }))
    });
    assert_declared_in_time("a choice beside properties", 50, |n| {
        let mut schema = object(n, |index| {
            (format!("s{index}"), json!({ "type": "string" }))
        });
        schema["oneOf"] = (0..n).map(branch).collect();
        one(schema)
    });
}

#[test]
fn values() {
    let list = |n: usize| {
        (0..n)
            .map(|index| format!("value {index}"))
            .collect::<Vec<_>>()
    };
    assert_declared_in_time("an enumeration", 1_000, |n| {
        one(object(1, |_| ("v".to_owned(), json!({ "enum": list(n) }))))
    });
    assert_declared_in_time("many enumerations", 50, |n| {
        one(object(n, |index| {
            (
                format!("v{index}"),
                json!({ "enum": [format!("a{index}"), "b", 3] }),
            )
        }))
    });
    assert_declared_in_time("an enumeration in many places", 500, |n| {
        let mut schema = object(n, |index| {
            (
                format!("p{index}"),
                json!({ "$ref": "#/$defs/E", "enum": [format!("value {index}")] }),
            )
        });
        schema["$defs"] = json!({ "E": { "enum": list(n) } });
        one(schema)
    });
}

#[test]
fn references() {
    let next = |index: usize, n: usize| json!({ "type": "object", "properties": { "next": reference((index + 1) % n), "other": reference((index * 7 + 3) % n), "text": { "type": "string" } } });
    assert_declared_in_time("mutual recursion", 25, |n| {
        one(defined(n, |index| next(index, n)))
    });
    assert_declared_in_time("a chain", 50, |n| {
        one(defined(n, |index| {
            if index + 1 < n {
                json!({ "type": "object", "properties": { "next": reference(index + 1) } })
            } else {
                json!({ "type": "string" })
            }
        }))
    });
    assert_declared_in_time("a chain of names alone", 50, |n| {
        one(defined(n, |index| {
            if index + 1 < n {
                reference(index + 1)
            } else {
                json!({ "type": "string" })
            }
        }))
    });
    assert_declared_in_time("one definition in many places", 100, |n| {
        let mut schema = object(n, |index| {
            (
                format!("p{index}"),
                json!({ "$ref": "#/$defs/D", "description": format!("Number {index}.") }),
            )
        });
        schema["$defs"] =
            json!({ "D": object(4, |inner| (format!("p{inner}"), json!({ "type": "string" }))) });
        one(schema)
    });
    assert_declared_in_time("a chain of parts", 50, |n| {
        let mut schema = defined(
            n,
            |index| json!({ "allOf": [reference(index + 1), object(1, |_| (format!("p{index}"), json!({ "type": "string" })))] }),
        );
        schema["$defs"][format!("D{n}")] =
            object(1, |_| ("last".to_owned(), json!({ "type": "string" })));
        schema["properties"] = json!({ "first": reference(0) });
        one(schema)
    });
    assert_declared_in_time("many parts", 50, |n| {
        one(
            json!({ "allOf": (0..n).map(|index| object(1, |_| (format!("p{index}"), json!({ "type": "string" })))).collect::<Vec<_>>() }),
        )
    });
    assert_declared_in_time("anchors", 50, |n| {
        let mut schema = object(n, |index| {
            (format!("p{index}"), json!({ "$ref": format!("#a{index}") }))
        });
        let definitions: Map<String, Value> = (0..n)
            .map(|index| {
                (
                    format!("D{index}"),
                    json!({ "$anchor": format!("a{index}"), "type": "string" }),
                )
            })
            .collect();
        schema["$defs"] = Value::Object(definitions);
        one(schema)
    });
}

#[test]
fn texts() {
    let said = |text: String| {
        let schema = json!({ "type": "object", "title": text, "description": text, "default": text, "examples": [text], "properties": { "p": { "description": text, "pattern": text, "not": { "const": text } } } });
        let mut tools = one(schema);
        tools[0].description = Some(text);
        tools
    };
    assert_declared_in_time("a long description", 1_250, |n| said("word ".repeat(n)));
    assert_declared_in_time("many lines", 1_250, |n| said("a\n".repeat(n)));
    assert_declared_in_time("ends of comments", 1_250, |n| said("*/".repeat(n)));
    assert_declared_in_time("long names", 375, |n| {
        let long = "longName_".repeat(n);
        let mut tools = one(
            json!({ "type": "object", "title": long, "properties": { long.clone(): { "type": "object", "properties": { long.clone(): { "enum": [long] } } } } }),
        );
        tools[0].name = long;
        tools
    });
    assert_declared_in_time("a long description in many places", 120, |n| {
        let mut schema = object(n, |index| {
            (
                format!("p{index}"),
                json!({ "$ref": "#/$defs/D", "properties": { format!("q{index}"): true } }),
            )
        });
        schema["$defs"] = json!({ "D": { "description": "word ".repeat(20 * n), "default": "word ".repeat(20 * n), "not": { "const": "word ".repeat(20 * n) } } });
        one(schema)
    });
}

#[test]
fn tools() {
    assert_declared_in_time("tools that share definitions", 25, |n| {
        let schema = defined(3, |index| {
            object(3, |inner| {
                (format!("p{inner}"), reference((index + inner) % 3))
            })
        });
        (0..n)
            .map(|index| {
                tool(
                    &format!("tool {index}"),
                    schema.clone(),
                    Some(schema.clone()),
                )
            })
            .collect()
    });
    assert_declared_in_time("tools with definitions of their own", 25, |n| {
        (0..n)
            .map(|tool_index| {
                let schema = defined(3, |index| {
                    object(3, |inner| {
                        (
                            format!("p{tool_index} {inner}"),
                            reference((index + inner) % 3),
                        )
                    })
                });
                tool(&format!("tool {tool_index}"), schema.clone(), Some(schema))
            })
            .collect()
    });
    assert_declared_in_time("tools of the same name", 25, |n| {
        (0..n)
            .map(|_| tool("tool", json!({ "type": "object" }), None))
            .collect()
    });
}
