//! Words that a language reserves.

use super::Style;

/// Whether `identifier` can't name what the style is for. WIT has an escape for its keywords, so
/// they are not among them.
pub(super) fn is_reserved(identifier: &str, style: Style) -> bool {
    match style {
        Style::Camel => TYPESCRIPT_VALUES.contains(&identifier),
        Style::Pascal => TYPESCRIPT_TYPES.contains(&identifier),
        Style::Snake => PYTHON_VALUES.contains(&identifier),
        Style::AsciiPascal => PYTHON_TYPES.contains(&identifier),
        Style::Kebab => false,
    }
}

/// What can't name a function, a namespace or an import in a strict module.
const TYPESCRIPT_VALUES: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Types that declarations use themselves, so that none of a server's may hide them.
const TYPESCRIPT_TYPES: &[&str] = &["Json", "Promise", "Untyped"];

/// Keywords, and the names that declarations use themselves.
const PYTHON_VALUES: &[&str] = &[
    "and", "as", "assert", "async", "await", "bool", "break", "case", "class", "continue", "def",
    "del", "dict", "elif", "else", "except", "finally", "float", "for", "from", "global", "if",
    "import", "in", "int", "is", "lambda", "list", "match", "nonlocal", "not", "or", "pass",
    "raise", "return", "self", "str", "try", "tuple", "type", "while", "with", "yield",
];

/// Types that declarations use themselves, so that none of a server's may hide them.
const PYTHON_TYPES: &[&str] = &[
    "Any",
    "False",
    "Json",
    "Literal",
    "Never",
    "None",
    "NotRequired",
    "Required",
    "True",
    "TypeAlias",
    "TypedDict",
    "Untyped",
];
