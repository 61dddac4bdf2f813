//! A line without its strings and comments, so that what a script says in them is not taken for
//! code.

/// Takes strings and comments off line by line. It knows when a line begins inside a string of
/// several lines.
#[derive(Default)]
pub(super) struct Stripper {
    /// The string that is open from one line to the next.
    open: Option<Open>,
}

/// Strings that may span lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `"""` or `'''`, by its character.
    Triple(char),
    /// A template in backticks.
    Template,
    /// `/* … */`
    Comment,
}

/// What is left of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StrippedLine {
    /// The code, each string as an empty one.
    pub(super) code: String,
    /// There is more in it than space.
    begun: bool,
    /// It has a string with a prefix as in Python: `f"…"`.
    pub(super) prefixed_string: bool,
    /// It opens a string in three quotation marks.
    pub(super) triple_string: bool,
    /// It has a template in backticks.
    pub(super) template: bool,
    /// The whole line is a comment as in Python.
    pub(super) hash_comment: bool,
    /// It has a comment as in TypeScript.
    pub(super) slash_comment: bool,
}

impl Stripper {
    /// Whether the next line begins inside a string or a comment.
    pub(super) fn in_string(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn strip(&mut self, line: &str) -> StrippedLine {
        let mut stripped = StrippedLine::default();
        let mut rest = line;
        while !rest.is_empty() {
            rest = match self.open {
                Some(open) => self.skip(open, rest),
                None => self.step(rest, &mut stripped),
            };
        }
        stripped
    }

    /// Goes to the end of a string or comment, or of the line.
    fn skip<'a>(&mut self, open: Open, rest: &'a str) -> &'a str {
        let end = match open {
            Open::Triple('"') => "\"\"\"",
            Open::Triple(_) => "'''",
            Open::Template => "`",
            Open::Comment => "*/",
        };
        match find_unescaped(rest, end) {
            Some(at) => {
                self.open = None;
                &rest[at + end.len()..]
            }
            None => "",
        }
    }

    /// Takes one character of code, or what begins a string or a comment.
    fn step<'a>(&mut self, rest: &'a str, stripped: &mut StrippedLine) -> &'a str {
        let Some(first) = rest.chars().next() else {
            return "";
        };
        let at_start = !stripped.begun;
        stripped.begun |= !first.is_whitespace();
        let after = &rest[first.len_utf8()..];
        match first {
            '#' if at_start && !after.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                // `#name` is a private field of a class; a comment that is written without a space
                // is not taken for one.
                stripped.hash_comment = true;
                ""
            }
            '#' if stripped.code.ends_with([' ', '\t']) => "",
            '/' if after.starts_with('*') => {
                stripped.slash_comment |= at_start;
                self.open = Some(Open::Comment);
                &after[1..]
            }
            // Elsewhere it may be a division in Python, whose other half tells as much.
            '/' if at_start && after.starts_with('/') => {
                stripped.slash_comment = true;
                ""
            }
            '`' => {
                stripped.template = true;
                stripped.code.push_str("``");
                self.open = Some(Open::Template);
                after
            }
            '"' | '\'' => self.string(first, after, stripped),
            _ => {
                stripped.code.push(first);
                after
            }
        }
    }

    fn string<'a>(&mut self, quote: char, after: &'a str, stripped: &mut StrippedLine) -> &'a str {
        stripped.prefixed_string |= ends_with_prefix(&stripped.code);
        stripped.code.push_str("\"\"");
        let two = if quote == '"' { "\"\"" } else { "''" };
        if let Some(inside) = after.strip_prefix(two) {
            stripped.triple_string = true;
            self.open = Some(Open::Triple(quote));
            return inside;
        }
        // One that does not end in its line is not a string, or ends there.
        match find_unescaped(after, &two[..1]) {
            Some(end) => &after[end + 1..],
            None => "",
        }
    }
}

/// Whether the code ends in the prefix of a string as in Python.
fn ends_with_prefix(code: &str) -> bool {
    let word = code.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let prefix = code[word.len()..].to_ascii_lowercase();
    matches!(
        prefix.as_str(),
        "f" | "r" | "b" | "u" | "fr" | "rf" | "br" | "rb" | "t"
    )
}

/// Where `end` first stands without a backslash before it.
pub(in crate::script) fn find_unescaped(text: &str, end: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if text[at..].starts_with(end) {
            return Some(at);
        }
    }
    None
}
