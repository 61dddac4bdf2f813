//! Tests of the whole way from a schema to a declaration.
//!
//! - `goldens`: cases in files, with what they give beside them
//! - `corpora`: the tools of real servers
//! - `limits`: schemas that are large, deep, or made to take forever
//! - `random`: schemas that nobody thought of
//! - `lexer`: whether a text is well-formed
//! - `values`: documents as values of WIT, and back
//! - `wit_parser`: whether a package is valid

mod corpora;
mod goldens;
mod lexer;
mod limits;
mod random;
mod values;
mod wit_parser;

use std::path::PathBuf;

use super::names::{Names, Style};
use super::{Detail, Interface, Tool, python, typescript, wit};

/// A folder of `tests/corpora`.
fn corpora(folder: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpora")).join(folder)
}

/// The files of a folder that end in `.json`, in order.
fn json_files(folder: &str) -> Vec<PathBuf> {
    let folder = corpora(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    files
}

/// The tools that a file lists.
fn tools_in(path: &PathBuf) -> Vec<Tool> {
    let text = std::fs::read(path).unwrap();
    let file: serde_json::Value =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_value(file["tools"].clone())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A tool with these schemas.
fn tool(name: &str, input: serde_json::Value, output: Option<serde_json::Value>) -> Tool {
    serde_json::from_value(
        serde_json::json!({ "name": name, "inputSchema": input, "outputSchema": output }),
    )
    .unwrap()
}

/// All of a server's tools in TypeScript.
fn typescript(server: &str, tools: &[Tool], detail: Detail) -> String {
    let interface = Interface::of(tools);
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
    let identifier = super::names::camel_case(server);
    typescript::declare(
        &[typescript::Namespace {
            identifier: &identifier,
            interface: &interface,
            names: &names,
        }],
        detail,
    )
}

/// All of a server's tools in Python.
fn python(tools: &[Tool], detail: Detail) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Snake);
    python::module(&Interface::of(tools), &names, detail)
}

/// All of a server's tools in WIT.
fn wit(server: &str, tools: &[Tool]) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    wit::package(
        &super::names::kebab_case(server),
        &Interface::of(tools),
        &names,
    )
    .to_string()
}
