//! What a guest sent as a tool's arguments, as the tool gets it:
//!
//! - exact: integers that would be rounded on their way are refused
//! - with the schema's names: `maxCount` for `max_count`, and the other way round
//! - without nulls that stand for leaving a property out

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::validate::push_name;
use crate::json::{self, Step};
use crate::projection::names::{Found, Names, Style};
use crate::projection::says_nullable;

/// How many references from one schema to the next are followed.
const MAX_REFERENCES: usize = 16;

/// How much of a number is shown, in characters.
const SHOWN_DIGITS: usize = 40;

/// The names of a tool's arguments, by which those that a script wrote otherwise are found.
pub(super) struct Declared {
    names: Names,
}

impl Declared {
    /// The names in a schema. None where it says what its other properties are: those are data, and their names are nobody's mistake.
    pub(super) fn of(schema: &Map<String, Value>) -> Self {
        let says_what_others_are = schema.contains_key("patternProperties")
            || matches!(schema.get("additionalProperties"), Some(Value::Object(others)) if !others.is_empty());
        let properties = schema.get("properties").and_then(Value::as_object);
        let named = properties.filter(|_| !says_what_others_are).into_iter();
        Self {
            names: Names::new(named.flat_map(Map::keys), Style::Camel),
        }
    }

    /// Gives arguments the schema's names where they differ in case and punctuation alone. A name that the schema has stays as it is, and so does
    /// one that could mean several, or whose meaning is given already.
    fn rename(&self, arguments: &mut Map<String, Value>, properties: &Map<String, Value>) {
        if arguments.keys().all(|name| properties.contains_key(name)) {
            return;
        }
        let meant = |name: &str| match self.names.find(name) {
            Found::One(index) => Some(self.names.names()[index].as_str()),
            Found::Ambiguous(_) | Found::Nothing => None,
        };
        let mut given: HashMap<&str, usize> = HashMap::new();
        for name in arguments.keys().filter_map(|name| meant(name)) {
            *given.entry(name).or_default() += 1;
        }
        *arguments = std::mem::take(arguments)
            .into_iter()
            .map(|(name, value)| match meant(&name) {
                Some(declared) if given[declared] == 1 => (declared.to_owned(), value),
                _ => (name, value),
            })
            .collect();
    }
}

/// Who sent arguments.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// A script, or whoever else writes names by hand.
    Script(&'a Declared),
    /// Typed code: its names are the schema's.
    Types,
}

/// The arguments in a text.
///
/// # Errors
///
/// A sentence says why they can't be sent.
pub(super) fn read(text: &str, schema: &Map<String, Value>, by: By<'_>) -> Result<Value, String> {
    let mut arguments: Value = serde_json::from_str(text)
        .map_err(|error| format!("the arguments can't be sent: {error}"))?;
    if json::may_be_rounded(&arguments)
        && let Some((place, digits)) = json::rounded_integer(text)
    {
        return Err(beyond_64_bits(&place, digits));
    }
    if let (By::Script(declared), Value::Object(named), Some(properties)) = (
        by,
        &mut arguments,
        schema.get("properties").and_then(Value::as_object),
    ) {
        declared.rename(named, properties);
    }
    if memchr::memmem::find(text.as_bytes(), b"null").is_some() {
        Nulls::of(schema).leave_out(&mut arguments, schema);
    }
    Ok(arguments)
}

fn beyond_64_bits(place: &[Step<'_>], digits: &str) -> String {
    let mut field = String::new();
    for step in place {
        match step {
            Step::Member(quoted) => {
                let name: String = serde_json::from_str(quoted).unwrap_or_default();
                push_name(&mut field, &name);
            }
            Step::Item(index) => field += &format!("[{index}]"),
        }
    }
    let shown = match digits.get(..SHOWN_DIGITS) {
        Some(first) if digits.len() > SHOWN_DIGITS => format!("{first}…"),
        _ => digits.to_owned(),
    };
    format!(
        "`{field}` is {shown}, an integer beyond 64 bits, which would be rounded on its way; send it as text, or as a float where that does no harm"
    )
}

/// Nulls for optional properties whose schema has `null` as their default, and does not take it as a value: what those mean is to leave the property out.
struct Nulls<'a> {
    root: &'a Map<String, Value>,
    /// What each schema requires, by its address: many items may have one schema.
    required: HashMap<*const Map<String, Value>, HashSet<&'a str>>,
}

impl<'a> Nulls<'a> {
    fn of(root: &'a Map<String, Value>) -> Self {
        Self {
            root,
            required: HashMap::new(),
        }
    }

