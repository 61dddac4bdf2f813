//! Stubs for type checkers and editors: longer than what is shown of a tool, with docstrings, and
//! of the types that scripts meet.
//!
//! A tool takes its arguments by keywords, or as one dict; its objects have their keys as items and
//! as attributes:
//!
//! ```py
//! @overload
//! def create_issue(**args: Unpack[CreateIssueArgs]) -> Call[CreateIssueResult]:
//!     """Opens an issue."""
//! @overload
//! def create_issue(args: CreateIssueArgs, /) -> Call[CreateIssueResult]: ...
//! ```

use std::collections::HashSet;
use std::ptr;

use super::super::doc;
use super::super::interface::{Function, Interface};
use super::super::names::{self, Names, Style};
use super::super::structures::Structures;
use super::super::types::{DocumentedType, Extra, Property, Record, Type};
use super::docstring::{self, DETAIL, body, docstring, keyword};
use super::{JSON, UNTYPED, identifier_of, literal, types};

/// What every stub begins with. Objects take fewer keys than all dicts do; what is imported again by
/// its own name may be unused.
const IMPORTS: &str = "\
# mypy: disable-error-code=override
# pyright: reportIncompatibleMethodOverride=false
from typing import (
    Any as Any, Literal as Literal, Never as Never, NotRequired as NotRequired, TypeAlias as TypeAlias, TypedDict as TypedDict,
    Unpack as Unpack, overload as overload,
)
from tools import Call as Call
";

/// The stub of a server's module, for type checkers. `names` are the identifiers of all tools of
/// the server, of [`Style::Snake`].
pub fn stub(interface: &Interface, names: &Names) -> String {
    let (interface, given) = interface.apart();
    let stub = Stub::of(&interface, &given, names);
    [IMPORTS, JSON, UNTYPED, &stub.types(), &stub.functions()].concat()
}

/// The class of [`account`].
pub const ACCOUNT: &str = "Account_";

/// The stub of a module for one account of a server: its tools are functions of a class, since what
/// a module is has no type. No type that is made of a schema's words has an underscore in its name.
pub fn account(interface: &Interface, names: &Names) -> String {
    let (interface, given) = interface.apart();
    let stub = Stub::of(&interface, &given, names);
    let head = format!("\nclass {ACCOUNT}:\n");
    let functions = in_class(&stub.functions());
    [IMPORTS, JSON, UNTYPED, &stub.types(), &head, &functions].concat()
}

/// Functions of a module as static methods.
fn in_class(functions: &str) -> String {
    let mut out = String::new();
    for line in functions.lines() {
        if line.starts_with("def ") {
            out.push_str("    @staticmethod\n");
        }
        if !line.is_empty() {
            out.push_str("    ");
        }
        out.push_str(line);
        out.push('\n');
    }
    if functions.trim().is_empty() {
        out.push_str("    ...\n");
    }
    out
}

struct Stub<'a> {
    interface: &'a Interface,
    names: &'a Names,
    structures: Structures<'a>,
    /// The types that tools give.
    taken: HashSet<*const Type>,
}

impl<'a> Stub<'a> {
    fn of(interface: &'a Interface, given: &[bool], names: &'a Names) -> Self {
        let definitions = interface.definitions.iter().zip(given);
        let taken = definitions.filter(|(_, given)| !**given);
        let results = interface
            .functions
            .iter()
            .filter_map(|function| function.result.as_ref());
        let roots = taken
            .map(|(definition, _)| &definition.value)
            .chain(results);
        let mut taken = HashSet::new();
        for root in roots {
            each(&root.ty, &mut |ty| {
                taken.insert(ptr::from_ref(ty));
            });
        }
        Self {
            interface,
            names,
            structures: Structures::of(
                interface,
                Style::AsciiPascal,
                types::writing,
                names.identifiers(),
            ),
            taken,
        }
    }

