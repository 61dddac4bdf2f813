//! What is said about functions, types and properties, as comments.

use super::super::doc::{self, Detail};
use super::super::interface::Function;
use super::super::names;
use super::super::types::{Definition, Docs, DocumentedType, Type};

/// A line of a comment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Text. Tags in it are none.
    Text(String),
    /// A tag, and the text that belongs to it.
    Tag(&'static str, String),
}

impl Line {
    fn written(&self) -> String {
        match self {
            Self::Text(text) => escaped(text),
            Self::Tag(tag, text) => format!("{tag} {}", escaped(text)),
        }
    }
}

/// Writes `lines` as a comment before a declaration. Nothing for none.
pub(super) fn write(lines: &[Line], indent: usize, out: &mut String) {
    let space = "  ".repeat(indent);
    match lines {
        [] => {}
        [line] => {
            let line = line.written();
            out.push_str(&format!("{space}/** {} */\n", line.trim_end()));
        }
        lines => {
            out.push_str(&format!("{space}/**\n"));
            for line in lines {
                out.push_str(format!("{space} * {}", line.written()).trim_end());
                out.push('\n');
            }
            out.push_str(&format!("{space} */\n"));
        }
    }
}

/// Text that neither ends a comment nor is a tag in it, of which some mean something to the
/// compiler.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let may_be_tag = |before: char| before.is_whitespace() || matches!(before, '{' | '*');
        let ends = c == '/' && before == Some('*');
        let tag = c == '@' && before.is_none_or(may_be_tag);
        if ends || (tag && chars.peek().is_some_and(|after| !after.is_whitespace())) {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

fn texts(lines: Vec<String>) -> Vec<Line> {
    lines.into_iter().map(Line::Text).collect()
}

/// What is said about a tool. `own_name` is how to reach it by the name that the server gave it,
/// where the identifier does not tell.
pub(super) fn of_function(
    function: &Function,
    own_name: Option<String>,
    detail: Detail,
) -> Vec<Line> {
    let arguments = &function.arguments.docs;
    let text = function.description.as_ref().or(function.title.as_ref());
    let mut lines = text.map_or_else(Vec::new, |text| {
        doc::lines(text, detail, detail.tool_chars())
    });
    doc::append(&mut lines, &doc::hints(function.hints));
    if let Some(own_name) = own_name {
        lines.push(format!("Also: {own_name}"));
    }
    let mut lines = texts(lines);
    if let Some(said) = about("args", arguments, &function.arguments.ty, detail) {
        lines.push(Line::Tag("@param args", said));
    }
    if let Some(said) = function
        .result
        .as_ref()
        .and_then(|DocumentedType { ty, docs }| about("result", docs, ty, detail))
    {
        lines.push(Line::Tag("@returns", said));
    }
    if arguments.deprecated {
        lines.push(Line::Tag("@deprecated", String::new()));
    }
    lines
}

/// What is said about a function's arguments or result as a whole. Their titles are made from the
/// function's name.
fn about(name: &str, docs: &Docs, ty: &Type, detail: Detail) -> Option<String> {
    let docs = Docs {
        title: None,
        ..docs.clone()
    };
    let said = doc::of_value(name, &docs, ty, detail);
    (!said.is_empty()).then(|| said.join(" "))
}

/// What is said about a type with a name.
pub(super) fn of_definition(name: &str, definition: &Definition, detail: Detail) -> Vec<Line> {
    of_value(name, &definition.value.docs, &definition.value.ty, detail)
}

/// What is said about a property, or what else has a type.
pub(super) fn of_value(name: &str, docs: &Docs, ty: &Type, detail: Detail) -> Vec<Line> {
    let mut lines = texts(doc::of_value(name, docs, ty, detail));
    if docs.deprecated {
        lines.push(Line::Tag("@deprecated", String::new()));
    }
    lines
}

/// What is said about one type of a union. A name that only repeats that of the type is not worth a
/// line.
pub(super) fn of_variant(docs: &Docs, ty: &Type, detail: Detail) -> Vec<Line> {
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

#[cfg(test)]
mod tests {
    use super::{Line, escaped, write};

    #[test]
    fn what_is_said_neither_ends_a_comment_nor_tags_it() {
        for (said, written) in [
            ("a **/ b */ c", r"a **\/ b *\/ c"),
            ("@ts-expect-error", r"\@ts-expect-error"),
            (
                "old @deprecated {@link x} *@y",
                r"old \@deprecated {\@link x} *\@y",
            ),
            ("a@b.c, five @", "a@b.c, five @"),
        ] {
            assert_eq!(escaped(said), written);
        }
        let mut comment = String::new();
        let said = Line::Tag("@param args", "@deprecated".to_owned());
        let own = Line::Tag("@deprecated", String::new());
        write(&[said, own], 0, &mut comment);
        assert_eq!(
            comment,
            "/**\n * @param args \\@deprecated\n * @deprecated\n */\n"
        );
    }
}
