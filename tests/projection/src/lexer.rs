//! Whether a declaration is well-formed, as far as its tokens tell. The compilers themselves are
//! asked elsewhere.

/// Whether a character is not seen, or changes how others are seen. The printers have a list of
/// their own: a test that read theirs could not miss one.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x3164 | 0xffa0 | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f
            | 0xfe00..=0xfe0d | 0xfeff | 0xfff0..=0xfffb | 0xe0000..=0xe0fff)
}

/// What stands for each name, number and text in a shape.
const NAME: &str = "name";

/// The keywords of each language, which can't be names.
const TYPESCRIPT_WORDS: &[&str] = &[
    "any",
    "boolean",
    "declare",
    "function",
    "namespace",
    "never",
    "null",
    "number",
    "string",
    "type",
];
const PYTHON_WORDS: &[&str] = &["async", "class", "def", "from", "import"];

/// What a declaration is made of: its tokens, without comments, names, texts, and the signs between
/// the parts of a list, which depend on how long its lines are.
pub(super) fn typescript_shape(text: &str) -> String {
    shape(text, typescript_opaque, TYPESCRIPT_WORDS)
}

/// The same for Python.
pub(super) fn python_shape(text: &str) -> String {
    shape(text, python_opaque, PYTHON_WORDS)
}

/// The comments of Python, without those that stand in texts.
pub(super) fn python_comments(text: &str) -> Vec<&str> {
    let mut comments = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = python_opaque(rest).unwrap_or(c.len_utf8());
        if c == '#' {
            comments.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    comments
}

fn shape(text: &str, opaque: fn(&str) -> Option<usize>, words: &[&str]) -> String {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '\u{300}'..='\u{36f}');
        let length = if let Some(length) = opaque(rest) {
            if c == '"' {
                tokens.push(NAME);
            }
            length
        } else if is_word(c) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            tokens.push(
                words
                    .iter()
                    .find(|known| **known == word)
                    .copied()
                    .unwrap_or(NAME),
            );
            length
        } else {
            if !c.is_whitespace() && !matches!(c, '|' | ';' | ',') {
                tokens.push(&rest[..c.len_utf8()]);
            }
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    super::said::lines(tokens)
}

/// Panics unless brackets are balanced outside of comments and strings, all of those end, and no
/// character is hidden.
pub fn assert_typescript(text: &str) {
    assert_tokens(text, typescript_opaque);
}

fn typescript_opaque(rest: &str) -> Option<usize> {
    match rest.strip_prefix("/*") {
        Some(comment) => Some(4 + comment.find("*/")?),
        None => string(rest, "\""),
    }
}

/// The same for Python.
pub fn assert_python(text: &str) {
    assert_tokens(text, python_opaque);
}

fn python_opaque(rest: &str) -> Option<usize> {
    if rest.starts_with('#') {
        return rest.find('\n');
    }
    string(rest, "\"\"\"").or_else(|| string(rest, "\""))
}

/// `opaque` is the length of the comment or string that a text starts with, if it starts with one
/// that ends.
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
                '@' if rest.starts_with("@overload") => {}
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

/// The length of the string that a text starts with, if it ends: one with single quotes on its
/// line.
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
