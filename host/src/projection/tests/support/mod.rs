//! What must hold of any tools, and tools that nobody thought of.
//!
//! The fuzz targets in `tests/fuzz` include this module by its path, and `tests/all` includes `schemas` and `words`. So it uses nothing of the projection that is not
//! public, and names it from the crate's root, where those have it as well.
//!
//! - `schemas`: tools made at random
//! - `documents`: documents that a tool's types allow, and whether they come back from values of WIT as they were
//! - `lexer`: whether declarations in TypeScript and Python are well-formed
//! - `wit_parser`: whether a package is valid
//! - `words`: text that would be more than text, in each place where a tool has any; `said`: whether it is no more

mod documents;
mod lexer;
mod said;
mod schemas;
mod wit_parser;
mod words;

use arbitrary::Unstructured;

use crate::projection::names::{self, Names, Style};
use crate::projection::{Detail, Interface, Tool, python, typescript, wit};

pub(crate) use documents::{ALLOWED, assert_come_back, document, same};
pub(crate) use lexer::{assert_python, assert_typescript};
pub(crate) use schemas::{name, tools};
pub(crate) use wit_parser::{assert_valid, parsed};

/// Panics unless tools, no two of the same name, are declared soundly in each language, whatever their order, and documents of their types come back from
/// values of WIT as they were. The documents are made from `u`.
pub(crate) fn assert_sound(tools: &[Tool], u: &mut Unstructured<'_>) {
    assert_valid(&wit("server", tools), tools.len());
    for detail in [Detail::Brief, Detail::Full] {
        assert_typescript(&typescript("server", tools, detail));
        assert_python(&python(tools, detail));
    }
    let backwards: Vec<Tool> = tools.iter().rev().cloned().collect();
    for in_language in [
        |tools: &[Tool]| wit("server", tools),
        |tools: &[Tool]| typescript("server", tools, Detail::Full),
        |tools: &[Tool]| python(tools, Detail::Full),
    ] {
        assert_same_lines(&in_language(tools), &in_language(&backwards));
    }
    assert_come_back(tools, u);
}

/// Panics unless tools whose every text would be more than text are declared as those that say nothing, but for names and comments. They are made from `u`.
///
/// # Errors
///
/// Where `u` is not enough to make them of.
pub(crate) fn assert_words_stay_words(u: &mut Unstructured<'_>) -> arbitrary::Result<()> {
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

/// All of a server's tools in TypeScript.
pub(crate) fn typescript(server: &str, tools: &[Tool], detail: Detail) -> String {
    let interface = Interface::of(tools);
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
    let identifier = names::camel_case(server);
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
pub(crate) fn python(tools: &[Tool], detail: Detail) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Snake);
    python::module(&Interface::of(tools), &names, detail)
}

/// All of a server's tools in WIT.
pub(crate) fn wit(server: &str, tools: &[Tool]) -> String {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    wit::package(&names::kebab_case(server), &Interface::of(tools), &names).to_string()
}
