//! Declarations for compilers and editors: longer than what is shown of a tool, with a name for
//! each tool's arguments and result, with comments as long as they are, and strict: what may be
//! anything is `unknown`, and what is given may be read-only.

use super::super::interface::{Function, Interface};
use super::super::names::{self, Style};
use super::super::types::{Docs, Type};
use super::{Arguments, Detail, Namespace, arguments, comment, literal, types};

/// What may be any value is called.
const ANY: &str = "unknown";

/// What is said of the result of a tool that has no schema for it.
const UNTYPED: &str = "The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks.";

/// A tool as a module.
pub struct Module {
    /// The module's source.
    pub text: String,
    /// What the function is called that it exports.
    pub function: String,
    /// The types of its arguments and of its result.
    pub types: [String; 2],
}

/// A server's tools as part of the global `tools`.
pub fn ambient(namespace: &Namespace<'_>) -> String {
    let file = File::of(namespace);
    let mut out = format!("declare namespace tools.{} {{\n", namespace.identifier);
    for (place, function) in file.functions() {
        file.comment(function, 1, &mut out);
        let head = file.head(place, "$Options");
        out.push_str(&format!("  export function {head};\n"));
        let own = function.tool.as_str();
        let identifier = namespace.identifier_of(function);
        if own != identifier && is_name(own) && !file.has_type(own) {
            out.push_str(&format!("  export {{ {identifier} as {own} }};\n"));
        }
    }
    file.types(1, &mut out);
    out + "}\n"
}

/// The module of the only tool in `namespace`. `call` is how it is called: an expression that takes
/// its arguments and options.
pub fn module(namespace: &Namespace<'_>, call: &str) -> Option<Module> {
    let function = namespace.interface.functions.first()?;
    let file = File::of(namespace);
    let mut text = String::new();
    file.types(0, &mut text);
    text.push('\n');
    file.comment(function, 0, &mut text);
    let head = file.head(0, "tools.$Options");
    let result = &file.results[0];
    text.push_str(&format!(
        "export function {head} {{\n  return {call} as Promise<{result}>;\n}}\n"
    ));
    Some(Module {
        text,
        function: namespace.identifier_of(function),
        types: [file.arguments[0].clone(), result.clone()],
    })
}

/// A namespace with a name for each of its types.
struct File<'a> {
    namespace: &'a Namespace<'a>,
    interface: Interface,
    /// For each definition, whether it is given to tools.
    given: Vec<bool>,
    /// The names of definitions, and of the functions' arguments and results.
    definitions: Vec<String>,
    arguments: Vec<String>,
    results: Vec<String>,
}

impl<'a> File<'a> {
    fn of(namespace: &'a Namespace<'a>) -> Self {
        let (interface, given) = namespace.interface.apart();
        let hints = interface
            .definitions
            .iter()
            .map(|definition| definition.hint.clone());
        let of_tools = |what: &'static str| {
            let tools = interface
                .functions
                .iter()
                .map(|function| function.tool.as_str());
            tools.map(move |tool| format!("{tool} {what}"))
        };
        let wanted: Vec<String> = hints
            .chain(of_tools("args"))
            .chain(of_tools("result"))
            .collect();
        let mut definitions = names::identifiers(&wanted, Style::Pascal);
        let mut arguments = definitions.split_off(interface.definitions.len());
        let results = arguments.split_off(interface.functions.len());
        Self {
            namespace,
            interface,
            given,
            definitions,
            arguments,
            results,
        }
    }

    fn has_type(&self, name: &str) -> bool {
        let all = [&self.definitions, &self.arguments, &self.results];
        all.iter()
            .any(|names| names.iter().any(|known| known == name))
    }

    fn functions(&self) -> impl Iterator<Item = (usize, &Function)> {
        self.interface.functions.iter().enumerate()
    }

    /// A function's name, parameters and result.
    fn head(&self, place: usize, options: &str) -> String {
        let function = &self.interface.functions[place];
        let optional = match arguments(&function.arguments.ty) {
            Arguments::None | Arguments::Optional => "?",
            Arguments::Required => "",
        };
        format!(
            "{}(args{optional}: {}, options?: {options}): Promise<{}>",
            self.namespace.identifier_of(function),
            self.arguments[place],
            self.results[place]
        )
    }

    fn comment(&self, function: &Function, indent: usize, out: &mut String) {
        let identifier = self.namespace.identifier_of(function);
        let said = comment::of_function(function, None, Detail::Whole);
        let own = (names::canonical(&identifier) != names::canonical(&function.tool))
            .then(|| comment::Line::Text(format!("The tool {}.", literal::string(&function.tool))));
        let lines: Vec<_> = said.into_iter().chain(own).collect();
        comment::write(&lines, indent, out);
    }

    /// All types, each by its name.
    fn types(&self, indent: usize, out: &mut String) {
        let nothing = Docs::default();
        let [given, taken] = [true, false].map(|readonly| types::Printer {
            types: &self.definitions,
            detail: Detail::Whole,
            any: ANY,
            readonly,
        });
        for (place, function) in self.functions() {
            let name = &self.arguments[place];
            match arguments(&function.arguments.ty) {
                Arguments::None => {
                    declare(name, "{ readonly [name: string]: never }", indent, out);
                }
                _ => given.declare(name, &nothing, &function.arguments.ty, indent, out),
            }
            match &function.result {
                Some(result) => {
                    taken.declare(&self.results[place], &nothing, &result.ty, indent, out);
                }
                None => {
                    let said = comment::Line::Text(UNTYPED.to_owned());
                    comment::write(&[said], indent, out);
                    declare(&self.results[place], ANY, indent, out);
                }
            }
        }
        let names = self.definitions.iter().zip(&self.given);
        for ((name, is_given), definition) in names.zip(&self.interface.definitions) {
            let printer = if *is_given { &given } else { &taken };
            let value = &definition.value;
            printer.declare(name, &value.docs, &value.ty, indent, out);
        }
    }
}

impl types::Printer<'_> {
    fn declare(&self, name: &str, docs: &Docs, ty: &Type, indent: usize, out: &mut String) {
        comment::write(&comment::of_value(name, docs, ty, self.detail), indent, out);
        out.push_str(&format!("{}export type {name} = ", "  ".repeat(indent)));
        self.write(ty, indent, out);
        out.push_str(";\n");
    }
}

fn declare(name: &str, ty: &str, indent: usize, out: &mut String) {
    out.push_str(&format!(
        "{}export type {name} = {ty};\n",
        "  ".repeat(indent)
    ));
}

/// Whether something can be exported by a name, and reached behind a dot.
fn is_name(name: &str) -> bool {
    name != "default" && literal::property(name) == name
}
