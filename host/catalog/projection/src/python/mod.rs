//! Stubs in Python.
//!
//! A server is a module, and a tool a coroutine in it, whose arguments are named:
//!
//! ```py
//! async def create_issue(
//!     *,
//!     owner: str,
//!     # Labels to set (1 to 10 items)
//!     labels: list[str] = ...,
//! ) -> CreateIssueResult:
//!     """Opens an issue. (destructive)"""
//! ```
//!
//! A tool whose arguments can't be named in Python takes one dictionary.
//!
//! - `files`: stubs as files, for type checkers and editors; `docstring`: what is said in them
//! - `types`: types, and classes for objects
//! - `literal`: values and names

mod docstring;
mod files;
mod literal;
mod types;

use std::collections::HashSet;

use super::doc::{self, Detail};
use super::interface::{Function, Interface};
use super::names::{self, Names, Style};
use super::structures::Structures;
use super::types::{Extra, Record, Type};

pub use files::{ACCOUNT, account, stub};
pub use literal::{constant, is_parameter as is_parameter_name};

/// The type of any JSON value.
const JSON: &str = "
# Any JSON value.
Json: TypeAlias = Any
";

/// The type of the result of a tool that has no schema for it.
const UNTYPED: &str = "
# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any
";

/// Declares the tools of `interface`, with the types that they need, for those who read them.
/// `server` is the server's identifier, and `names` are the identifiers of all of its tools, of
/// [`Style::Snake`].
pub fn declare(server: &str, interface: &Interface, names: &Names, detail: Detail) -> String {
    let body = body(interface, names, detail);
    let mut text = format!("# tools.{server}\n");
    for (name, declaration) in [("Json", JSON), ("Untyped", UNTYPED)] {
        if doc::mentions(&body, name) {
            text.push_str(declaration);
        }
    }
    text + &body
}

/// The types and functions of a module.
fn body(interface: &Interface, names: &Names, detail: Detail) -> String {
    let structures = Structures::of(
        interface,
        Style::AsciiPascal,
        types::writing,
        names.identifiers(),
    );
    let printer = types::Printer {
        structures: &structures,
        detail,
    };
    let mut out = String::new();
    // The innermost first: a reader of the module need not look ahead far.
    for (index, definition) in interface.definitions.iter().enumerate().rev() {
        out.push('\n');
        let name = structures.definition(index);
        types::comment(
            &doc::of_value(name, &definition.value.docs, &definition.value.ty, detail),
            0,
            &mut out,
        );
        printer.declare(name, &definition.value.ty, &mut out);
    }
    let named_arguments = |function: &&Function| parameters(&function.arguments.ty).is_some();
    let unneeded: HashSet<*const Type> = interface
        .functions
        .iter()
        .filter(named_arguments)
        .map(|function| &raw const function.arguments.ty)
        .collect();
    for (name, ty) in structures
        .iter()
        .rev()
        .filter(|(_, ty)| !unneeded.contains(&std::ptr::from_ref(*ty)))
    {
        out.push('\n');
        printer.declare(name, ty, &mut out);
    }
    for function in &interface.functions {
        out.push('\n');
        self::function(function, names, &printer, &mut out);
    }
    out
}

fn function(function: &Function, names: &Names, printer: &types::Printer<'_>, out: &mut String) {
    let name = identifier_of(function, names);
    out.push_str(&format!("async def {name}("));
    match (&function.arguments.ty, parameters(&function.arguments.ty)) {
        (_, Some(record)) if record.properties.is_empty() => {}
        (_, Some(record)) => {
            out.push_str("\n    *,\n");
            for property in &record.properties {
                types::comment(
                    &types::said(&property.name, &property.value, printer.detail),
                    1,
                    out,
                );
                let default = if property.required { "" } else { " = ..." };
                out.push_str(&format!(
                    "    {}: {}{default},\n",
                    property.name,
                    printer.text(&property.value.ty)
                ));
            }
        }
        (ty, None) => {
            let optional = matches!(ty, Type::Record(record) if record.properties.iter().all(|property| !property.required));
            out.push_str(&format!(
                "args: {}{}",
                printer.text(ty),
                if optional { " = ..." } else { "" }
            ));
        }
    }
    let result = function
        .result
        .as_ref()
        .map_or_else(|| "Untyped".to_owned(), |result| printer.text(&result.ty));
    out.push_str(&format!(") -> {result}:\n"));
    let said = said(function, &name, printer.detail);
    if said.is_empty() {
        out.push_str("    ...\n");
    } else {
        literal::docstring(&said, out);
    }
}

/// The arguments as parameters, if each has a name that Python can use.
fn parameters(ty: &Type) -> Option<&Record> {
    match ty {
        Type::Record(record) => {
            let stated = matches!(record.extra, Extra::Unstated | Extra::Closed);
            (stated
                && record
                    .properties
                    .iter()
                    .all(|property| literal::is_parameter(&property.name)))
            .then_some(record)
        }
        _ => None,
    }
}

/// What scripts call a tool.
fn identifier_of(function: &Function, names: &Names) -> String {
    match names.find(&function.tool) {
        names::Lookup::One(index) => names.identifiers()[index].clone(),
        names::Lookup::Ambiguous(_) | names::Lookup::Nothing => names::snake_case(&function.tool),
    }
}

/// What is said about a tool, apart from its arguments and result.
fn about_tool(function: &Function, name: &str, detail: Detail) -> Vec<String> {
    let text = function.description.as_ref().or(function.title.as_ref());
    let mut lines = text.map_or_else(Vec::new, |text| {
        doc::lines(text, detail, detail.tool_chars())
    });
    doc::append(&mut lines, &doc::hints(function.hints));
    if names::canonical(name) != names::canonical(&function.tool) {
        lines.push(format!(
            "The tool {}.",
            doc::json(&function.tool.as_str().into(), 200)
        ));
    }
    if function.arguments.docs.deprecated {
        lines.push("Deprecated.".to_owned());
    }
    lines
}

/// What is said about a tool.
fn said(function: &Function, name: &str, detail: Detail) -> Vec<String> {
    let mut lines = about_tool(function, name, detail);
    let about = [
        ("Arguments", Some(&function.arguments)),
        ("Returns", function.result.as_ref()),
    ];
    for (what, documented) in about {
        let Some(documented) = documented else {
            continue;
        };
        let docs = super::types::Docs {
            title: None,
            ..documented.docs.clone()
        };
        let said = doc::of_value(what, &docs, &documented.ty, detail);
        if !said.is_empty() {
            lines.push(format!("{what}: {}", said.join(" ")));
        }
    }
    lines
}
