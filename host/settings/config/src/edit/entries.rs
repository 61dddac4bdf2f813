//! One entry put into a table of a file, or taken out.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table};

use super::super::tree::{self, Format, Node};
use super::yaml;

/// The text with this entry in the table that `path` leads to, instead of one of its name.
pub(super) fn put(
    format: Format,
    text: &str,
    path: &[&str],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, String> {
    let without = take(format, text, path, name)?;
    let edited = match format {
        Format::Json => put_json(&without, path, name, entry)?,
        Format::Toml => put_toml(&without, path, name, entry)?,
        Format::Yaml => yaml::put(&without, path, name, entry)?,
    };
    checked(format, text, edited, path, name)
}

/// The text without this entry.
pub(super) fn take(
    format: Format,
    text: &str,
    path: &[&str],
    name: &str,
) -> Result<String, String> {
    let document = parsed(format, text)?;
    let Some(table) = document.at(path) else {
        return Ok(text.to_owned());
    };
    if !table.members().iter().any(|member| member.name == name) {
        return Ok(text.to_owned());
    }
    let edited = match format {
        Format::Json => take_json(text, path, name)?,
        Format::Toml => take_toml(text, path, name)?,
        Format::Yaml => yaml::take(text, table, name),
    };
    checked(format, text, edited, path, name)
}

pub(super) fn parsed(format: Format, text: &str) -> Result<Node, String> {
    format.parsed(text).map_err(|broken| {
        let (message, place) = broken.into_iter().next().unwrap_or_default();
        let line = place.map_or(1, |place| {
            let start = text.floor_char_boundary(place.start);
            text[..start].matches('\n').count() + 1
        });
        format!("line {line}: {message}; fix that first")
    })
}

/// The edited text, if nothing else in it has changed.
fn checked(
    format: Format,
    text: &str,
    edited: String,
    path: &[&str],
    name: &str,
) -> Result<String, String> {
    let rest = |text: &str| {
        let node = parsed(format, text).ok()?;
        let mut value = node.to_json();
        let mut table = Some(&mut value);
        for key in path {
            table = table.and_then(|table| table.get_mut(*key));
        }
        if let Some(table) = table.and_then(Value::as_object_mut) {
            table.remove(name);
        }
        prune(&mut value, path);
        Some(value)
    };
    match (rest(text), rest(&edited)) {
        (Some(before), Some(after)) if before == after => Ok(edited),
        _ => Err(format!(
            "`{name}` can't be changed without changing something else; edit the file by hand"
        )),
    }
}

/// Removes tables on the path that are empty: it is one whether they are there.
fn prune(value: &mut Value, path: &[&str]) {
    let [key, rest @ ..] = path else { return };
    if let Some(table) = value.as_object_mut() {
        if let Some(inner) = table.get_mut(*key) {
            prune(inner, rest);
        }
        let is_empty = |inner: &Value| match inner {
            Value::Object(table) => table.is_empty(),
            inner => inner.is_null(),
        };
        if table.get(*key).is_some_and(is_empty) {
            table.remove(*key);
        }
    }
}

impl Node {
    /// The value, as far as JSON can say it.
    pub(crate) fn to_json(&self) -> Value {
        match &self.value {
            tree::Value::Text(text) => Value::from(text.as_str()),
            tree::Value::Boolean(is) => Value::from(*is),
            tree::Value::Integer(number) => number
                .replace('_', "")
                .parse::<i64>()
                .map_or_else(|_| Value::from(number.as_str()), Value::from),
            tree::Value::List(items) => items.iter().map(Self::to_json).collect(),
            tree::Value::Table(members) => members
                .iter()
                .map(|member| (member.name.clone(), member.node.to_json()))
                .collect::<Map<_, _>>()
                .into(),
            tree::Value::Fraction(number) => number
                .replace('_', "")
                .parse::<f64>()
                .map_or_else(|_| Value::from(number.as_str()), Value::from),
            tree::Value::Null | tree::Value::Other => Value::Null,
        }
    }
}

fn json_table(root: &CstRootNode, path: &[&str]) -> CstObject {
    let table = root.object_value_or_set();
    path.iter()
        .fold(table, |table, key| table.object_value_or_set(key))
}

fn json_root(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.kind().to_string())
}

fn put_json(
    text: &str,
    path: &[&str],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = json_root(text)?;
    json_table(&root, path).append(name, json_value(&Value::Object(entry.clone())));
    Ok(root.to_string())
}

fn take_json(text: &str, path: &[&str], name: &str) -> Result<String, String> {
    let root = json_root(text)?;
    let table = json_table(&root, path);
    for property in table.properties() {
        if property.decoded_name().as_deref() == Some(name) {
            property.remove();
        }
    }
    Ok(root.to_string())
}

fn json_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(json_value).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), json_value(value)))
                .collect(),
        ),
    }
}

fn toml_document(text: &str) -> Result<DocumentMut, String> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| error.message().to_owned())
}

fn put_toml(
    text: &str,
    path: &[&str],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, String> {
    let mut document = toml_document(text)?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in path {
        let implicit = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        table = table
            .entry(key)
            .or_insert_with(implicit)
            .as_table_like_mut()
            .ok_or_else(|| format!("`{key}` is not a table"))?;
    }
    let mut added = Table::new();
    for (key, value) in entry {
        if let Some(value) = toml_value(value) {
            added.insert(key, Item::Value(value));
        }
    }
    table.insert(name, Item::Table(added));
    Ok(document.to_string())
}

fn take_toml(text: &str, path: &[&str], name: &str) -> Result<String, String> {
    let mut document = toml_document(text)?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in path {
        let inner = table.get_mut(key).and_then(Item::as_table_like_mut);
        table = inner.ok_or_else(|| format!("`{key}` is not a table"))?;
    }
    table.remove(name);
    Ok(document.to_string())
}

/// TOML has no null.
fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => (*is).into(),
        Value::Number(number) => number.as_i64()?.into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items
            .iter()
            .filter_map(toml_value)
            .collect::<Array>()
            .into(),
        Value::Object(members) => {
            let mut table = InlineTable::new();
            for (name, value) in members {
                if let Some(value) = toml_value(value) {
                    table.insert(name, value);
                }
            }
            table.into()
        }
    })
}
