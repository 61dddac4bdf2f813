//! What to write instead of a value that has another type.

use ampoule_projection::names::canonical;
use jsonschema::ValidationError;
use jsonschema::error::TypeKind;
use serde_json::{Number, Value};

use super::choice::only_value;
use super::place::field;
use super::values::{literal, quoted, text, types, with_article};
use super::{COMPARED, Explanation, OneOf};

/// How long a text may be to be looked at for what it holds, in bytes.
const MAX_TEXT: usize = 10_000;

/// How many items one text may stand for.
const MAX_ITEMS: usize = 10;

/// How many schemas an item is held against.
const MAX_SCHEMAS: usize = 100;

impl<'s> Explanation<'s> {
    /// What to write instead of a value of another type, if it shows what was meant.
    pub(super) fn instead(&self, error: &ValidationError<'_>, kind: &TypeKind) -> Option<String> {
        let types = types(kind);
        let given = error.instance().as_ref();
        let wants = |name: &str| types.iter().any(|wanted| wanted == name);
        if let Value::String(content) = given
            && let Some(kept) = ["array", "object"]
                .into_iter()
                .find(|name| wants(name) && holds(content, name))
        {
            return Some(format!(": pass the {kept} itself, not its JSON"));
        }
        if wants("array") {
            return self.as_list(error);
        }
        match given {
            Value::String(content) => {
                let value = if wants("boolean") {
                    truth(content)
                } else {
                    None
                };
                let value = value.or_else(|| number(content, wants("integer"), wants("number")))?;
                Some(format!(": write {}", literal(&value, self.idiom)?))
            }
            Value::Number(number) if wants("string") => {
                Some(format!(": write {}", text(&number.to_string())))
            }
            Value::Object(members) => {
                // `customerId` is the `id` of a customer.
                let place = error.instance_path().as_str();
                let name = canonical(place.rsplit('/').next()?);
                let is_meant = |(key, value): &(&String, &Value)| {
                    key.len() > 1 && name.ends_with(&canonical(key)) && wants(type_of(value))
                };
                let (key, _) = members.iter().take(COMPARED).find(is_meant)?;
                Some(format!(": write its {}", quoted(key)))
            }
            _ => None,
        }
    }

    /// The value as a list's only item, or the values that it has between commas as items.
    fn as_list(&self, error: &ValidationError<'_>) -> Option<String> {
        let given = error.instance().as_ref();
        let items = self.way(error).last()?.schema.get("items");
        let fits = |value: &Value| match (value, items) {
            (Value::Null, _) => false,
            (_, None) => true,
            (value, Some(items)) => self.may_be(items, value, &mut MAX_SCHEMAS.clone()),
        };
        let list = |values: &[Value]| {
            let values = values.iter().map(|value| literal(value, self.idiom));
            let values: Vec<String> = values.collect::<Option<_>>()?;
            Some(format!(": write `[{}]`", values.join(", ")))
        };
        if let Value::String(content) = given
            && content.len() <= MAX_TEXT
        {
            let parts = content.split(',').map(str::trim).take(MAX_ITEMS + 1);
            let parts: Vec<Value> = parts.map(Value::from).collect();
            let is_word = |part: &Value| {
                part.as_str()
                    .is_some_and(|part| !part.is_empty() && !part.contains(' '))
            };
            if (2..=MAX_ITEMS).contains(&parts.len())
                && parts.iter().all(|part| is_word(part) && fits(part))
            {
                return list(&parts);
            }
        }
        if !fits(given) {
            let what = self.in_short(self.resolved(items?), given)?;
            return Some(format!(": each item is {what}"));
        }
        list(std::slice::from_ref(given)).or_else(|| Some(": write it in `[…]`".to_owned()))
    }

