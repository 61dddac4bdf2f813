//! A server's tools as a WIT package, not yet written: what the printer prints, and what values are mapped by.

use serde_json::Value;

/// A server's package with its one interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// The server's identifier: the package is `mcp:<server>`.
    pub(crate) server: String,
    /// What the types of `ampoule:guest/values` are called here.
    pub(crate) shared: Shared,
    /// The types that have names.
    pub(crate) declarations: Vec<Declaration>,
    /// The functions, in the order of the tools.
    pub(crate) functions: Vec<Signature>,
}

/// What an interface calls the types of `ampoule:guest/values`: what they are called there, unless something of its own has that name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shared {
    pub(crate) json: String,
    pub(crate) content: String,
    pub(crate) tool_error: String,
}

/// A tool as a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The tool's name.
    pub(crate) tool: String,
    /// The function's.
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    /// The one parameter, `args`; none for a tool that takes no arguments.
    pub(crate) arguments: Option<Shape>,
    /// The structured result; a tool that promises none gives content blocks.
    pub(crate) result: Option<Shape>,
}

/// A type with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) body: Body,
}

/// A type, and what its values are in JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Any value, as JSON text.
    Json,
    Bool,
    S64,
    U64,
    F64,
    String,
    /// An array.
    List(Box<Shape>),
    /// An object whose properties are all alike: a list of pairs.
    Map(Box<Shape>),
    /// An array of so many values.
    Tuple(Vec<Shape>),
    /// A value or `null`.
    Nullable(Box<Shape>),
    /// The declaration at this place.
    Declared(usize),
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Alias(Shape),
    Record {
        fields: Vec<Field>,
        /// The field for properties that have none, and the shape of each of them.
        others: Option<(String, Shape)>,
    },
    Variant(Vec<Case>),
    Enum(Vec<EnumCase>),
}

/// A property of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) property: String,
    /// What is not required is an option; none means that it is absent.
    pub(crate) required: bool,
    pub(crate) shape: Shape,
}

/// One of several types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) shape: Shape,
}

/// One of several values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EnumCase {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) value: Value,
}

impl Signature {
    /// Whether the tool promises a structured result.
    pub(crate) fn promises_structure(&self) -> bool {
        self.result.is_some()
    }
}

impl Package {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Signature> {
        self.place(name).map(|place| self.signature(place))
    }

    /// The place of the function of this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.functions
            .iter()
            .position(|function| function.name == name)
    }

    /// The function at a place.
    pub(crate) fn signature(&self, place: usize) -> &Signature {
        &self.functions[place]
    }

    /// The declaration that [`Shape::Declared`] names.
    pub(crate) fn declaration(&self, place: usize) -> &Declaration {
        &self.declarations[place]
    }
}
