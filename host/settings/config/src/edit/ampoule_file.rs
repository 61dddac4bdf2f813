//! `ampoule.toml`, begun and changed.

use std::path::Path;

use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, Item};

use super::super::clients;
use super::super::tree::Format;
use super::super::{Client, FILE_NAME, User, check_name, file, schema, written};
use super::{Edit, entries, text_of};

/// The file beside `ampoule.toml` that tells editors what may be in it.
const SCHEMA_FILE: &str = "ampoule.schema.json";

/// A server that is added: a command, an address, or the document of an HTTP API. Values are written as they are given, so
/// `${NAME}` stays a reference to a variable.
#[derive(Debug, Clone, Default)]
pub struct NewServer {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables of its environment.
    pub env: Vec<(String, String)>,
    /// The address of one that is reached by HTTP.
    pub url: Option<String>,
    /// The OpenAPI document of an HTTP API: a path, or an address.
    pub openapi: Option<String>,
    /// The address below which that API's paths are.
    pub base_url: Option<String>,
    /// Headers of every request to it.
    pub headers: Vec<(String, String)>,
    /// How it is reached.
    pub transport: Option<String>,
}

impl NewServer {
    /// What looks like a secret, and would stand in the file: the names of variables, headers and
    /// options.
    pub fn secrets(&self) -> Vec<&str> {
        let named = self.env.iter().chain(&self.headers);
        let named =
            named.filter(|(name, value)| written::names_secret(name) && !value.contains("${"));
        let mut secrets: Vec<&str> = named.map(|(name, _)| &**name).collect();
        let (mut follows, mut option) = (false, "");
        for word in &self.command {
            let (shown, next) = written::without_secret(word, follows);
            if shown != *word {
                let name = word.split(['=', ':']).next().unwrap_or_default();
                secrets.push(if follows { option } else { name });
            }
            (follows, option) = (next, word);
        }
        secrets
    }

    /// Its entry in `ampoule.toml`.
    fn entry(&self) -> Result<Map<String, Value>, String> {
        let mut entry = Map::new();
        match (&*self.command, &self.url, &self.openapi) {
            ([program, args @ ..], None, None) => {
                entry.insert("command".to_owned(), json!(program));
                if !args.is_empty() {
                    entry.insert("args".to_owned(), json!(args));
                }
            }
            ([], Some(url), None) => drop(entry.insert("url".to_owned(), json!(url))),
            ([], None, Some(document)) => {
                entry.insert("openapi".to_owned(), json!(document));
                if let Some(base) = &self.base_url {
                    entry.insert("base-url".to_owned(), json!(base));
                }
            }
            _ => {
                return Err(
                    "give a command behind `--`, or `--url URL`, or `--openapi FILE` for an HTTP API"
                        .to_owned(),
                );
            }
        }
        if let Some(transport) = &self.transport {
            entry.insert("transport".to_owned(), json!(transport));
        }
        for (key, texts) in [("env", &self.env), ("headers", &self.headers)] {
            if !texts.is_empty() {
                let texts = texts.iter().map(|(name, text)| (name.clone(), json!(text)));
                entry.insert(key.to_owned(), Value::Object(texts.collect()));
            }
        }
        Ok(entry)
    }
}

/// `ampoule.toml` with comments that say what may be in it, and the JSON Schema that it names,
/// beside it.
///
/// # Errors
///
/// A sentence: there is such a file already, and it is not overwritten.
pub fn init(file: &Path) -> Result<[Edit; 2], String> {
    let beside = file.with_file_name(SCHEMA_FILE);
    let known = Edit::of(&beside, |text| {
        let is_ours = |schema: Value| schema["title"] == FILE_NAME;
        if text.is_empty() || serde_json::from_str(text).is_ok_and(is_ours) {
            Ok(format!("{:#}\n", schema()))
        } else {
            Err(
                "it exists, is not a JSON Schema of `ampoule.toml`, and is not overwritten"
                    .to_owned(),
            )
        }
    })?;
    if text_of(file)?.is_some() {
        return Err(format!("{} exists, and is not overwritten", file.display()));
    }
    let begun = Edit::of(file, |_| Ok(template(&format!("./{SCHEMA_FILE}"))))?;
    Ok([known, begun])
}

/// What the file begins as, where `schema` is the JSON Schema's file.
pub(super) fn template(schema: &str) -> String {
    include_str!("template.toml").replace("SCHEMA", schema)
}

/// A server more.
///
/// # Errors
///
/// A sentence about what is wrong with the server or the file.
pub fn add(file: &Path, name: &str, server: &NewServer, user: &User) -> Result<Edit, String> {
    check_name(name).map_err(|error| format!("`{name}`: {error}"))?;
    let entry = server.entry()?;
    let edit = Edit::of(file, |text| {
        if has_server(text, name)? {
            return Err(format!(
                "there is a server `{name}` already; `ampoule servers rm {name}` removes it"
            ));
        }
        entries::put(Format::Toml, text, &["servers"], name, &entry)
    })?;
    // What depends on a variable may be right elsewhere, or later.
    let depends = Value::Object(entry).to_string().contains("${");
    let folder = file.parent().unwrap_or(file);
    let after = edit.after.as_deref().unwrap_or_default();
    let config = file::parse(file, folder, after, user).map_err(|error| error.to_string())?;
    match config.disabled.get(name) {
        Some(error) if !depends => Err(error.without_file()),
        _ => Ok(edit),
    }
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

/// A client more whose servers are used too: `from` is its name, or the path of a file.
///
/// # Errors
///
/// A sentence about what is wrong with the file, or with what is to be imported.
pub fn import(file: &Path, from: &str, user: &User) -> Result<Edit, String> {
    let from = match Client::called(from) {
        Some(client) => client.id.to_owned(),
        None => {
            let path = clients::path(from, user)?;
            if !path.exists() && !from.contains('*') {
                return Err(format!("there is no file {}", path.display()));
            }
            if !from.contains('*') {
                clients::has_servers(&path, user)?;
            }
            user.shown(&path)
        }
    };
    Edit::of(file, |text| {
        entries::parsed(Format::Toml, text)?;
        let mut document: DocumentMut = text.parse().map_err(|_| "it is not valid TOML")?;
        if let Some(begin) = above_the_tables(text) {
            let list: Array = [from.as_str()].into_iter().collect();
            let (head, tables) = text.split_at(begin);
            let apart = match head.is_empty() || head.ends_with("\n\n") {
                true => "",
                false => "\n",
            };
            return Ok(format!("{head}{apart}import = {list}\n\n{tables}"));
        }
        let list = document
            .entry("import")
            .or_insert_with(|| Item::Value(Array::new().into()))
            .as_array_mut()
            .ok_or("`import` is not a list")?;
        if !list.iter().any(|other| other.as_str() == Some(&from)) {
            list.push(&from);
        }
        Ok(document.to_string())
    })
}

/// Where a file's first key goes, if the file has tables alone so far: below what it begins with,
/// and above what is said of the first table.
fn above_the_tables(text: &str) -> Option<usize> {
    let (mut at, mut begin) = (0, 0);
    for line in text.split_inclusive('\n') {
        let said = line.trim();
        if !said.is_empty() && !said.starts_with('#') {
            return said.starts_with('[').then_some(begin);
        }
        at += line.len();
        if said.is_empty() || said.starts_with("#:") {
            begin = at;
        }
    }
    None
}

fn has_server(text: &str, name: &str) -> Result<bool, String> {
    let document = entries::parsed(Format::Toml, text)?;
    Ok(document
        .at(&["servers", name])
        .is_some_and(|server| !matches!(server.to_json(), Value::Null)))
}
