//! What a schema tells people.

use serde_json::{Map, Value};

use super::super::types::Docs;
use super::conditions;

/// The longest text of a fact that comes from the schema, in characters.
const MAX_QUOTED: usize = 200;

/// What `schema` itself tells people, not what it refers to.
pub(super) fn of(schema: &Map<String, Value>) -> Docs {
    let examples = match (schema.get("examples"), schema.get("example")) {
        (Some(Value::Array(examples)), _) => examples.iter().take(3).cloned().collect(),
        (_, Some(example)) => vec![example.clone()],
        _ => Vec::new(),
    };
    Docs {
        title: text(schema, "title").map(str::to_owned),
        description: text(schema, "description").map(str::to_owned),
        default: schema.get("default").cloned(),
        examples,
        deprecated: flag(schema, "deprecated"),
        // Most schemas have few keywords, and none of these.
        facts: if schema.keys().any(|keyword| states_a_fact(keyword)) {
            facts(schema)
        } else {
            Vec::new()
        },
    }
}

fn states_a_fact(keyword: &str) -> bool {
    matches!(
        keyword,
        "minimum"
            | "exclusiveMinimum"
            | "maximum"
            | "exclusiveMaximum"
            | "multipleOf"
            | "minLength"
            | "maxLength"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
            | "uniqueItems"
            | "format"
            | "contentMediaType"
            | "contentEncoding"
            | "pattern"
            | "propertyNames"
            | "not"
            | "readOnly"
            | "writeOnly"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "if"
    )
}

/// What a schema asks of values beyond their types.
fn facts(schema: &Map<String, Value>) -> Vec<String> {
    let mut facts = of_itself(schema);
    facts.extend(conditions::dependencies(schema));
    facts.extend(conditions::condition(schema));
    facts
}

/// What a schema asks of values whatever else they are.
pub(super) fn of_itself(schema: &Map<String, Value>) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(range(
        schema,
        Bound::new("minimum", "exclusiveMinimum"),
        Bound::new("maximum", "exclusiveMaximum"),
        "",
    ));
    facts.extend(number(schema, "multipleOf").map(|number| format!("multiple of {number}")));
    facts.extend(range(
        schema,
        Bound::including("minLength"),
        Bound::including("maxLength"),
        " characters",
    ));
    facts.extend(range(
        schema,
        Bound::including("minItems"),
        Bound::including("maxItems"),
        " items",
    ));
    facts.extend(range(
        schema,
        Bound::including("minProperties"),
        Bound::including("maxProperties"),
        " properties",
    ));
    facts.extend(flag(schema, "uniqueItems").then(|| "no item twice".to_owned()));
    facts.extend(quoted(schema, "format"));
    facts.extend(quoted(schema, "contentMediaType"));
    facts.extend(quoted(schema, "contentEncoding"));
    facts.extend(text(schema, "pattern").map(|pattern| format!("matches /{}/", cut(pattern))));
    facts.extend(schema.get("propertyNames").and_then(names));
    facts.extend(schema.get("not").and_then(exception));
    facts.extend(flag(schema, "readOnly").then(|| "read-only".to_owned()));
    facts.extend(flag(schema, "writeOnly").then(|| "write-only".to_owned()));
    facts
}

/// A keyword's text, if it says anything.
fn text<'a>(schema: &'a Map<String, Value>, keyword: &str) -> Option<&'a str> {
    let text = schema.get(keyword)?.as_str()?;
    Some(text).filter(|text| !text.trim().is_empty())
}

fn flag(schema: &Map<String, Value>, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}

fn number<'a>(schema: &'a Map<String, Value>, keyword: &str) -> Option<&'a serde_json::Number> {
    schema.get(keyword)?.as_number()
}

/// The keywords of one end of a range.
#[derive(Clone, Copy)]
struct Bound {
    including: &'static str,
    /// No keyword where it is empty.
    excluding: &'static str,
}

impl Bound {
    const fn new(including: &'static str, excluding: &'static str) -> Self {
        Self {
            including,
            excluding,
        }
    }

    const fn including(keyword: &'static str) -> Self {
        Self::new(keyword, "")
    }
}

/// A range in words: `1 to 100`, `at least 1`, `more than 0, at most 1`. An excluding end is a
/// number of its own, or `true` beside the other, as in the fourth draft.
fn range(schema: &Map<String, Value>, low: Bound, high: Bound, unit: &str) -> Option<String> {
    // As languages without 64-bit integers state "no bound".
    const LARGEST_SAFE: f64 = 9_007_199_254_740_991.0;
    let end = |bound: Bound| match number(schema, bound.excluding) {
        Some(number) => Some((number, true)),
        None => {
            let including = number(schema, bound.including);
            including.map(|number| (number, flag(schema, bound.excluding)))
        }
    };
    // That there are not fewer than none is not news.
    let low_end = end(low).filter(|(number, _)| unit.is_empty() || number.as_u64() != Some(0));
    let meant = |end: &(&serde_json::Number, bool)| {
        end.0
            .as_f64()
            .is_none_or(|number| number.abs() < LARGEST_SAFE)
    };
    Some(match (low_end.filter(meant), end(high).filter(meant)) {
        (None, None) => return None,
        (Some((low, false)), Some((high, false))) if low == high => format!("exactly {low}{unit}"),
        (Some((low, false)), Some((high, false))) => format!("{low} to {high}{unit}"),
        (low, high) => {
            let low = low.map(|(low, excluded)| {
                format!("{} {low}", if excluded { "more than" } else { "at least" })
            });
            let high = high.map(|(high, excluded)| {
                format!("{} {high}", if excluded { "less than" } else { "at most" })
            });
            let ends: Vec<_> = low.into_iter().chain(high).collect();
            let unit = if ends.len() == 1 && ends[0].ends_with(" 1") {
                singular(unit)
            } else {
                unit
            };
            format!("{}{unit}", ends.join(", "))
        }
    })
}

fn singular(unit: &str) -> &str {
    match unit {
        " properties" => " property",
        units => units.strip_suffix('s').unwrap_or(units),
    }
}

/// A keyword whose value is a word that says enough: `format uuid`.
fn quoted(schema: &Map<String, Value>, keyword: &str) -> Option<String> {
    let value = schema.get(keyword)?.as_str()?;
    let word = match keyword {
        "format" if matches!(value, "int32" | "int64" | "float" | "double") => return None,
        "format" => "format",
        "contentMediaType" => "media type",
        _ => "encoding",
    };
    Some(format!("{word} {}", cut(value)))
}

/// What is asked of the names of properties.
fn names(schema: &Value) -> Option<String> {
    let pattern = schema.get("pattern")?.as_str()?;
    Some(format!("names match /{}/", cut(pattern)))
}

/// What the value may not be.
fn exception(schema: &Value) -> Option<String> {
    let text = match schema {
        Value::Bool(false) => return None,
        Value::Object(schema) => match (
            schema.get("const"),
            schema.get("enum"),
            schema.get("required"),
        ) {
            (Some(value), _, _) => value.to_string(),
            (_, Some(Value::Array(values)), _) if values.len() <= 8 => values
                .iter()
                .map(Value::to_string)
                .collect::<Vec<_>>()
                .join(" or "),
            (_, _, Some(Value::Array(names))) if schema.len() == 1 && names.len() <= 8 => {
                let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
                return Some(format!("not with {}", cut(&names.join(" and "))));
            }
            _ => Value::Object(schema.clone()).to_string(),
        },
        other => other.to_string(),
    };
    Some(format!("not {}", cut(&text)))
}

pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
