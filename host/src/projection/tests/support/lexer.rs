//! Whether a declaration is well-formed, as far as its tokens tell. The compilers themselves are asked elsewhere.

/// Whether a character is not seen, or changes how others are seen. The printers have a list of their own: a test that read theirs could not miss one.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad | 0x61c | 0x180e | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
            | 0xfe00..=0xfe0d | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe0fff)
}

/// Panics unless brackets are balanced outside of comments and strings, all of those end, and no character is hidden.
pub(crate) fn assert_typescript(text: &str) {
    assert_tokens(text, |rest| match rest.strip_prefix("/*") {
        Some(comment) => Some(4 + comment.find("*/")?),
        None => string(rest, "\""),
    });
}

/// The same for Python.
pub(crate) fn assert_python(text: &str) {
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
