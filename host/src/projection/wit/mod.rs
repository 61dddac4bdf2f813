//! Packages in WIT.
//!
//! A server is a package with one interface, and a tool a function in it:
//!
//! ```wit
//! package mcp:github;
//!
//! interface tools {
//!     use ampoule:guest/values@0.1.0.{tool-error};
//!
//!     record create-issue-args { owner: string, labels: option<list<string>> }
//!     record create-issue-result { number: s64 }
//!
//!     /// Opens an issue. (destructive)
//!     create-issue: async func(args: create-issue-args) -> result<create-issue-result, tool-error>;
//! }
//! ```
//!
//! An optional property is an `option`, and one that may be null as well is an `option` in it. What WIT can't say is `json`, in that place alone: any value,
//! an object with any properties, a type within itself, `null` alone, a tuple whose length is open.
//!
//! - `finite`: where types that contain themselves end
//! - `types`: types and their declarations
//! - `cases`: names for values and for the types of a choice

mod cases;
mod finite;
mod types;

use super::doc::{self, Detail};
use super::interface::{Function, Interface};
use super::names::{self, Names, Style};
use super::structures::Structures;
use super::types::{Extra, Type};

/// The interface of the package `ampoule:guest` that every package of tools uses.
pub const VALUES: &str = include_str!("values.wit");

/// The names that [`VALUES`] gives to every interface of tools.
const SHARED: [&str; 3] = ["json", "content", "tool-error"];

/// The package of a server's tools, with the interface `tools`. `server` is the server's identifier and `names` are those of all of its tools, of
/// [`Style::Kebab`].
pub fn package(server: &str, interface: &Interface, names: &Names) -> String {
    let interface = finite::finite(interface.clone());
    let mut taken = names.identifiers().to_vec();
    let shared = SHARED.map(|name| {
        let mut own = name.to_owned();
        while taken.contains(&own) {
            own.push_str("-type");
        }
        own
    });
    taken.extend(shared.iter().cloned());
    let structures = Structures::of(&interface, Style::Kebab, types::writing, &taken);
    let printer = types::Printer {
        structures: &structures,
        definitions: &interface.definitions,
        json: &shared[0],
    };
    let mut body = String::new();
    for (index, definition) in interface.definitions.iter().enumerate() {
        let name = structures.definition(index);
        body.push('\n');
        types::comment(
            &doc::of_value(
                name,
                &definition.value.docs,
                &definition.value.ty,
                Detail::Full,
            ),
            1,
            &mut body,
        );
        printer.declare(name, &definition.value.ty, &mut body);
    }
    for (name, ty) in structures.iter() {
        body.push('\n');
        printer.declare(name, ty, &mut body);
    }
    for function in &interface.functions {
        body.push('\n');
        declare(function, names, &printer, &shared, &mut body);
    }
    let used: Vec<String> = SHARED
        .iter()
        .zip(&shared)
        .filter(|(_, own)| mentions(&body, own))
        .map(|(name, own)| {
            if name == own {
                own.clone()
            } else {
                format!("{name} as {own}")
            }
        })
        .collect();
    let uses = if used.is_empty() {
        String::new()
    } else {
        format!(
            "    use ampoule:guest/values@0.1.0.{{{}}};\n",
            used.join(", ")
        )
    };
    format!(
        "package mcp:{};\n\ninterface tools {{\n{uses}{body}}}\n",
        types::identifier(server)
    )
}

/// Whether a type is used. It may be named in a comment or as a part of another name; then it is taken in vain.
fn mentions(body: &str, name: &str) -> bool {
    body.contains(name)
}

fn declare(
    function: &Function,
    names: &Names,
    printer: &types::Printer<'_>,
    shared: &[String; 3],
    out: &mut String,
) {
    let [_, content, error] = shared;
    let name = match names.find(&function.tool) {
        names::Found::One(index) => names.identifiers()[index].clone(),
        names::Found::Ambiguous(_) | names::Found::Nothing => names::kebab_case(&function.tool),
    };
    types::comment(&said(function, &name), 1, out);
    let arguments = match &function.arguments.ty {
        Type::Record(record)
            if record.properties.is_empty()
                && matches!(record.extra, Extra::Unstated | Extra::Closed) =>
        {
            String::new()
        }
        ty => format!("args: {}", printer.text(ty)),
    };
    let result = function.result.as_ref().map_or_else(
        || format!("list<{content}>"),
        |result| printer.text(&result.ty),
    );
    out.push_str(&format!(
        "    {}: async func({arguments}) -> result<{result}, {error}>;\n",
        types::identifier(&name)
    ));
}

/// What is said about a tool.
fn said(function: &Function, name: &str) -> Vec<String> {
    let detail = Detail::Full;
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
    for (what, documented) in [
        ("Arguments", Some(&function.arguments)),
        ("Result", function.result.as_ref()),
    ] {
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
    if function.arguments.docs.deprecated {
        lines.push("Deprecated.".to_owned());
    }
    lines
}
