//! Declarations in TypeScript.
//!
//! A tool is a function in its server's namespace, called as it is read:
//!
//! ```ts
//! declare namespace tools.github {
//!   /** Opens an issue. (destructive) */
//!   function createIssue(args: {
//!     owner: string;
//!     /** Labels to set (1 to 10 items) */
//!     labels?: string[];
//!   }): Promise<{ number: number }>;
//! }
//! ```
//!
//! Namespaces of the same name add up, so declarations can be put together in any way, and `tsc
//! --strict` accepts them.
//!
//! - `files`: the same for compilers and editors, as files
//! - `comment`: what is said
//! - `types`: types
//! - `literal`: values and names

mod comment;
mod files;
mod literal;
mod types;

pub use files::{Module, ambient, module};
pub use literal::{property as property_name, string};

use super::doc::{self, Detail};
use super::interface::{Function, Interface};
use super::names::{self, Names, Style};
use super::types::{Extra, Type};

/// The longest name of a tool that a comment quotes, in bytes.
const MAX_NAME: usize = 200;

/// The type of any JSON value.
const JSON: &str = "\
/** Any JSON value. */
type Json = any;
";

/// The type of the result of a tool that has no schema for it.
const UNTYPED: &str = "\
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
";

/// A server's tools, and what they are called.
#[derive(Debug, Clone, Copy)]
pub struct Namespace<'a> {
    /// The server's identifier, of [`Style::Camel`].
    pub identifier: &'a str,
    /// The tools to declare.
    pub interface: &'a Interface,
    /// The identifiers of all tools of the server, of [`Style::Camel`].
    pub names: &'a Names,
}

/// Declares the tools of `namespaces`, with the types that they need.
pub fn declare(namespaces: &[Namespace<'_>], detail: Detail) -> String {
    let mut declared = String::new();
    for namespace in namespaces {
        namespace.declare(detail, &mut declared);
    }
    let mut text = String::with_capacity(declared.len() + JSON.len() + UNTYPED.len());
    for (name, declaration) in [("Json", JSON), ("Untyped", UNTYPED)] {
        if doc::mentions(&declared, name) {
            text.push_str(declaration);
        }
    }
    text + &declared
}

impl Namespace<'_> {
    fn declare(&self, detail: Detail, out: &mut String) {
        let definitions = &self.interface.definitions;
        let hints = definitions
            .iter()
            .map(|definition| definition.hint.as_str());
        let types = names::identifiers(&hints.collect::<Vec<_>>(), Style::Pascal);
        let printer = types::Printer {
            types: &types,
            detail,
            any: "Json",
            readonly: false,
        };
        out.push_str(&format!("declare namespace tools.{} {{\n", self.identifier));
        for function in &self.interface.functions {
            self.function(function, &printer, out);
        }
        for (definition, name) in definitions.iter().zip(&types) {
            comment::write(&comment::of_definition(name, definition, detail), 1, out);
            out.push_str(&format!("  type {name} = "));
            printer.write(&definition.value.ty, 1, out);
            out.push_str(";\n");
        }
        out.push_str("}\n");
    }

    /// What scripts call a tool.
    fn identifier_of(&self, function: &Function) -> String {
        match self.names.find(&function.tool) {
            names::Lookup::One(index) => self.names.identifiers()[index].clone(),
            names::Lookup::Ambiguous(_) | names::Lookup::Nothing => {
                names::camel_case(&function.tool)
            }
        }
    }

    fn function(&self, function: &Function, printer: &types::Printer<'_>, out: &mut String) {
        let name = self.identifier_of(function);
        let elsewhere = names::canonical(&name) != names::canonical(&function.tool)
            && function.tool.len() <= MAX_NAME;
        let own_name = elsewhere.then(|| {
            format!(
                "tools.{}[{}]",
                self.identifier,
                literal::string(&function.tool)
            )
        });
        comment::write(
            &comment::of_function(function, own_name, printer.detail),
            1,
            out,
        );
        out.push_str(&format!("  function {name}("));
        match arguments(&function.arguments.ty) {
            Arguments::None => {}
            Arguments::Optional => {
                out.push_str("args?: ");
                printer.write(&function.arguments.ty, 1, out);
            }
            Arguments::Required => {
                out.push_str("args: ");
                printer.write(&function.arguments.ty, 1, out);
            }
        }
        out.push_str("): Promise<");
        match &function.result {
            Some(result) => printer.write(&result.ty, 1, out),
            None => out.push_str("Untyped"),
        }
        out.push_str(">;\n");
    }
}

/// Whether a function's arguments may be left out.
enum Arguments {
    None,
    Optional,
    Required,
}

fn arguments(ty: &Type) -> Arguments {
    match ty {
        Type::Record(record)
            if record.properties.is_empty()
                && matches!(record.extra, Extra::Unstated | Extra::Closed) =>
        {
            Arguments::None
        }
        Type::Record(record) if record.properties.iter().all(|property| !property.required) => {
            Arguments::Optional
        }
        _ => Arguments::Required,
    }
}
