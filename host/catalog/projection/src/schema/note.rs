//! What was not understood of a schema.

use std::fmt;

/// Something in a schema that was not understood. The tool can be called all the same; its
/// declaration says less than the schema means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where: which schema, and a JSON pointer into it, such as `input#/properties/labels`.
    pub at: String,
    /// What it is.
    pub problem: Problem,
}

/// What was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A reference that points to nothing in the schema, or out of it.
    Unresolved(String),
    /// Neither an object nor `true` or `false`.
    NotASchema,
    /// A keyword whose value is not what it must be.
    Malformed(&'static str),
    /// A type that JSON Schema does not have.
    UnknownType(String),
    /// The arguments are not an object.
    NotAnObject,
    /// A type that is nothing but itself.
    Endless,
    /// A choice between schemas that a type can't express together with another one; taken as if
    /// any of their properties may be there.
    Loosened(&'static str),
    /// Deeper than [`MAX_DEPTH`](super::super::types::MAX_DEPTH).
    TooDeep,
    /// Larger than [`MAX_VISITS`](super::MAX_VISITS).
    TooLarge,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unresolved(reference) => write!(
                f,
                "the reference {reference:?} points to nothing in this schema; taken as any value"
            ),
            Self::NotASchema => {
                f.write_str("this is not a schema (an object, true or false); taken as any value")
            }
            Self::Malformed(keyword) => {
                write!(f, "`{keyword}` has no meaning with this value; left out")
            }
            Self::UnknownType(name) => {
                write!(f, "JSON Schema has no type {name:?}; taken as any value")
            }
            Self::NotAnObject => {
                f.write_str("a tool's arguments are an object; taken as one with any properties")
            }
            Self::Endless => f.write_str("the type refers only to itself; taken as any value"),
            Self::Loosened(keyword) => write!(
                f,
                "`{keyword}` depends on other parts of the schema; taken as if any of its properties may be there"
            ),
            Self::TooDeep => f.write_str("nested too deep; taken as any value from here on"),
            Self::TooLarge => {
                f.write_str("the schema is too large; taken as any value from here on")
            }
        }
    }
}
