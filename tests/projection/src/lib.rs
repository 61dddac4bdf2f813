//! What must hold of any tools, and tools that nobody thought of.
//!
//! The tests of the projection use it, those of typed calls, and the fuzz targets.
//!
//! - `schemas`: tools made at random
//! - `documents`: documents that a tool's types allow, and whether they come back from values of
//!   WIT as they were
//! - `lexer`: whether declarations in TypeScript and Python are well-formed
//! - `wit_parser`: whether a package is valid
//! - `words`: text that would be more than text, in each place where a tool has any; `said`:
//!   whether it is no more

mod documents;
mod lexer;
mod said;
mod schemas;
mod wit_parser;
pub mod words;

use std::path::PathBuf;

use ampoule_projection::names::{self, Names, Style};
use ampoule_projection::{Detail, Interface, Tool, python, typescript, wit};
use arbitrary::Unstructured;

pub use documents::{ALLOWED, assert_come_back, document, same};
pub use lexer::{assert_python, assert_typescript};
pub use schemas::{name, tools};
pub use wit_parser::{assert_valid, parsed};

/// Panics unless tools, no two of the same name, are declared soundly in each language, whatever
/// their order, and documents of their types come back from values of WIT as they were. The
/// documents are made from `u`.
pub fn assert_sound(tools: &[Tool], u: &mut Unstructured<'_>) {
    assert_valid(&wit("server", tools), tools.len());
    for detail in [Detail::Brief, Detail::Full, Detail::Whole] {
        assert_typescript(&typescript("server", tools, detail));
        assert_python(&python(tools, detail));
    }
    let backwards: Vec<Tool> = tools.iter().rev().cloned().collect();
    for in_language in [
        |tools: &[Tool]| wit("server", tools),
        |tools: &[Tool]| typescript("server", tools, Detail::Full),
        |tools: &[Tool]| typescript("server", tools, Detail::Whole),
        |tools: &[Tool]| python(tools, Detail::Full),
        |tools: &[Tool]| python(tools, Detail::Whole),
    ] {
        assert_same_lines(&in_language(tools), &in_language(&backwards));
    }
    assert_come_back(tools, u);
}

/// Panics unless tools whose every text would be more than text are declared as those that say
/// nothing, but for names and comments. They are made from `u`.
///
/// # Errors
///
/// Where `u` is not enough to make them of.
pub fn assert_words_stay_words(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
    let tools = words::saying(|| words::hostile(u))?;
    said::assert_only_said(&tools, &words::saying_nothing());
    Ok(())
}

/// Panics unless two texts have the same lines, in any order.
fn assert_same_lines(text: &str, other: &str) {
    let sorted = |text: &'_ str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert!(
        sorted(text) == sorted(other),
        "the order of tools makes a difference:\n{text}\nand\n{other}"
    );
}

/// All of a server's tools in TypeScript; with [`Detail::Whole`] as a file.
pub fn typescript(server: &str, tools: &[Tool], detail: Detail) -> String {
    let interface = Interface::of(tools);
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
    let identifier = names::camel_case(server);
    let namespace = typescript::Namespace {
        identifier: &identifier,
        interface: &interface,
        names: &names,
    };
    match detail {
        Detail::Whole => typescript::ambient(&namespace),
        _ => typescript::declare(&[namespace], detail),
    }
}

/// All of a server's tools in Python; with [`Detail::Whole`] as a file.
pub fn python(tools: &[Tool], detail: Detail) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Snake);
    let interface = Interface::of(tools);
    match detail {
        Detail::Whole => python::stub(&interface, &names),
        _ => python::declare("server", &interface, &names, detail),
    }
}

/// All of a server's tools in WIT.
pub fn wit(server: &str, tools: &[Tool]) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    wit::package(&names::kebab_case(server), &Interface::of(tools), &names).to_string()
}

/// A folder of `tests/corpora`.
fn corpora(folder: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpora")).join(folder)
}

/// The files of a folder that end in `.json`, in order.
pub fn json_files(folder: &str) -> Vec<PathBuf> {
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
pub fn tools_in(path: &PathBuf) -> Vec<Tool> {
    let text = std::fs::read(path).unwrap();
    let file: serde_json::Value =
        serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_value(file["tools"].clone())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A tool with these schemas.
pub fn tool(name: &str, input: serde_json::Value, output: Option<serde_json::Value>) -> Tool {
    serde_json::from_value(
        serde_json::json!({ "name": name, "inputSchema": input, "outputSchema": output }),
    )
    .unwrap()
}

/// Bytes that depend on the case alone.
pub fn bytes(case: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new()
        .update(&case.to_le_bytes())
        .finalize_xof()
        .fill(&mut bytes);
    bytes
}
