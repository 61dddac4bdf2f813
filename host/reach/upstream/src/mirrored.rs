//! Arguments that a tool's calls repeat in HTTP headers, `Mcp-Param-…`, for whatever routes requests
//! without reading them: those that its input schema annotates with `x-mcp-header` (2026-07-28).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_untrusted::text::one_line;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

const ANNOTATION: &str = "x-mcp-header";

/// How many arguments of one tool are repeated.
const MOST: usize = 128;

/// The tools with such arguments.
pub(super) type MirroredArguments = HashMap<String, Arc<[Argument]>>;

/// An argument, and the header that repeats it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    path: Vec<String>,
    header: HeaderName,
}

/// What is repeated of each tool's arguments. Tools whose annotations are not as the protocol has
/// them are not to be called: they are taken out, and `problem` gets each.
pub(super) fn keep_valid(
    tools: &mut Vec<Tool>,
    mut problem: impl FnMut(String),
) -> MirroredArguments {
    let mut mirrored = MirroredArguments::new();
    tools.retain(|tool| match arguments_of(tool) {
        Ok(arguments) if arguments.is_empty() => true,
        Ok(arguments) => {
            mirrored.insert(tool.name.clone(), arguments.into());
            true
        }
        Err(why) => {
            let name = one_line(&tool.name);
            problem(format!(
                "tool `{name}` is left out: its `{ANNOTATION}` {why}"
            ));
            false
        }
    });
    mirrored
}

/// What is repeated, of tools that were found valid before.
pub(super) fn of(tools: &[Tool]) -> MirroredArguments {
    let annotated = tools.iter().filter_map(|tool| {
        let arguments = arguments_of(tool).ok()?;
        (!arguments.is_empty()).then(|| (tool.name.clone(), arguments.into()))
    });
    annotated.collect()
}

/// The headers of a call.
pub(super) fn headers(mirrored: &[Argument], arguments: &Map<String, Value>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for Argument { path, header } in mirrored {
        let mut steps = path.iter();
        let first = steps.next().and_then(|name| arguments.get(name));
        let text = match steps
            .try_fold(first, |at, name| Some(at?.get(name)))
            .flatten()
        {
            Some(Value::String(text)) => value(text),
            Some(Value::Bool(bool)) => value(&bool.to_string()),
            Some(Value::Number(number)) => value(&number.to_string()),
            // Nothing was given, or what the tool does not take.
            _ => continue,
        };
        headers.extend(text.map(|text| (header.clone(), text)));
    }
    headers
}

/// A text as a header's value: as it is, or else marked as being in Base64.
pub(super) fn value(text: &str) -> Option<HeaderValue> {
    let plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && text.trim_matches(' ').len() == text.len()
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if plain {
        return HeaderValue::from_str(text).ok();
    }
    HeaderValue::try_from(format!("=?base64?{}?=", BASE64_STANDARD.encode(text))).ok()
}

/// The annotated arguments of an input schema.
///
/// # Errors
///
/// What is wrong with an annotation, in words that follow its name.
/// Few schemas have the annotation; the others need not be parsed.
fn arguments_of(tool: &Tool) -> Result<Vec<Argument>, &'static str> {
    match tool.input_schema.as_str().contains(ANNOTATION) {
        true => arguments(&tool.input_schema.parse_object()),
        false => Ok(Vec::new()),
    }
}

fn arguments(schema: &Map<String, Value>) -> Result<Vec<Argument>, &'static str> {
    let mut found = Annotations::default();
    found.walk(schema, Place::Parameters)?;
    Ok(found.arguments)
}

#[derive(Default)]
struct Annotations {
    arguments: Vec<Argument>,
    headers: HashSet<HeaderName>,
    /// The names of the properties that lead to where the search is.
    path: Vec<String>,
}

/// Where a schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Where nothing but `properties` leads to: what is there has one name and one type.
    Parameters,
    Elsewhere,
}

