//! Whether a declaration in TypeScript is well-formed, as far as its tokens tell. The compiler itself is asked elsewhere.

use super::super::doc::is_hidden;

/// Panics unless brackets are balanced outside of comments and strings, all of those end, and no character is hidden.
pub(super) fn assert_typescript(text: &str) {
    if let Some(hidden) = text.chars().find(|c| is_hidden(*c) && *c != '\n') {
        panic!("hidden character {hidden:?} in\n{text}");
    }
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '/' if rest.starts_with("/*") => {
                4 + rest[2..]
                    .find("*/")
                    .unwrap_or_else(|| panic!("a comment does not end in\n{text}"))
            }
            '"' => string(rest).unwrap_or_else(|| {
                panic!(
                    "a string does not end: {}",
                    rest.lines().next().unwrap_or_default()
                )
            }),
            '(' | '[' | '{' => {
                open.push(c);
                1
            }
            ')' | ']' | '}' => {
                let opened = open.pop();
                assert!(
                    matches!(
                        (opened, c),
                        (Some('('), ')') | (Some('['), ']') | (Some('{'), '}')
                    ),
                    "{opened:?} ends with {c:?} in\n{text}"
                );
                1
            }
            '\'' | '`' | '\\' | '@' | '#' | '!' => {
                panic!("{c:?} outside of comments and strings in\n{text}")
            }
            other => other.len_utf8(),
        };
        rest = &rest[length..];
    }
    assert!(open.is_empty(), "{open:?} stay open in\n{text}");
}

/// The length of the string that a text starts with, if it ends on its line.
fn string(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
