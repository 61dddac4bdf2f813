//! Words that a language reserves.

use super::Style;

/// Whether `identifier` can't name what the style is for. WIT has an escape for its keywords, so
/// they are not among them; but what is made of WIT has none for some of Rust's.
pub(super) fn is_reserved(identifier: &str, style: Style) -> bool {
    match style {
        Style::Camel => TYPESCRIPT_VALUES.contains(&identifier),
        Style::Pascal => TYPESCRIPT_TYPES.contains(&identifier),
        Style::Snake => PYTHON_VALUES.contains(&identifier),
        Style::AsciiPascal => PYTHON_TYPES.contains(&identifier),
        Style::Kebab => identifier == "gen",
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
    "import", "in", "int", "is", "lambda", "list", "match", "nonlocal", "not", "or", "overload",
    "pass", "raise", "return", "self", "str", "try", "tuple", "type", "while", "with", "yield",
];

/// Types that declarations use themselves, so that none of a server's may hide them.
const PYTHON_TYPES: &[&str] = &[
    "Any",
    "Call",
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
    "Unpack",
    "Untyped",
];

/// Keywords of Rust that can't name a module as they are, as `wit-bindgen` makes one of a package.
pub(super) const RUST_KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