    fn printer(&self) -> types::Printer<'_> {
        types::Printer {
            structures: &self.structures,
            detail: DETAIL,
        }
    }

    fn types(&self) -> String {
        let mut out = String::new();
        for (index, definition) in self.interface.definitions.iter().enumerate() {
            let name = self.structures.definition(index);
            self.declare(name, &definition.value, &mut out);
        }
        for (name, ty) in self.structures.iter() {
            self.declare_undocumented(name, ty, &mut out);
        }
        out
    }

    fn functions(&self) -> String {
        let mut out = String::new();
        for function in &self.interface.functions {
            out.push('\n');
            self.function(function, &mut out);
        }
        out
    }

    fn declare(&self, name: &str, value: &DocumentedType, out: &mut String) {
        let said = doc::of_value(name, &value.docs, &value.ty, DETAIL);
        match &value.ty {
            Type::Record(record) if types::needs_class(&value.ty) => {
                self.class(
                    name,
                    record,
                    self.taken.contains(&ptr::from_ref(&value.ty)),
                    &said,
                    out,
                );
            }
            ty => {
                out.push('\n');
                types::comment(&said, 0, out);
                self.printer().declare(name, ty, out);
            }
        }
    }

    fn declare_undocumented(&self, name: &str, ty: &Type, out: &mut String) {
        if let Type::Record(record) = ty {
            self.class(
                name,
                record,
                self.taken.contains(&ptr::from_ref(ty)),
                &[],
                out,
            );
        }
    }

    fn class(&self, name: &str, record: &Record, taken: bool, said: &[String], out: &mut String) {
        out.push('\n');
        if taken {
            return self.object(name, record, said, out);
        }
        let fields = record.properties.iter();
        let fields: Vec<_> = fields
            .map(|property| (property.name.as_str(), property))
            .collect();
        if fields.iter().all(|(key, _)| literal::is_field(key)) {
            return self.typed_dict(name, &fields, said, out);
        }
        types::comment(said, 0, out);
        self.printer().class(name, record, out);
    }

    /// What is given to a tool: the keys of a dict, or keywords.
    fn typed_dict(
        &self,
        name: &str,
        fields: &[(&str, &Property)],
        said: &[String],
        out: &mut String,
    ) {
        out.push_str(&format!("class {name}(TypedDict):\n"));
        docstring(said, out);
        for (key, property) in fields {
            out.push_str(&format!("    {key}: {}\n", self.printer().field(property)));
            docstring(&types::said(key, &property.value, DETAIL), out);
        }
    }

    /// What a tool gives: a dict whose keys are also attributes.
    fn object(&self, name: &str, record: &Record, said: &[String], out: &mut String) {
        out.push_str(&format!("class {name}(dict[str, Any]):\n"));
        docstring(said, out);
        let printer = self.printer();
        let mut items = Vec::new();
        let mut absent = Vec::new();
        for property in &record.properties {
            let ty = printer.text(&property.value.ty);
            let key = format!("key: Literal[{}]", literal::string(&property.name));
            if literal::is_field(&property.name) && !literal::is_method(&property.name) {
                out.push_str(&format!("    {}: {ty}\n", property.name));
                docstring(&types::said(&property.name, &property.value, DETAIL), out);
            }
            if !property.required {
                absent.push(format!(
                    "get(self, {key}, default: None = ..., /) -> {ty} | None"
                ));
            }
            items.push(format!("__getitem__(self, {key}, /) -> {ty}"));
        }
        if matches!(record.extra, Extra::Of(_) | Extra::Any) {
            items.push("__getitem__(self, key: str, /) -> Any".to_owned());
        }
        if !absent.is_empty() {
            absent.push("get(self, key: str, default: Any = ..., /) -> Any".to_owned());
        }
        methods(&items, out);
        methods(&absent, out);
    }

    fn function(&self, function: &Function, out: &mut String) {
        let name = identifier_of(function, self.names);
        let result = function.result.as_ref();
        let result = result.map_or_else(
            || "Untyped".to_owned(),
            |result| self.printer().text(&result.ty),
        );
        let result = format!("Call[{result}]");
        let ty = &function.arguments.ty;
        let said = docstring::of_tool(self.interface, function, &name);
        let text = self.printer().text(ty);
        let one = |parameters: &str| format!("def {name}({parameters}) -> {result}:\n");
        match ty.record(&self.interface.definitions) {
            // Without a key that has a name, it is not a class.
            Some(record) if record.properties.iter().all(|each| each.name.is_empty()) => {
                let named = match &record.extra {
                    Extra::Of(value) => format!(", **named: {}", self.printer().text(value)),
                    Extra::Any => ", **named: Json".to_owned(),
                    Extra::Unstated | Extra::Closed => String::new(),
                };
                let default = default_of(record);
                out.push_str(&one(&format!("args: {text}{default}, /{named}")));
                body(&said, out);
            }
            Some(record) => {
                let default = default_of(record);
                let dict = one(&format!("args: {text}{default}, /"));
                let Some(keywords) = self.keywords(record, &text, out) else {
                    out.push_str(&dict);
                    return body(&said, out);
                };
                out.push_str("@overload\n");
                out.push_str(&one(&format!("**args: Unpack[{keywords}]")));
                body(&said, out);
                out.push_str("@overload\n");
                out.push_str(&format!("{} ...\n", dict.trim_end()));
            }
            None => {
                out.push_str(&one(&format!("args: {text}, /")));
                body(&said, out);
            }
        }
        let own = function.tool.as_str();
        if own != name && literal::is_parameter(own) && !self.is_taken(own) {
            out.push_str(&format!("{own} = {name}\n"));
        }
    }

    /// The keywords that arguments are called, if each can be one: `from_` is `from`. They are
    /// declared where they are not the keys.
    fn keywords(&self, record: &Record, keys: &str, out: &mut String) -> Option<String> {
        let words: Vec<String> = record
            .properties
            .iter()
            .map(|each| keyword(&each.name))
            .collect();
        let same = record
            .properties
            .iter()
            .zip(&words)
            .all(|(each, word)| each.name == *word);
        if same {
            return Some(keys.to_owned());
        }
        let different: HashSet<String> = words.iter().map(|word| names::canonical(word)).collect();
        let closed = matches!(record.extra, Extra::Unstated | Extra::Closed);
        // What is distinguished by case or punctuation alone means none of them.
        if different.len() < words.len() || !closed {
            return None;
        }
        let mut name = format!("{keys}Keywords");
        while self.is_taken(&name) {
            name.push('_');
        }
        let words = words.iter().map(String::as_str);
        let fields: Vec<_> = words.zip(&record.properties).collect();
        self.printer().fields(&name, &fields, out);
        out.push('\n');
        Some(name)
    }

    fn is_taken(&self, name: &str) -> bool {
        let definitions = 0..self.interface.definitions.len();
        let mut definitions = definitions.map(|index| self.structures.definition(index));
        definitions.any(|known| known == name)
            || self.structures.iter().any(|(known, _)| known == name)
            || self.names.identifiers().iter().any(|known| known == name)
    }
}

/// What stands behind arguments that may be left out.
fn default_of(record: &Record) -> &'static str {
    let optional = record.properties.iter().all(|each| !each.required);
    if optional { " = ..." } else { "" }
}

/// A method that is narrower than that of dicts, with an overload for each key.
fn methods(overloads: &[String], out: &mut String) {
    for method in overloads {
        if overloads.len() > 1 {
            out.push_str("    @overload\n");
        }
        out.push_str(&format!("    def {method}: ...\n"));
    }
}

fn each(ty: &Type, visit: &mut impl FnMut(&Type)) {
    visit(ty);
    ty.for_each_child(|child| each(child, visit));
}
