//! Schemas that nobody thought of: made at random, right and wrong ones alike.

use ampoule_projection::{Hints, Tool};
use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Some tools with schemas that are right, wrong, and twisted.
pub fn tools(u: &mut Unstructured<'_>) -> Result<Vec<Tool>> {
    let mut tools = Vec::new();
    for index in 0..u.int_in_range(1..=3)? {
        let mut input = object(u, 5)?;
        if u.ratio(9, 10)? {
            input.insert("type".to_owned(), json!("object"));
            input.insert("properties".to_owned(), value_of(u, "properties", 5)?);
        }
        input.insert("$defs".to_owned(), definitions(u)?);
        let output = if u.arbitrary()? {
            Some(schema(u, 4)?)
        } else {
            None
        };
        tools.push(Tool {
            name: format!("{}{index}", name(u)?),
            title: None,
            description: Some(text(u)?),
            input_schema: input.into(),
            output_schema: output.map(Into::into),
            annotations: Hints::default(),
            ui: None,
            seen: Default::default(),
        });
    }
    Ok(tools)
}

fn definitions(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut definitions = Map::new();
    for name in ["A", "B", "C"] {
        definitions.insert(name.to_owned(), schema(u, 3)?);
    }
    Ok(Value::Object(definitions))
}

fn schema(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=19)? {
        0 => Value::Bool(u.arbitrary()?),
        1 => json(u, 2)?,
        2..=4 => json!({ "$ref": reference(u)? }),
        _ => Value::Object(object(u, depth)?),
    })
}

fn object(u: &mut Unstructured<'_>, depth: usize) -> Result<Map<String, Value>> {
    /// Those that types nest by.
    const NESTING: &[&str] = &[
        "properties",
        "properties",
        "items",
        "prefixItems",
        "additionalProperties",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
    ];
    const OTHER: &[&str] = &[
        "type",
        "type",
        "required",
        "patternProperties",
        "additionalItems",
        "enum",
        "const",
        "not",
        "if",
        "then",
        "else",
        "nullable",
        "description",
        "title",
        "default",
        "minimum",
        "maximum",
        "minItems",
        "format",
        "dependentSchemas",
        "deprecated",
        "pattern",
        "propertyNames",
        "$anchor",
        "$id",
        "discriminator",
    ];
    let mut schema = Map::new();
    for _ in 0..u.int_in_range(0..=4)? {
        let keywords = if u.arbitrary()? { NESTING } else { OTHER };
        let keyword = *u.choose(keywords)?;
        let value = if u.ratio(1, 20)? {
            json(u, 2)?
        } else {
            value_of(u, keyword, depth)?
        };
        schema.insert(keyword.to_owned(), value);
    }
    Ok(schema)
}

fn value_of(u: &mut Unstructured<'_>, keyword: &str, depth: usize) -> Result<Value> {
    if depth == 0 {
        return json(u, 1);
    }
    Ok(match keyword {
        "type" => {
            let types = [
                "string", "integer", "number", "boolean", "null", "array", "object", "object",
                "strnig",
            ];
            if u.ratio(1, 4)? {
                json!([*u.choose(&types)?, *u.choose(&types)?])
            } else {
                json!(*u.choose(&types)?)
            }
        }
        "properties" | "patternProperties" | "dependentSchemas" => {
            let mut properties = Map::new();
            for _ in 0..u.int_in_range(1..=4)? {
                properties.insert(name(u)?, schema(u, depth - 1)?);
            }
            Value::Object(properties)
        }
        "required" => json!([name(u)?, name(u)?]),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            let count = u.int_in_range(0..=3)?;
            Value::Array(
                (0..count)
                    .map(|_| schema(u, depth - 1))
                    .collect::<Result<_>>()?,
            )
        }
        "enum" => json!([json(u, 1)?, json(u, 1)?, text(u)?]),
        "description" | "title" | "format" | "pattern" | "$anchor" | "$id" => {
            Value::String(text(u)?)
        }
        "$ref" => Value::String(reference(u)?),
        "minimum" | "maximum" | "minItems" => json!(u.arbitrary::<i8>()?),
        "nullable" | "deprecated" => json!(true),
        "const" | "default" => json(u, 2)?,
        "discriminator" => json!({ "propertyName": name(u)? }),
        _ => schema(u, depth - 1)?,
    })
}

fn reference(u: &mut Unstructured<'_>) -> Result<String> {
    let references = [
        "#",
        "#/$defs/A",
        "#/$defs/B",
        "#/$defs/C",
        "#/properties/a",
        "#/$defs/A/properties/a",
        "#/nowhere",
        "https://example.com/s",
        "#a",
        "#/%",
        "",
    ];
    Ok((*u.choose(&references)?).to_owned())
}

/// A JSON document, so many levels deep.
pub(crate) fn json(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=if depth == 0 { 4 } else { 6 })? {
        0 => Value::Null,
        1 => json!(u.arbitrary::<bool>()?),
        2 => json!(u.arbitrary::<i64>()?),
        3 => json!(u.arbitrary::<f32>()?),
        4 => Value::String(text(u)?),
        5 => json!([json(u, depth - 1)?, json(u, depth - 1)?]),
        _ => json!({ name(u)?: json(u, depth - 1)? }),
    })
}

/// A name: an ordinary one, one like others, or one that no language takes.
pub fn name(u: &mut Unstructured<'_>) -> Result<String> {
    let names = [
        "a",
        "b",
        "get-x",
        "get_x",
        "getX",
        "GetX",
        "class",
        "",
        "1",
        "日本",
        "é",
        "🎉",
        "a b",
        "*/",
        "\"",
        "__proto__",
        "a.b",
        "ﬁ",
        "x\u{301}",
        "ŉ",
        "İ",
        "Json",
        "type",
    ];
    if u.ratio(1, 5)? {
        text(u)
    } else {
        Ok((*u.choose(&names)?).to_owned())
    }
}

fn text(u: &mut Unstructured<'_>) -> Result<String> {
    let pieces = [
        "*/",
        "/*",
        "\"",
        "\\",
        "\n",
        "\r\n",
        "\u{2028}",
        "\u{202e}",
        "\0",
        "`",
        "${",
        "}",
        "word",
        " ",
        "\u{e0041}",
        "'''",
        "é",
        "🎉",
        "{",
        "]",
        "@param",
        "//",
    ];
    (0..u.int_in_range(0..=5)?)
        .map(|_| u.choose(&pieces).map(|piece| (*piece).to_owned()))
        .collect()
}
