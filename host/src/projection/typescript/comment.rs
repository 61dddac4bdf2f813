//! What is said about functions, types and properties, as comments.

use super::super::doc::{self, Detail};
use super::super::interface::Function;
use super::super::types::{Definition, Docs, Documented, Type};
use super::super::{Hints, names};

/// Writes `lines` as a comment before a declaration. Nothing for none.
pub(super) fn write(lines: &[String], indent: usize, out: &mut String) {
    let space = "  ".repeat(indent);
    match lines {
        [] => {}
        [line] => out.push_str(&format!("{space}/** {} */\n", escaped(line))),
        lines => {
            out.push_str(&format!("{space}/**\n"));
            for line in lines {
                out.push_str(format!("{space} * {}", escaped(line)).trim_end());
                out.push('\n');
            }
            out.push_str(&format!("{space} */\n"));
        }
    }
}

/// A line that does not end the comment.
fn escaped(line: &str) -> String {
    line.replace("*/", "*\\/")
}

/// What is said about a tool. `own_name` is how to reach it by the name that the server gave it, where the identifier does not tell.
pub(super) fn of_function(
    function: &Function,
    own_name: Option<String>,
    detail: Detail,
) -> Vec<String> {
    let arguments = &function.arguments.docs;
    let text = function.description.as_ref().or(function.title.as_ref());
    let mut lines = text.map_or_else(Vec::new, |text| {
        doc::lines(text, detail, detail.tool_chars())
    });
    doc::append(&mut lines, &hints(function.hints));
    if let Some(own_name) = own_name {
        lines.push(format!("Also: {own_name}"));
    }
    if let Some(said) = about("args", arguments, &function.arguments.ty, detail) {
        lines.push(format!("@param args {said}"));
    }
    if let Some(said) = function
        .result
        .as_ref()
        .and_then(|Documented { ty, docs }| about("result", docs, ty, detail))
    {
        lines.push(format!("@returns {said}"));
    }
    if arguments.deprecated {
        lines.push("@deprecated".to_owned());
    }
    lines
}

/// What is said about a function's arguments or result as a whole. Their titles are made from the function's name.
fn about(name: &str, docs: &Docs, ty: &Type, detail: Detail) -> Option<String> {
    let docs = Docs {
        title: None,
        ..docs.clone()
    };
    let said = doc::of_value(name, &docs, ty, detail);
    (!said.is_empty()).then(|| said.join(" "))
}

/// What a tool says of its effects. One that changes nothing destroys nothing.
pub(super) fn hints(hints: Hints) -> Vec<String> {
    if hints.read_only == Some(true) {
        return vec!["read-only".to_owned()];
    }
    let destructive = match hints.destructive {
        Some(true) => Some("destructive"),
        Some(false) => Some("not destructive"),
        None => None,
    };
    let idempotent = (hints.idempotent == Some(true)).then_some("idempotent");
    destructive
        .into_iter()
        .chain(idempotent)
        .map(str::to_owned)
        .collect()
}

/// What is said about a type with a name.
pub(super) fn of_definition(name: &str, definition: &Definition, detail: Detail) -> Vec<String> {
    of_value(name, &definition.value.docs, &definition.value.ty, detail)
}

/// What is said about a property, or what else has a type.
pub(super) fn of_value(name: &str, docs: &Docs, ty: &Type, detail: Detail) -> Vec<String> {
    let mut lines = doc::of_value(name, docs, ty, detail);
    if docs.deprecated {
        lines.push("@deprecated".to_owned());
    }
    lines
}

/// What is said about one type of a union. A name that only repeats that of the type is not worth a line.
pub(super) fn of_variant(docs: &Docs, ty: &Type, detail: Detail) -> Vec<String> {
    let hint = match ty {
        Type::Record(record) => record.hint.as_deref(),
        Type::Enum(values) => values.hint.as_deref(),
        _ => None,
    };
    let known = docs
        .title
        .as_deref()
        .zip(hint)
        .is_some_and(|(title, hint)| names::canonical(title) == names::canonical(hint));
    let docs = if known {
        Docs {
            title: None,
            ..docs.clone()
        }
    } else {
        docs.clone()
    };
    of_value("", &docs, ty, detail)
}
