//! Source text with its words coloured: a small scanner that knows strings, numbers, comments and
//! keywords of JavaScript, TypeScript and Python. It colours; it does not parse.

#[cfg(test)]
mod tests;

use ampoule_untrusted::text::visible;
use maud::{Markup, html};

/// Longer texts are shown without colours.
const COLOURED: usize = 128 << 10;

/// How a text is scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    JavaScript,
    Python,
}

impl Language {
    /// That of a run's language.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "python" => Self::Python,
            _ => Self::JavaScript,
        }
    }
}

const JAVASCRIPT: &[&str] = &[
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "of",
    "return",
    "super",
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
    "yield",
];
const PYTHON: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "match", "case", "nonlocal", "not", "or", "pass", "raise", "return",
    "try", "while", "with", "yield",
];

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Keyword,
    String,
    Number,
    Comment,
    Function,
}

impl Kind {
    fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Keyword => Some("k"),
            Self::String => Some("s"),
            Self::Number => Some("n"),
            Self::Comment => Some("c"),
            Self::Function => Some("f"),
        }
    }
}

/// A part of a text, and what it is.
struct Token<'t> {
    kind: Kind,
    text: &'t str,
}

/// Takes one token off the beginning of a text.
fn token(rest: &str, language: Language) -> Token<'_> {
    let (kind, length) = match rest.chars().next() {
        Some('"' | '\'' | '`') => (Kind::String, string(rest, language)),
        Some('#') if language == Language::Python => (Kind::Comment, line(rest)),
        Some('/') if language == Language::JavaScript && rest.starts_with("//") => {
            (Kind::Comment, line(rest))
        }
        Some('/') if language == Language::JavaScript && rest.starts_with("/*") => {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            (Kind::Comment, end)
        }
        Some(c) if c.is_ascii_digit() => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
            (Kind::Number, while_is(rest, is_part))
        }
        Some(c) if is_word(c) => word(rest, language),
        Some(c) => (Kind::Plain, c.len_utf8()),
        None => (Kind::Plain, 0),
    };
    Token {
        kind,
        text: &rest[..length],
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

fn word(rest: &str, language: Language) -> (Kind, usize) {
    let length = while_is(rest, is_word);
    let words = match language {
        Language::JavaScript => JAVASCRIPT,
        Language::Python => PYTHON,
    };
    let kind = match &rest[..length] {
        word if words.contains(&word) => Kind::Keyword,
        _ if rest[length..].starts_with('(') => Kind::Function,
        _ => Kind::Plain,
    };
    (kind, length)
}

fn while_is(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of the string that a text begins with. One that does not end is as long as its line,
/// or as the text where strings have several lines.
fn string(rest: &str, language: Language) -> usize {
    let triple = ["\"\"\"", "'''"]
        .into_iter()
        .find(|it| rest.starts_with(it));
    if let (Language::Python, Some(quote)) = (language, triple) {
        return rest[3..].find(quote).map_or(rest.len(), |end| end + 6);
    }
    let quote = rest.as_bytes()[0];
    let mut is_escaped = false;
    for (index, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' if quote != b'`' => return index,
            byte if byte == quote => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// All tokens of a text. Neighbours of one kind are one.
fn scan(text: &str, language: Language) -> Vec<Token<'_>> {
    if text.len() > COLOURED {
        let kind = Kind::Plain;
        return vec![Token { kind, text }];
    }
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let next = token(&text[at..], language);
        let from = at;
        at += next.text.len();
        match tokens.last_mut() {
            Some(last) if last.kind == next.kind && next.kind == Kind::Plain => {
                let start = from - last.text.len();
                last.text = &text[start..at];
            }
            _ => tokens.push(next),
        }
    }
    tokens
}

/// A text with its words coloured.
pub(super) fn tokens(text: &str, language: Language) -> Markup {
    html! { @for token in scan(text, language) { (coloured(&token)) } }
}

fn coloured(token: &Token<'_>) -> Markup {
    html! {
        @match token.kind.class() {
            Some(class) => { span class=(class) { (token.text) } },
            None => { (token.text) },
        }
    }
}

/// A line of a script that is marked, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// No line.
    None,
    /// The line that failed.
    Failed(u64),
    /// The line that makes a call which waits.
    Asks(u64),
}

impl Mark {
    fn of(self, line: u64) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Failed(marked) if marked == line => Some(("line wrong", " (this line failed)")),
            Self::Asks(marked) if marked == line => Some(("line asks", " (this line calls)")),
            _ => None,
        }
    }
}

/// A script with the numbers of its lines.
pub(super) fn script(code: &str, language: Language, mark: Mark) -> Markup {
    let shown = visible(code);
    let mut lines: Vec<Vec<Token<'_>>> = vec![Vec::new()];
    for token in scan(&shown, language) {
        for (index, text) in token.text.split('\n').enumerate() {
            if index > 0 {
                lines.push(Vec::new());
            }
            let kind = token.kind;
            if let Some(line) = lines.last_mut() {
                line.push(Token { kind, text });
            }
        }
    }
    if lines.len() > 1
        && lines
            .last()
            .is_some_and(|line| line.iter().all(|it| it.text.is_empty()))
    {
        lines.pop();
    }
    html! {
        pre.source #script tabindex="0" role="group" aria-label="Script" {
            code {
                @for (number, line) in (1_u64..).zip(&lines) {
                    @let marked = mark.of(number);
                    span class=(marked.map_or("line", |it| it.0)) id={ "L" (number) } {
                        @for token in line { (coloured(token)) }
                        @if let Some((_, words)) = marked { span.unseen { (words) } }
                    }
                }
            }
        }
    }
}

/// A unified difference, with its lines coloured.
pub(super) fn difference(diff: &str) -> Markup {
    html! {
        pre tabindex="0" role="group" aria-label="Difference" {
            @for line in visible(diff).lines() {
                @match line.chars().next() {
                    Some('+') => { span.added { (line) } },
                    Some('-') => { span.removed { (line) } },
                    _ => { (line) "\n" },
                }
            }
        }
    }
}

/// Source text without numbers, with the name of its region.
pub(super) fn text(text: &str, language: Language, label: &str) -> Markup {
    let label = ampoule_untrusted::text::one_line(label);
    html! {
        pre tabindex="0" role="group" aria-label=(label) { code { (tokens(&visible(text), language)) } }
    }
}