    /// Whether a value may fit a schema, as far as types and values say.
    fn may_be(&self, schema: &'s Value, value: &Value, left: &mut usize) -> bool {
        let Some(fewer) = left.checked_sub(1) else {
            return false;
        };
        *left = fewer;
        let schema = self.resolved(schema);
        let type_fits = match schema.get("type") {
            Some(Value::String(name)) => is_of(value, name),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .any(|name| is_of(value, name)),
            _ => true,
        };
        let listed = |name| schema.get(name).and_then(Value::as_array);
        type_fits
            && schema.get("const").is_none_or(|only| only == value)
            && listed("enum")
                .is_none_or(|values| values.iter().take(COMPARED).any(|other| other == value))
            && ["anyOf", "oneOf"].iter().all(|keyword| {
                listed(keyword)
                    .is_none_or(|forms| forms.iter().any(|form| self.may_be(form, value, left)))
            })
    }

    /// That arguments were put into an object of their own: `{ input: { … } }`.
    pub(super) fn needless_wrapper(&self) -> Option<String> {
        let arguments = self
            .arguments
            .as_object()
            .filter(|members| members.len() == 1)?;
        let (name, within) = arguments.iter().next()?;
        let within = within.as_object().filter(|members| !members.is_empty())?;
        let root = self.resolved(self.references.root());
        let properties = root.get("properties")?.as_object()?;
        let known: std::collections::HashSet<String> =
            properties.keys().map(|name| canonical(name)).collect();
        let is_known = |name: &String| known.contains(&canonical(name));
        (!is_known(name) && within.keys().all(is_known)).then(|| {
            let name = quoted(name);
            format!("{name} is not a known property; pass its members directly")
        })
    }

    /// That a list lacks an item of some kind, or has too many of it.
    pub(super) fn lacks_item(&self, error: &ValidationError<'_>) -> String {
        let field = field(error.instance_path());
        let way = self.way(error);
        let schema = way.last().map(|step| step.schema);
        let limit = |name| {
            schema
                .and_then(|schema| schema.get(name))
                .and_then(Value::as_u64)
        };
        let count = match (limit("minContains"), limit("maxContains")) {
            (None | Some(1), None) => "an item that is".to_owned(),
            (Some(least), None) => format!("at least {least} items that each are"),
            (Some(0), Some(most)) => format!("at most {most} items that each are"),
            (least, Some(most)) => {
                format!("{} to {most} items that each are", least.unwrap_or(1))
            }
        };
        let contained = schema.and_then(|schema| schema.get("contains"));
        let what = contained.and_then(|schema| self.in_short(self.resolved(schema), &Value::Null));
        let what = what.unwrap_or_else(|| "what its schema's `contains` says".to_owned());
        format!("{field} must have {count} {what}")
    }

    /// What values with such a schema are; of several, those nearest to what was given come first.
    fn in_short(&self, schema: &'s Value, given: &Value) -> Option<String> {
        let listed = |name| schema.get(name).and_then(Value::as_array);
        let only = schema.get("const").map(|only| vec![only]);
        let values = only.or_else(|| Some(listed("enum")?.iter().collect()));
        let values = values.or_else(|| {
            let forms = listed("oneOf").or_else(|| listed("anyOf"))?;
            forms.iter().map(only_value).collect()
        });
        match values {
            Some(values) => Some(OneOf::of(values, given).or(&[])),
            None => self
                .shape(Some(schema))
                .or_else(|| Some(with_article(schema.get("type")?.as_str()?))),
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    type_of(value) == name || (name == "number" && value.is_number())
}

/// Whether a text is the JSON of a list or an object.
fn holds(content: &str, name: &str) -> bool {
    let first = content.trim_start().as_bytes().first();
    let is_long = content.len() > MAX_TEXT;
    matches!(
        (first, name),
        (Some(b'['), "array") | (Some(b'{'), "object")
    ) && !is_long
        && serde_json::from_str::<serde::de::IgnoredAny>(content).is_ok()
}

fn truth(content: &str) -> Option<Value> {
    match &*content.trim().to_lowercase() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn number(content: &str, integer: bool, number: bool) -> Option<Value> {
    let content = content.trim();
    let whole = content.parse::<i64>().ok().filter(|_| integer || number);
    let whole = whole.map(Value::from);
    whole.or_else(|| {
        let fraction = content.parse().ok().filter(|_| number);
        fraction.and_then(Number::from_f64).map(Value::Number)
    })
}
