//! How values are written into paths, queries and forms.

use serde_json::Value;

/// A value as a text.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Only values of which the specification says how they are written.
fn flat(value: &Value) -> Option<String> {
    (!value.is_array() && !value.is_object()).then(|| plain(value))
}

pub(super) fn simple(value: &Value, explode: bool) -> Option<String> {
    Some(match value {
        Value::Array(items) => items
            .iter()
            .map(flat)
            .collect::<Option<Vec<_>>>()?
            .join(","),
        Value::Object(members) => {
            let between = if explode { "=" } else { "," };
            let members = members
                .iter()
                .map(|(name, value)| Some(format!("{name}{between}{}", flat(value)?)));
            members.collect::<Option<Vec<_>>>()?.join(",")
        }
        value => plain(value),
    })
}

pub(super) fn pairs(
    name: &str,
    style: &str,
    explode: bool,
    value: &Value,
) -> Option<Vec<(String, String)>> {
    let own = |text: String| vec![(name.to_owned(), text)];
    let separator = match style {
        "spaceDelimited" => " ",
        "pipeDelimited" => "|",
        _ => ",",
    };
    Some(match (style, value) {
        ("deepObject", value) => {
            let mut found = Vec::new();
            deep(name.to_owned(), value, &mut found);
            found
        }
        (_, Value::Array(items)) if explode => {
            let items = items
                .iter()
                .map(|item| Some((name.to_owned(), flat(item)?)));
            items.collect::<Option<_>>()?
        }
        (_, Value::Array(items)) => own(items
            .iter()
            .map(flat)
            .collect::<Option<Vec<_>>>()?
            .join(separator)),
        (_, Value::Object(members)) if explode => {
            let members = members
                .iter()
                .map(|(name, value)| Some((name.clone(), flat(value)?)));
            members.collect::<Option<_>>()?
        }
        (_, Value::Object(members)) if members.is_empty() => Vec::new(),
        (_, Value::Object(_)) => own(simple(value, false)?),
        (_, value) => own(plain(value)),
    })
}

fn deep(name: String, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                deep(format!("{name}[{key}]"), value, found);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                deep(format!("{name}[{place}]"), value, found);
            }
        }
        value => found.push((name, plain(value))),
    }
}
