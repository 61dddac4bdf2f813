//! Docs in WIT, which other tools copy into other languages: componentize-py into docstrings of a
//! program that is run, wit-bindgen into Rust's docs, whose examples are programs too and whose
//! pages take HTML, jco into comments of TypeScript. What one of them would take for more than text
//! is written with signs that look alike.

use std::iter::repeat_n;

/// Writes lines as docs before a declaration.
pub(super) fn write(lines: &[String], indent: usize, out: &mut String) {
    for line in lines {
        out.push_str(format!("{}/// {}", "    ".repeat(indent), harmless(line)).trim_end());
        out.push('\n');
    }
}

/// A line that is only text for each of its readers.
fn harmless(line: &str) -> String {
    let mut written = String::with_capacity(line.len());
    let (mut before, mut rest) = (None, line);
    while let Some(c) = rest.chars().next() {
        let count = rest.chars().take_while(|next| *next == c).count();
        rest = &rest[count * c.len_utf8()..];
        match c {
            // What is indented by more than three spaces is code to Markdown.
            ' ' => written.extend(repeat_n(' ', count.min(3))),
            c if is_more_than_text(c, count, before, rest) => {
                written.extend(repeat_n(look_alike(c), count));
            }
            c => written.extend(repeat_n(c, count)),
        }
        before = Some(c);
    }
    written
}

/// Whether a sign, that many times in a row, means something to a reader, between what stands
/// before and after it.
fn is_more_than_text(c: char, count: usize, before: Option<char>, after: &str) -> bool {
    match c {
        // An escape in a docstring, wherever it stands; in C it continues with a comment on the
        // next line.
        '\\' => true,
        // The end of a docstring, or the fence of a program in Markdown.
        '"' | '\'' | '`' | '~' => count >= 3,
        // The end of a comment.
        '/' => before == Some('*'),
        // A tag of JSDoc.
        '@' => {
            before.is_none_or(|before| matches!(before, ' ' | '{' | '*'))
                && after.starts_with(|after: char| !after.is_whitespace())
        }
        // A tag of HTML.
        '<' => after.starts_with(|after: char| {
            after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?')
        }),
        c => DISCOURAGED.contains(&c),
    }
}

/// The sign that is written instead.
fn look_alike(c: char) -> char {
    match c {
        '\\' => '∖',
        '"' => '”',
        '\'' => '’',
        '`' => 'ˋ',
        '~' => '∼',
        '/' => '∕',
        '@' => '＠',
        '<' => '‹',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Characters that WIT does not allow anywhere, as Unicode wants nobody to use them.
const DISCOURAGED: &[char] = &[
    '\u{149}', '\u{673}', '\u{f77}', '\u{f79}', '\u{17a3}', '\u{17a4}', '\u{17b4}', '\u{17b5}',
];

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_a_reader_would_take_for_more_than_text_is_written_with_look_alikes() {
        for (said, written) in [
            (r#"x""" import os """"#, "x””” import os ”””"),
            (
                r#"a "word", ""two"" and 'one'"#,
                r#"a "word", ""two"" and 'one'"#,
            ),
            ("'''", "’’’"),
            (r"C:\dir\", "C:∖dir∖"),
            ("glob **/*.ts, a/b", "glob **∕*.ts, a/b"),
            ("```rust", "ˋˋˋrust"),
            ("~~~~", "∼∼∼∼"),
            ("- `one`", "- `one`"),
            ("-      code", "-   code"),
            (
                "@deprecated, see {@link x}, a@b.c, @ 5",
                "＠deprecated, see {＠link x}, a@b.c, @ 5",
            ),
            (
                "<script>a < b</script><!-- <?",
                "‹script>a < b‹/script>‹!-- ‹?",
            ),
            ("\u{149}", "\u{fffd}"),
        ] {
            assert_eq!(harmless(said), written);
        }
    }
}
