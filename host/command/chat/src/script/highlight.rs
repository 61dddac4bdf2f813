//! Scripts in colours, line by line as they arrive. It knows words, texts, numbers and comments of
//! both languages: enough to read by, and quick to write.

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span<'a> {
    /// What it is.
    pub kind: SpanKind,
    /// Its text.
    pub text: &'a str,
}

/// What a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// A word of the language.
    Keyword,
    /// A text.
    Text,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// Anything else.
    Plain,
}

/// The words of TypeScript and of Python.
const KEYWORDS: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "del",
    "delete",
    "do",
    "elif",
    "else",
    "except",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "global",
    "if",
    "import",
    "in",
    "instanceof",
    "interface",
    "is",
    "lambda",
    "let",
    "match",
    "new",
    "not",
    "null",
    "of",
    "or",
    "pass",
    "raise",
    "return",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// What goes over the ends of lines: a text or a comment that is still open, by what ends it.
#[derive(Debug, Default)]
pub struct Highlighter {
    open: Option<Open>,
    /// `#` begins comments, and `//` divides.
    is_python: Option<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    kind: SpanKind,
    end: &'static str,
}

impl Highlighter {
    /// For a language; without one, the lines tell which.
    pub fn new(language: Option<&str>) -> Self {
        Self {
            open: None,
            is_python: language.map(|language| language == "python"),
        }
    }

    /// The parts of the next line, whose texts are the line.
    pub fn line<'a>(&mut self, line: &'a str) -> Vec<Span<'a>> {
        let (mut spans, mut at) = (Vec::new(), 0);
        let python = self.looks_like_python(line);
        while at < line.len() {
            let (kind, length) = self.next(&line[at..], python);
            let text = &line[at..at + length];
            at += length;
            match spans.last_mut() {
                Some(Span {
                    kind: last,
                    text: before,
                }) if *last == kind => {
                    let begin = at - length - before.len();
                    *before = &line[begin..at];
                }
                _ => spans.push(Span { kind, text }),
            }
        }
        spans
    }

    fn looks_like_python(&mut self, line: &str) -> bool {
        if let Some(is_python) = self.is_python {
            return is_python;
        }
        let line = line.trim();
        let begins = ["def ", "async def ", "elif ", "from ", "# ", "print("];
        let is_python = begins.iter().any(|begin| line.starts_with(begin))
            || line.ends_with(':')
            || (line.starts_with("import ") && !line.contains('{') && !line.contains(['"', '\'']));
        let is_typescript =
            line.ends_with(';') || line.ends_with('{') || line.starts_with("const ");
        if is_python || is_typescript {
            self.is_python = Some(is_python && !is_typescript);
        }
        is_python
    }

    /// The next part: its kind, and its length in bytes.
    fn next(&mut self, rest: &str, python: bool) -> (SpanKind, usize) {
        if let Some(Open { kind, end }) = self.open {
            let length = closing(rest, end, kind == SpanKind::Text);
            if length.is_some() {
                self.open = None;
            }
            return (kind, length.unwrap_or(rest.len()));
        }
        if (python && rest.starts_with('#')) || (!python && rest.starts_with("//")) {
            return (SpanKind::Comment, rest.len());
        }
        let opens = [
            ("/*", "*/", SpanKind::Comment, !python),
            ("\"\"\"", "\"\"\"", SpanKind::Text, python),
            ("'''", "'''", SpanKind::Text, python),
            ("`", "`", SpanKind::Text, !python),
        ];
        for (begin, end, kind, there) in opens {
            if there && rest.starts_with(begin) {
                let length = closing(&rest[begin.len()..], end, kind == SpanKind::Text);
                if length.is_none() {
                    self.open = Some(Open { kind, end });
                }
                return (
                    kind,
                    length.map_or(rest.len(), |length| begin.len() + length),
                );
            }
        }
        for quote in ["\"", "'"] {
            if let Some(inside) = rest.strip_prefix(quote) {
                let length = closing(inside, quote, true);
                return (
                    SpanKind::Text,
                    length.map_or(rest.len(), |length| 1 + length),
                );
            }
        }
        word(rest)
    }
}

/// How far it is to the end of what is open, with that end.
fn closing(rest: &str, end: &str, escapes: bool) -> Option<usize> {
    let mut skip = false;
    for (at, c) in rest.char_indices() {
        if skip {
            skip = false;
        } else if escapes && c == '\\' {
            skip = true;
        } else if rest[at..].starts_with(end) {
            return Some(at + end.len());
        }
    }
    None
}

fn word(rest: &str) -> (SpanKind, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let word = &rest[..length];
    match word.chars().next() {
        None => (
            SpanKind::Plain,
            rest.chars().next().map_or(0, char::len_utf8),
        ),
        Some(first) if first.is_ascii_digit() => (SpanKind::Number, length),
        Some(_) if KEYWORDS.contains(&word) => (SpanKind::Keyword, length),
        Some(_) => (SpanKind::Plain, length),
    }
}
