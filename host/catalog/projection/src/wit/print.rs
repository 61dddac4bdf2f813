//! A package → its text.

use std::fmt::{self, Display, Formatter, Write};

use super::comment;
use super::shape::{Body, Declaration, OtherProperties, Package, Shape, Signature};

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calling {
    /// `async func`: several calls can be under way at once.
    Async,
    /// `func`: a call ends before the next begins. For toolchains that have no async functions yet.
    Plain,
}

impl Calling {
    /// As WIT writes it.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Async => "async func",
            Self::Plain => "func",
        }
    }
}

/// A package's text. It is valid WIT, together with `ampoule:guest`.
impl Display for Package {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        self.print(Calling::Async, out)
    }
}

impl Package {
    /// The text, with functions of that kind.
    pub fn written(&self, calling: Calling) -> String {
        let mut text = String::new();
        // Nothing can go wrong in writing to a string.
        let _ = self.print(calling, &mut text);
        text
    }

    fn print(&self, calling: Calling, out: &mut impl Write) -> fmt::Result {
        let mut body = String::new();
        for (declaration, is_used) in self.declarations.iter().zip(self.used()) {
            // One of a property that has no field is not.
            if is_used {
                body.push('\n');
                self.declare(declaration, &mut body)?;
            }
        }
        for function in &self.functions {
            body.push('\n');
            self.function_text(function, calling, &mut body)?;
        }
        let name = self.name();
        writeln!(out, "package mcp:{name};\n\ninterface {name} {{")?;
        let used = self.uses(&body);
        if !used.is_empty() {
            writeln!(
                out,
                "    use ampoule:guest/values@0.1.0.{{{}}};",
                used.join(", ")
            )?;
        }
        writeln!(out, "{body}}}")
    }

    /// The package's name in its namespace `mcp`, as WIT writes it.
    pub fn name(&self) -> String {
        identifier(&self.server)
    }

    /// The interface with the tools, as WIT writes it: `mcp:github/github`. Toolchains call the
    /// modules that they make of it by its last part, so that part is the server's name.
    pub fn interface(&self) -> String {
        interface_of(&self.server)
    }

    /// The types of `ampoule:guest/values` that the text mentions. It may do so in a comment alone;
    /// then they are used in vain.
    fn uses(&self, body: &str) -> Vec<String> {
        let shared = [
            ("json", &self.shared.json),
            ("content", &self.shared.content),
            ("tool-error", &self.shared.tool_error),
        ];
        shared
            .into_iter()
            .filter(|(_, own)| body.contains(own.as_str()))
            .map(|(name, own)| {
                if name == own {
                    own.clone()
                } else {
                    format!("{name} as {own}")
                }
            })
            .collect()
    }

    fn declare(&self, declaration: &Declaration, out: &mut String) -> fmt::Result {
        comment::write(&declaration.docs, 1, out);
        let name = identifier(&declaration.name);
        match &declaration.body {
            Body::Alias(shape) => {
                return writeln!(out, "    type {name} = {};", self.text(shape));
            }
            Body::Record { fields, others, .. } => {
                writeln!(out, "    record {name} {{")?;
                for field in fields {
                    comment::write(&field.docs, 2, out);
                    let ty = self.text(&field.shape);
                    let field_name = identifier(&field.name);
                    if field.required {
                        writeln!(out, "        {field_name}: {ty},")?;
                    } else {
                        writeln!(out, "        {field_name}: option<{ty}>,")?;
                    }
                }
                if let Some(OtherProperties { name, shape }) = others {
                    comment::write(&["The properties that have no field.".to_owned()], 2, out);
                    writeln!(out, "        {name}: {},", self.pairs(shape))?;
                }
            }
            Body::Variant(cases) => {
                writeln!(out, "    variant {name} {{")?;
                for case in cases {
                    comment::write(&case.docs, 2, out);
                    let ty = self.text(&case.shape);
                    writeln!(out, "        {}({ty}),", identifier(&case.name))?;
                }
            }
            Body::Enum(cases) => {
                writeln!(out, "    enum {name} {{")?;
                for case in cases {
                    comment::write(&case.docs, 2, out);
                    writeln!(out, "        {},", identifier(&case.name))?;
                }
            }
        }
        writeln!(out, "    }}")
    }

    fn function_text(
        &self,
        function: &Signature,
        calling: Calling,
        out: &mut String,
    ) -> fmt::Result {
        comment::write(&function.docs, 1, out);
        writeln!(out, "    {};", self.function_line(function, calling))
    }

    /// A function in a line, without its docs: `add: async func(args: add-args) -> result<…>`.
    pub fn function_line(&self, function: &Signature, calling: Calling) -> String {
        let arguments = function
            .arguments
            .as_ref()
            .map_or_else(String::new, |shape| format!("args: {}", self.text(shape)));
        let result = function.result.as_ref().map_or_else(
            || format!("list<{}>", self.shared.content),
            |shape| self.text(shape),
        );
        format!(
            "{}: {}({arguments}) -> result<{result}, {}>",
            identifier(&function.name),
            calling.keyword(),
            self.shared.tool_error
        )
    }

    /// A type, by its name if it has one.
    pub fn text(&self, shape: &Shape) -> String {
        match shape {
            Shape::Json => self.shared.json.clone(),
            Shape::Bool => "bool".to_owned(),
            Shape::S64 => "s64".to_owned(),
            Shape::U64 => "u64".to_owned(),
            Shape::F64 => "f64".to_owned(),
            Shape::String => "string".to_owned(),
            Shape::List(item) => format!("list<{}>", self.text(item)),
            Shape::Map(value) => self.pairs(value),
            Shape::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.text(item)).collect();
                format!("tuple<{}>", items.join(", "))
            }
            Shape::Nullable(inner) => format!("option<{}>", self.text(inner)),
            Shape::Declared(place) => identifier(&self.declaration(*place).name),
        }
    }

    fn pairs(&self, value: &Shape) -> String {
        format!("list<tuple<string, {}>>", self.text(value))
    }
}

/// The interface with the tools of a server, by its identifier in kebab case.
pub fn interface_of(server: &str) -> String {
    let name = identifier(server);
    format!("mcp:{name}/{name}")
}

/// An identifier as WIT writes it. All could be keywords, of this version or a later one, that have
/// no digit or dash in them.
pub fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) {
        format!("%{name}")
    } else {
        name.to_owned()
    }
}

const KEYWORDS: &[&str] = &[
    "as",
    "async",
    "bool",
    "borrow",
    "char",
    "constructor",
    "enum",
    "error-context",
    "export",
    "f32",
    "f64",
    "flags",
    "from",
    "func",
    "future",
    "import",
    "include",
    "interface",
    "list",
    "map",
    "option",
    "own",
    "package",
    "record",
    "resource",
    "result",
    "s16",
    "s32",
    "s64",
    "s8",
    "static",
    "stream",
    "string",
    "tuple",
    "type",
    "u16",
    "u32",
    "u64",
    "u8",
    "use",
    "variant",
    "with",
    "world",
];