impl Annotations {
    /// Looks at a schema and those inside it, once each. What is nested too deeply for this is not
    /// in the list of tools.
    fn walk(&mut self, schema: &Map<String, Value>, place: Place) -> Result<(), &'static str> {
        if let Some(name) = schema.get(ANNOTATION) {
            self.annotated(schema, name, place)?;
        }
        for (keyword, inner) in schema {
            match (keyword.as_str(), inner) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        if let Value::Object(property) = property {
                            self.path.push(name.clone());
                            self.walk(property, place)?;
                            self.path.pop();
                        }
                    }
                }
                (
                    "$defs" | "definitions" | "dependentSchemas" | "patternProperties",
                    Value::Object(schemas),
                ) => self.walk_all(schemas.values())?,
                ("allOf" | "anyOf" | "items" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                    self.walk_all(schemas)?;
                }
                (
                    "additionalProperties"
                    | "contains"
                    | "else"
                    | "if"
                    | "items"
                    | "not"
                    | "propertyNames"
                    | "then"
                    | "unevaluatedItems"
                    | "unevaluatedProperties",
                    inner,
                ) => self.walk_all([inner])?,
                _ => {}
            }
        }
        Ok(())
    }

    fn walk_all<'a>(
        &mut self,
        schemas: impl IntoIterator<Item = &'a Value>,
    ) -> Result<(), &'static str> {
        let mut schemas = schemas.into_iter().filter_map(Value::as_object);
        schemas.try_for_each(|schema| self.walk(schema, Place::Elsewhere))
    }

    fn annotated(
        &mut self,
        schema: &Map<String, Value>,
        name: &Value,
        place: Place,
    ) -> Result<(), &'static str> {
        let name = name.as_str().filter(|name| !name.is_empty());
        let name = name.ok_or("is not a name")?;
        let header = HeaderName::try_from(format!("mcp-param-{name}"))
            .map_err(|_| "has characters that no header's name may have")?;
        if place == Place::Elsewhere || self.path.is_empty() {
            return Err("is not on a parameter");
        }
        let kind = schema.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("boolean" | "integer" | "string")) {
            return Err("is on a parameter that is not a string, integer or boolean");
        }
        if self.arguments.len() == MOST {
            return Err("is on more parameters than requests have room for");
        }
        if !self.headers.insert(header.clone()) {
            return Err("names the same header twice");
        }
        let path = self.path.clone();
        self.arguments.push(Argument { path, header });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(schema: &Value) -> Result<Vec<Argument>, &'static str> {
        arguments(schema.as_object().expect("a schema"))
    }

    #[test]
    fn annotated_arguments_are_repeated_where_they_were_given() {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "dry": {"type": "boolean", "x-mcp-header": "Dry"},
                "gone": {"type": "string", "x-mcp-header": "Gone"},
                "none": {"type": "integer", "x-mcp-header": "None"},
                "odd": {"type": "string", "x-mcp-header": "Odd"},
                "to": {"type": "object", "properties": {
                    "port": {"type": "integer", "x-mcp-header": "Port"},
                }},
                // A parameter may be called that, and a value may look like it.
                "x-mcp-header": {"type": "object", "default": {"x-mcp-header": ""}},
            },
        });
        let given = json!({
            "region": "Zürich", "dry": false, "none": null, "odd": ["a"],
            "to": {"port": 9_007_199_254_740_993_u64}, "x-mcp-header": {},
        });
        let headers = headers(&read(&schema).unwrap(), given.as_object().unwrap());
        let sent: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        let expected = [
            ("mcp-param-region", "=?base64?WsO8cmljaA==?="),
            ("mcp-param-dry", "false"),
            ("mcp-param-port", "9007199254740993"),
        ];
        assert_eq!(sent, expected);
    }

    #[test]
    fn annotations_that_mean_nothing_are_told_apart() {
        let on = |schema: Value| read(&json!({"properties": {"a": schema}}));
        let text = |name: &str| json!({"type": "string", "x-mcp-header": name});
        for (read, expected) in [
            (on(text("")), "is not a name"),
            (
                on(json!({"type": "string", "x-mcp-header": 1})),
                "is not a name",
            ),
            (on(text("a b")), "no header's name"),
            (on(text("a:b")), "no header's name"),
            (on(text("a\r\nb")), "no header's name"),
            (on(text("é")), "no header's name"),
            (
                on(json!({"type": "number", "x-mcp-header": "A"})),
                "not a string",
            ),
            (
                on(json!({"type": "array", "x-mcp-header": "A"})),
                "not a string",
            ),
            (on(json!({"x-mcp-header": "A"})), "not a string"),
            (on(json!({"items": text("A")})), "not on a parameter"),
            (on(json!({"anyOf": [text("A")]})), "not on a parameter"),
            (
                read(&json!({"$defs": {"a": text("A")}})),
                "not on a parameter",
            ),
            (read(&text("A")), "not on a parameter"),
            (
                read(&json!({"properties": {"a": text("Region"), "b": text("REGION")}})),
                "twice",
            ),
        ] {
            let why = read.expect_err(expected);
            assert!(why.contains(expected), "{why}");
        }
    }

    #[test]
    fn what_no_header_can_carry_is_in_base64() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            assert_eq!(value(text).unwrap(), expected);
        }
    }
}
