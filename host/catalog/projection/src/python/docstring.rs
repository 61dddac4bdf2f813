//! Docstrings of stubs: what is said of tools, their arguments and their results.

use super::super::doc::{self, Detail};
use super::super::interface::{Function, Interface};
use super::super::names;
use super::super::types::DocumentedType;
use super::{about_tool, literal, types};

/// How much is said in files.
pub(super) const DETAIL: Detail = Detail::Whole;

/// A tool's docstring, by lines.
pub(super) fn of_tool(interface: &Interface, function: &Function, name: &str) -> Vec<String> {
    let mut lines = about_tool(function, name, DETAIL);
    let mut section = |title: &str, said: Vec<String>| {
        if !said.is_empty() {
            lines.extend([String::new(), title.to_owned()]);
            lines.extend(said.into_iter().map(|line| match line.is_empty() {
                true => line,
                false => format!("    {line}"),
            }));
        }
    };
    let arguments = &function.arguments;
    let mut said = about(arguments);
    if let Some(record) = arguments.ty.record(&interface.definitions) {
        for property in &record.properties {
            let mut of = types::said(&property.name, &property.value, DETAIL).into_iter();
            said.extend(
                of.next()
                    .map(|first| format!("{}: {first}", keyword(&property.name))),
            );
            said.extend(of.map(|line| format!("    {line}").trim_end().to_owned()));
        }
    }
    section("Args:", said);
    section(
        "Returns:",
        function.result.as_ref().map_or_else(Vec::new, about),
    );
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    lines.split_off(first)
}

/// What is said about a tool's arguments or result as a whole. Their titles are made from the
/// tool's name.
fn about(documented: &DocumentedType) -> Vec<String> {
    let mut docs = documented.docs.clone();
    docs.title = None;
    doc::of_value("", &docs, &documented.ty, DETAIL)
}

/// How an argument is named in a call.
pub(super) fn keyword(name: &str) -> String {
    match literal::is_parameter(name) {
        true => name.to_owned(),
        false => names::snake_case(name),
    }
}

/// Writes a docstring, if anything is said.
pub(super) fn docstring(said: &[String], out: &mut String) {
    if !said.is_empty() {
        literal::docstring(said, out);
    }
}

/// A function's body.
pub(super) fn body(said: &[String], out: &mut String) {
    if said.is_empty() {
        out.push_str("    ...\n");
    }
    docstring(said, out);
}
