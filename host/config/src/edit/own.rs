//! Changes of `ampoule.toml`.

use std::path::Path;

use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, Item};

use super::super::tree::Format;
use super::super::{Client, check_name};
use super::{Edit, entries};

/// What `ampoule init` writes, where `schema` is the JSON Schema's file.
pub fn template(schema: &str) -> String {
    include_str!("template.toml").replace("SCHEMA", schema)
}

/// A server more, which is a command line, or an address.
///
/// # Errors
///
/// A sentence about what is wrong with the name or the file.
pub fn add(file: &Path, name: &str, command: &[String], url: Option<&str>) -> Result<Edit, String> {
    check_name(name).map_err(|error| format!("`{name}`: {error}"))?;
    let mut entry = Map::new();
    match (command, url) {
        ([program, args @ ..], None) => {
            entry.insert("command".to_owned(), json!(program));
            if !args.is_empty() {
                entry.insert("args".to_owned(), json!(args));
            }
        }
        ([], Some(url)) => drop(entry.insert("url".to_owned(), json!(url))),
        _ => return Err("give a command behind `--`, or `--url URL`".to_owned()),
    }
    Edit::of(file, |text| {
        if has_server(text, name)? {
            return Err(format!(
                "there is a server `{name}` already; `ampoule servers remove {name}` removes it"
            ));
        }
        entries::put(Format::Toml, text, &["servers"], name, &entry)
    })
}

/// A server less.
///
/// # Errors
///
/// A sentence about what is wrong with the file, or that it has no such server.
pub fn remove(file: &Path, name: &str) -> Result<Edit, String> {
    Edit::of(file, |text| {
        if !has_server(text, name)? {
            return Err(format!(
                "there is no server `{name}`; `ampoule servers` lists those that there are"
            ));
        }
        entries::take(Format::Toml, text, &["servers"], name)
    })
}

/// A client more whose servers are used too.
///
/// # Errors
///
/// A sentence about what is wrong with the file.
pub fn import(file: &Path, client: &Client) -> Result<Edit, String> {
    Edit::of(file, |text| {
        entries::parsed(Format::Toml, text)?;
        let mut document: DocumentMut = text.parse().map_err(|_| "it is not valid TOML")?;
        let list = document
            .entry("import")
            .or_insert_with(|| Item::Value(Array::new().into()))
            .as_array_mut()
            .ok_or("`import` is no list")?;
        if !list.iter().any(|from| from.as_str() == Some(client.id)) {
            list.push(client.id);
        }
        Ok(document.to_string())
    })
}

fn has_server(text: &str, name: &str) -> Result<bool, String> {
    let document = entries::parsed(Format::Toml, text)?;
    Ok(document
        .at(&["servers", name])
        .is_some_and(|server| !matches!(server.to_json(), Value::Null)))
}
