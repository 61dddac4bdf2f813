//! Values and names, as Python writes them.

use ampoule_untrusted::text::is_hidden;
use serde_json::{Number, Value};

/// A string in quotes.
pub(super) fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c if is_hidden(c) => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What type checkers take directives by, in comments.
const CHECKERS: [&str; 6] = [
    "basedpyright:",
    "mypy:",
    "pyre-",
    "pyright:",
    "pytype:",
    "type:",
];

/// A line of a comment that is not a directive to a type checker. Those stand at a comment's
/// beginning, including that of a comment within another.
pub(super) fn comment(line: &str) -> String {
    let mut parts = line.split('#').map(|part| {
        let text = part.trim_start();
        match CHECKERS.iter().any(|order| text.starts_with(order)) {
            true => format!("{}“{text}”", &part[..part.len() - text.len()]),
            false => part.to_owned(),
        }
    });
    let first = parts.next().unwrap_or_default();
    parts.fold(first, |line, part| line + "#" + &part)
}

/// Lines as the body of a function.
pub(super) fn docstring(lines: &[String], out: &mut String) {
    let escaped: Vec<String> = lines
        .iter()
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    match escaped.as_slice() {
        [line] => out.push_str(&format!("    \"\"\"{line}\"\"\"\n")),
        lines => {
            out.push_str("    \"\"\"");
            for (index, line) in lines.iter().enumerate() {
                let indent = if index == 0 || line.is_empty() {
                    ""
                } else {
                    "    "
                };
                out.push_str(&format!("{indent}{line}\n"));
            }
            out.push_str("    \"\"\"\n");
        }
    }
}

/// A value that Python has a word for: `None`, `True` and `False`.
pub fn constant(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => Some("None"),
        Value::Bool(true) => Some("True"),
        Value::Bool(false) => Some("False"),
        _ => None,
    }
}

/// A value in `Literal[…]`, if it may stand there: text, whole numbers, `True` and `False`.
pub(super) fn value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(string(text)),
        Value::Bool(_) => constant(value).map(str::to_owned),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}

/// The type of a value that may not stand in `Literal[…]`.
pub(super) fn ty(value: &Value) -> &'static str {
    match value {
        Value::Null => "None",
        Value::Bool(_) => "bool",
        Value::Number(number) => number_type(number),
        Value::String(_) => "str",
        Value::Array(_) => "list[Json]",
        Value::Object(_) => "dict[str, Json]",
    }
}

fn number_type(number: &Number) -> &'static str {
    if number.is_f64() { "float" } else { "int" }
}

/// Whether a name may be that of a parameter.
pub fn is_parameter(name: &str) -> bool {
    is_identifier(name) && !KEYWORDS.contains(&name)
}

/// Whether a name may be that of a field in the body of a class: there it hides what the types of
/// other fields are written with, and with two underscores before it it is changed.
pub(super) fn is_field(name: &str) -> bool {
    is_parameter(name)
        && !name.starts_with("__")
        && !TYPES.contains(&name)
        && !name.starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether dicts have a method of this name, which hides a key of an answer from attributes.
pub(super) fn is_method(name: &str) -> bool {
    METHODS.contains(&name)
}

const METHODS: &[&str] = &[
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

const TYPES: &[&str] = &["bool", "dict", "float", "int", "list", "overload", "str"];

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn what_is_said_gives_no_orders_to_type_checkers() {
        for (said, written) in [
            ("type: ignore", "“type: ignore”"),
            ("mypy: ignore-errors", "“mypy: ignore-errors”"),
            ("of # pyright: basic", "of # “pyright: basic”"),
            ("Its type: a word", "Its type: a word"),
            ("issue #5 of type: x", "issue #5 of type: x"),
        ] {
            assert_eq!(comment(said), written);
        }
    }
}
