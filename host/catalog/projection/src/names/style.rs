//! How identifiers are written.

/// The longest identifier, in characters. A longer one is cut and ends in a hash of the name.
pub const MAX_IDENTIFIER_CHARS: usize = 64;

/// How an identifier joins its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// `createIssue`: functions in TypeScript. May have letters of any script.
    Camel,
    /// `CreateIssue`: types in TypeScript. May have letters of any script.
    Pascal,
    /// `create_issue`: functions in Python. ASCII.
    Snake,
    /// `CreateIssue`: types in Python. ASCII.
    AsciiPascal,
    /// `create-issue`: everything in WIT. ASCII. A keyword of WIT is left as it is: WIT writes it
    /// with `%`.
    Kebab,
}
