//! What holds of a value in some cases only, which no type says: in words.

use serde_json::{Map, Value};

use super::docs::{cut, of_itself};

/// How many names or values are listed.
const MAX_LISTED: usize = 8;

/// How many properties on which others depend are named.
const MAX_DEPENDENCIES: usize = 16;

/// What else must hold where a property is there.
pub(super) fn dependencies(schema: &Map<String, Value>) -> Vec<String> {
    let keywords = ["dependentRequired", "dependentSchemas", "dependencies"];
    let all = keywords
        .iter()
        .filter_map(|keyword| schema.get(*keyword)?.as_object());
    let said = all.flatten().filter_map(|(name, then)| {
        let then = match then {
            Value::Array(names) => needs(names),
            then => consequence(then),
        };
        Some(cut(&format!("with {name}: {}", then?)))
    });
    said.take(MAX_DEPENDENCIES).collect()
}

/// What must hold if something else does, and what if not.
pub(super) fn condition(schema: &Map<String, Value>) -> Vec<String> {
    let Some(premise) = schema.get("if").and_then(premise) else {
        return Vec::new();
    };
    let then = schema.get("then").and_then(consequence);
    let then = then.map(|then| cut(&format!("if {premise}: {then}")));
    let otherwise = schema.get("else").and_then(consequence);
    let otherwise = otherwise.map(|otherwise| cut(&format!("unless {premise}: {otherwise}")));
    then.into_iter().chain(otherwise).collect()
}

/// When a condition holds. What has no words is shown as it is.
fn premise(schema: &Value) -> Option<String> {
    let Value::Object(schema) = schema else {
        return None;
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let in_words = schema.keys().all(|keyword| {
        matches!(
            keyword.as_str(),
            "properties" | "required" | "type" | "title" | "description"
        )
    });
    let named = properties.into_iter().flatten();
    let values: Option<Vec<String>> = named.map(|(name, value)| is(name, value)).collect();
    let (Some(mut said), true) = (values, in_words) else {
        return Some(cut(&Value::Object(schema.clone()).to_string()));
    };
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    let there = names.filter(|name| !properties.is_some_and(|named| named.contains_key(*name)));
    said.extend(there.map(|name| format!("{name} is there")));
    (!said.is_empty()).then(|| said.join(" and "))
}

/// What must hold then.
fn consequence(schema: &Value) -> Option<String> {
    let schema = match schema {
        Value::Bool(false) => return Some("not allowed".to_owned()),
        Value::Object(schema) => schema,
        _ => return None,
    };
    let required = schema.get("required").and_then(Value::as_array);
    let mut said: Vec<String> = required
        .and_then(|names| needs(names))
        .into_iter()
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, value) in properties.into_iter().flatten() {
        match (is(name, value), value) {
            (Some(is), _) => said.push(is),
            (None, Value::Bool(false)) => said.push(format!("not with {name}")),
            (None, Value::Object(value)) => {
                said.extend(of_itself(value).iter().map(|fact| format!("{name} {fact}")));
            }
            (None, _) => {}
        }
    }
    (!said.is_empty()).then(|| said.join(", "))
}

fn needs(names: &[Value]) -> Option<String> {
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    (!names.is_empty()).then(|| format!("needs {}", names.join(" and ")))
}

/// Which value a property has.
fn is(name: &str, schema: &Value) -> Option<String> {
    if let Some(value) = schema.get("const") {
        return Some(format!("{name} is {value}"));
    }
    let values = schema.get("enum")?.as_array()?;
    let listed: Vec<String> = values
        .iter()
        .take(MAX_LISTED)
        .map(Value::to_string)
        .collect();
    let more = if values.len() > MAX_LISTED {
        " or …"
    } else {
        ""
    };
    Some(format!("{name} is {}{more}", listed.join(" or ")))
}
