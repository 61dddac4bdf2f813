//! A server's tools as a WIT package, not yet written: what the printer prints, and what values are
//! mapped by.

use serde_json::Value;

/// A server's package with its one interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// The server's identifier: the package is `mcp:<server>`.
    pub server: String,
    /// What the types of `ampoule:guest/values` are called here.
    pub shared: Shared,
    /// The types that have names.
    pub declarations: Vec<Declaration>,
    /// The functions, in the order of the tools.
    pub functions: Vec<Signature>,
}

/// What an interface calls the types of `ampoule:guest/values`: what they are called there, unless
/// something of its own has that name.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// `json`.
    pub json: String,
    /// `content`.
    pub content: String,
    /// `tool-error`.
    pub tool_error: String,
}

/// A tool as a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The tool's name.
    pub tool: String,
    /// The function's.
    pub name: String,
    /// Its docs, line by line.
    pub docs: Vec<String>,
    /// The one parameter, `args`; none for a tool that takes no arguments.
    pub arguments: Option<Shape>,
    /// The structured result; a tool that promises none gives content blocks.
    pub result: Option<Shape>,
}

/// A type with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: String,
    /// Its docs, line by line.
    pub docs: Vec<String>,
    /// What it is.
    pub body: Body,
}

/// A type, and what its values are in JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Any value, as JSON text.
    Json,
    /// `true` or `false`.
    Bool,
    /// A whole number of 64 bits with a sign.
    S64,
    /// A whole number of 64 bits without one.
    U64,
    /// Any other number.
    F64,
    /// A text.
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
pub enum Body {
    /// Another type, under this name.
    Alias(Shape),
    /// An object.
    Record {
        /// Its properties that have names.
        fields: Vec<Field>,
        /// Its properties whose one value the case says that it is of: they have no field, and are
        /// in each of its objects.
        constants: Vec<(String, Value)>,
        /// The field for properties that have none, and the shape of each of them.
        others: Option<OtherProperties>,
    },
    /// One of several types.
    Variant(Vec<Case>),
    /// One of several values.
    Enum(Vec<EnumCase>),
}

/// The field of an object's properties that have none of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherProperties {
    /// What the field is called.
    pub name: String,
    /// The shape of each of these properties.
    pub shape: Shape,
}

/// A property of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The field's name in WIT.
    pub name: String,
    /// Its docs, line by line.
    pub docs: Vec<String>,
    /// The property's name in JSON.
    pub property: String,
    /// What is not required is an option; none means that it is absent.
    pub required: bool,
    /// What its value is.
    pub shape: Shape,
}

/// One of several types.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The case's name in WIT.
    pub name: String,
    /// Its docs, line by line.
    pub docs: Vec<String>,
    /// What its value is.
    pub shape: Shape,
}

/// One of several values.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumCase {
    /// The case's name in WIT.
    pub name: String,
    /// Its docs, line by line.
    pub docs: Vec<String>,
    /// The value in JSON.
    pub value: Value,
}

impl Body {
    /// What it is made of.
    fn shapes(&self) -> Vec<&Shape> {
        match self {
            Self::Alias(shape) => vec![shape],
            Self::Record { fields, others, .. } => {
                let fields = fields.iter().map(|field| &field.shape);
                fields
                    .chain(others.iter().map(|others| &others.shape))
                    .collect()
            }
            Self::Variant(cases) => cases.iter().map(|case| &case.shape).collect(),
            Self::Enum(_) => Vec::new(),
        }
    }
}

impl Signature {
    /// Whether the tool promises a structured result.
    pub fn promises_structure(&self) -> bool {
        self.result.is_some()
    }
}

impl Package {
    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Signature> {
        self.place(name).map(|place| self.signature(place))
    }

    /// The place of the function of this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.functions
            .iter()
            .position(|function| function.name == name)
    }

    /// The function at a place.
    pub fn signature(&self, place: usize) -> &Signature {
        &self.functions[place]
    }

    /// Which of the declarations the functions need.
    pub(super) fn used(&self) -> Vec<bool> {
        let functions = self.functions.iter();
        let mut rest: Vec<&Shape> = functions
            .flat_map(|function| [&function.arguments, &function.result])
            .flatten()
            .collect();
        let mut used = vec![false; self.declarations.len()];
        while let Some(shape) = rest.pop() {
            match shape {
                Shape::Declared(place) if !std::mem::replace(&mut used[*place], true) => {
                    rest.extend(self.declarations[*place].body.shapes());
                }
                Shape::List(inner) | Shape::Map(inner) | Shape::Nullable(inner) => rest.push(inner),
                Shape::Tuple(items) => rest.extend(items),
                _ => {}
            }
        }
        used
    }

    /// The declaration that [`Shape::Declared`] names.
    pub fn declaration(&self, place: usize) -> &Declaration {
        &self.declarations[place]
    }
}
