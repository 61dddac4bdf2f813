//! Whether a declaration is well-formed, as far as its tokens tell. The compilers themselves are asked elsewhere.

use super::super::doc::is_hidden;

/// Panics unless brackets are balanced outside of comments and strings, all of those end, and no character is hidden.
pub(super) fn assert_typescript(text: &str) {
    assert_tokens(text, |rest| match rest.strip_prefix("/*") {
        Some(comment) => Some(4 + comment.find("*/")?),
        None => string(rest, "\""),
    });
}

/// The same for Python.
pub(super) fn assert_python(text: &str) {
    assert_tokens(text, |rest| {
        if rest.starts_with('#') {
            return rest.find('\n');
        }
        string(rest, "\"\"\"").or_else(|| string(rest, "\""))
    });
}

/// `opaque` is the length of the comment or string that a text starts with, if it starts with one that ends.
fn assert_tokens(text: &str, opaque: fn(&str) -> Option<usize>) {
    if let Some(hidden) = text.chars().find(|c| is_hidden(*c) && *c != '\n') {
        panic!("hidden character {hidden:?} in\n{text}");
    }
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = opaque(rest).unwrap_or_else(|| {
            match c {
                '(' | '[' | '{' => open.push(c),
                ')' | ']' | '}' => {
                    let opened = open.pop();
                    assert!(
                        matches!(
                            (opened, c),
                            (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')
                        ),
                        "{opened:?} ends with {c:?} in\n{text}"
                    );
                }
                '"' | '\'' | '`' | '\\' | '@' | '#' | '!' => {
                    panic!("{c:?} outside of comments and strings in\n{text}")
                }
                _ => {}
            }
            c.len_utf8()
        });
        rest = &rest[length..];
    }
    assert!(open.is_empty(), "{open:?} stay open in\n{text}");
}

/// The length of the string that a text starts with, if it ends: one with single quotes on its line.
fn string(text: &str, quotes: &str) -> Option<usize> {
    let inside = text.strip_prefix(quotes)?;
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            '\n' if quotes.len() == 1 => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' if inside[at..].starts_with(quotes) => return Some(at + 2 * quotes.len()),
            _ => {}
        }
    }
    None
}