    fn leave_out(&mut self, value: &mut Value, schema: &'a Map<String, Value>) {
        let schema = self.resolved(schema);
        match value {
            Value::Object(members) => {
                let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                    return;
                };
                members.retain(|name, member| {
                    let Some(of) = properties.get(name).and_then(Value::as_object) else {
                        return true;
                    };
                    if member.is_null() && self.stands_for_nothing(of) {
                        return self.requires(schema, name);
                    }
                    self.leave_out(member, of);
                    true
                });
            }
            Value::Array(items) => {
                if let Some(of) = schema.get("items").and_then(Value::as_object) {
                    items.iter_mut().for_each(|item| self.leave_out(item, of));
                }
            }
            _ => {}
        }
    }

    fn stands_for_nothing(&self, schema: &'a Map<String, Value>) -> bool {
        let target = self.resolved(schema);
        let takes_null = says_nullable(schema)
            || says_nullable(target)
            || match target.get("type") {
                Some(Value::String(name)) => name == "null",
                Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
                _ => true,
            };
        schema.get("default") == Some(&Value::Null) && !takes_null
    }

    fn requires(&mut self, schema: &'a Map<String, Value>, name: &str) -> bool {
        let required = self.required.entry(schema).or_insert_with(|| {
            let names = schema.get("required").and_then(Value::as_array);
            names
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect()
        });
        required.contains(name)
    }

    /// What a schema refers to, or itself.
    fn resolved(&self, mut schema: &'a Map<String, Value>) -> &'a Map<String, Value> {
        for _ in 0..MAX_REFERENCES {
            let target = schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| self.target(reference));
            match target {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// What a reference within the document points to, where its path is one of plain names.
    fn target(&self, reference: &str) -> Option<&'a Map<String, Value>> {
        let mut steps = reference.strip_prefix("#/")?.split('/');
        let first = self.root.get(steps.next()?)?;
        steps.try_fold(first, |at, step| at.get(step))?.as_object()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(schema: &Value, text: &str) -> Result<String, String> {
        let schema = schema.as_object().unwrap();
        let declared = Declared::of(schema);
        read(text, schema, By::Script(&declared)).map(|arguments| arguments.to_string())
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
        let typed = read(r#"{"maxCount":1}"#, schema, By::Types).unwrap();
        assert_eq!(typed.to_string(), r#"{"maxCount":1}"#);
    }

    #[test]
    fn names_of_data_stay() {
        let open = [json!(true), json!({}), json!(false)];
        for others in open {
            let schema =
                json!({ "properties": { "max_count": {} }, "additionalProperties": others });
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
            assert!(problem.ends_with("beyond 64 bits, which would be rounded on its way; send it as text, or as a float where that does no harm"), "{problem}");
        }
        let long = format!(r#"{{"id":{}}}"#, "7".repeat(300));
        assert!(sent(&json!({}), &long).unwrap_err().len() < 250);
    }

    #[test]
    fn nulls_that_are_defaults_alone_are_left_out() {
        let schema = json!({
            "required": ["needed"],
            "properties": {
                "plain": { "type": "string", "default": null },
                "needed": { "type": "string", "default": null },
                "nullable": { "type": "string", "nullable": true, "default": null },
                "both": { "type": ["string", "null"], "default": null },
                "any": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null },
                "other": { "type": "string" },
                "referred": { "$ref": "#/$defs/text", "default": null },
                "rows": { "type": "array", "items": { "$ref": "#/$defs/row" } },
            },
            "$defs": {
                "text": { "type": "string" },
                "row": { "type": "object", "properties": { "a": { "type": "integer", "default": null }, "b": { "type": "integer" } } },
            },
        });
        let cases = [
            (r#"{"plain":null,"other":null}"#, r#"{"other":null}"#),
            (
                r#"{"needed":null,"nullable":null,"both":null,"any":null}"#,
                r#"{"needed":null,"nullable":null,"both":null,"any":null}"#,
            ),
            (
                r#"{"referred":null,"rows":[{"a":null,"b":null},{"a":1}]}"#,
                r#"{"rows":[{"b":null},{"a":1}]}"#,
            ),
            (r#"{"plain":"null"}"#, r#"{"plain":"null"}"#),
            ("null", "null"),
        ];
        for (text, expected) in cases {
            assert_eq!(sent(&schema, text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn references_that_go_round_end() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } });
        assert_eq!(sent(&schema, r#"{"a":null}"#).unwrap(), r#"{"a":null}"#);
    }
}
