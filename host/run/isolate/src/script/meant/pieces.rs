//! Code in pieces: what is code, what is a text of the script, what is a comment. No parser: it goes
//! through the code once, in linear time, and what it takes for something else can only lead to a
//! reading that does not parse.

use super::reading::Family;
use super::typography;
use crate::script::look::text::find_unescaped;

/// A piece of code. All pieces together are the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Code(&'a str),
    Comment(&'a str),
    /// A text within straight quotation marks or backticks, these included; or a regular expression.
    Text(&'a str),
    /// A text of which at least one quotation mark is typographic.
    Quoted {
        open: char,
        inside: &'a str,
        close: char,
    },
    /// A text within quotation marks that have a backslash before them.
    Escaped(&'a str),
}

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breaks {
    /// In line breaks.
    Real,
    /// In a backslash and an `n`, too, and quotation marks may have a backslash before them.
    Written,
}

/// The pieces of some code, one after the other.
pub(super) struct Pieces<'a> {
    code: &'a str,
    family: Family,
    breaks: Breaks,
    /// Where the next piece begins.
    at: usize,
    /// Where the line ends that was looked at last.
    line_end: usize,
    /// What opens nothing any more, in that line or in all that follows: looking for its end once is
    /// enough.
    hopeless: Vec<(char, Reach)>,
    /// What stood last, but for space: whether a `/` begins a regular expression.
    before: PrecedingToken,
}

/// How far a text may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Line,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrecedingToken {
    /// Nothing, or what an expression may follow.
    Operator,
    /// A value, or what may be the end of one.
    Value,
}

/// Words after which `/` begins a regular expression.
const BEFORE_EXPRESSIONS: [&str; 7] = ["return", "typeof", "case", "in", "of", "await", "yield"];

impl<'a> Pieces<'a> {
    pub(super) fn of(code: &'a str, family: Family, breaks: Breaks) -> Self {
        Self {
            code,
            family,
            breaks,
            at: 0,
            line_end: 0,
            hopeless: Vec::new(),
            before: PrecedingToken::Operator,
        }
    }

    /// The piece that begins here, if it is not code, and where it ends.
    fn special(
        &mut self,
        at: usize,
        first: char,
        before: PrecedingToken,
    ) -> Option<(usize, Piece<'a>)> {
        if at >= self.line_end {
            let end = self.code[at..].find(['\n', '\r']);
            self.line_end = end.map_or(self.code.len(), |end| at + end);
            self.hopeless.retain(|(_, reach)| *reach == Reach::End);
        }
        let rest = &self.code[at..];
        let piece = |len: usize, of: fn(&'a str) -> Piece<'a>| Some((at + len, of(&rest[..len])));
        match (first, self.family) {
            ('/', Family::JavaScript) if rest.starts_with("//") => {
                piece(self.comment_end(at), Piece::Comment)
            }
            ('/', Family::JavaScript) if rest.starts_with("/*") => {
                let end = rest[2..].find("*/").map_or(rest.len(), |at| at + 4);
                piece(end, Piece::Comment)
            }
            ('#', Family::Python) => piece(self.comment_end(at), Piece::Comment),
            _ if self.hopeless.iter().any(|(hopeless, _)| *hopeless == first) => None,
            _ => {
                let (reach, found) = self.text(at, first, before);
                if found.is_none() {
                    self.hopeless.push((first, reach));
                }
                found
            }
        }
    }

    /// The text that begins here, and how far one such might reach.
    fn text(
        &self,
        at: usize,
        first: char,
        before: PrecedingToken,
    ) -> (Reach, Option<(usize, Piece<'a>)>) {
        let (rest, line) = (&self.code[at..], &self.code[at..self.line_end]);
        let inside = &line[first.len_utf8()..];
        let text = |len: usize| (at + len, Piece::Text(&rest[..len]));
        let quoted = || {
            let (end, close) = typography::closing(first, inside)?;
            let quoted = Piece::Quoted {
                open: first,
                inside: &inside[..end],
                close,
            };
            Some((at + first.len_utf8() + end + close.len_utf8(), quoted))
        };
        match (first, self.family) {
            ('/', Family::JavaScript) if before == PrecedingToken::Operator => {
                (Reach::Line, regular_expression(line).map(text))
            }
            ('/' | '#', _) | ('`', Family::Python) => (Reach::Line, None),
            ('`', Family::JavaScript) => {
                let end = after_unescaped(&rest[1..], "`");
                (Reach::End, end.map(|end| text(1 + end)))
            }
            ('"' | '\'', Family::Python) if rest.starts_with(three(first)) => {
                let end = after_unescaped(&rest[3..], three(first));
                (Reach::End, end.map(|end| text(3 + end)))
            }
            ('"' | '\'', _) => {
                let end = after_unescaped(inside, &rest[..1]);
                (Reach::Line, end.map(|end| text(1 + end)).or_else(quoted))
            }
            ('\\', _) => {
                let quote = rest.get(..2).filter(|it| matches!(*it, "\\\"" | "\\'"));
                match quote.filter(|_| self.breaks == Breaks::Written) {
                    // A backslash that is followed by something else says nothing of the next one.
                    None => (Reach::Line, Some((at + 1, Piece::Code(&rest[..1])))),
                    Some(quote) => {
                        let end = rest[2..].find(quote).map(|end| 2 + end + 2);
                        let escaped = |end| (at + end, Piece::Escaped(&rest[..end]));
                        (Reach::End, end.map(escaped))
                    }
                }
            }
            _ => (Reach::Line, quoted()),
        }
    }

    /// How long a comment is that runs to the end of its line.
    fn comment_end(&self, at: usize) -> usize {
        let line = &self.code[at..self.line_end];
        match self.breaks {
            Breaks::Real => line.len(),
            Breaks::Written => line.find("\\n").unwrap_or(line.len()),
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let is_candidate =
            |c: char| matches!(c, '"' | '\'' | '`' | '/' | '#' | '\\') || typography::is_quote(c);
        let mut from = self.at;
        while let Some(found) = self.code[from..].find(is_candidate) {
            let at = from + found;
            let first = self.code[at..].chars().next()?;
            let before = after(&self.code[self.at..at], self.before);
            let Some((end, piece)) = self.special(at, first, before) else {
                from = at + first.len_utf8();
                continue;
            };
            if at > self.at {
                let code = &self.code[self.at..at];
                (self.before, self.at) = (before, at);
                return Some(Piece::Code(code));
            }
            self.at = end;
            if !matches!(piece, Piece::Comment(_)) {
                self.before = PrecedingToken::Value;
            }
            return Some(piece);
        }
        let rest = &self.code[self.at..];
        self.at = self.code.len();
        (!rest.is_empty()).then_some(Piece::Code(rest))
    }
}

/// What code means for a `/` behind it, after what stood before the code.
fn after(code: &str, before: PrecedingToken) -> PrecedingToken {
    let code = code.trim_end();
    let rest = code.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    let word = &code[rest.len()..];
    match code.chars().next_back() {
        None => before,
        Some(_) if BEFORE_EXPRESSIONS.contains(&word) => PrecedingToken::Operator,
        Some(last) if !word.is_empty() || matches!(last, ')' | ']' | '}') => PrecedingToken::Value,
        Some(_) => PrecedingToken::Operator,
    }
}

/// Three quotation marks.
fn three(quote: char) -> &'static str {
    match quote {
        '"' => "\"\"\"",
        _ => "'''",
    }
}

/// How long a text is up to and with the first `end` that has no backslash before it.
fn after_unescaped(text: &str, end: &str) -> Option<usize> {
    Some(find_unescaped(text, end)? + end.len())
}

/// How long the regular expression is that a line begins with.
fn regular_expression(line: &str) -> Option<usize> {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in line.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(code: &str, family: Family, breaks: Breaks) -> String {
        let kind = |piece: Piece<'_>| match piece {
            Piece::Code(code) => format!("c({code})"),
            Piece::Comment(text) => format!("#({text})"),
            Piece::Text(text) => format!("t({text})"),
            Piece::Quoted {
                open,
                inside,
                close,
            } => format!("q({open}{inside}{close})"),
            Piece::Escaped(text) => format!("e({text})"),
        };
        Pieces::of(code, family, breaks).map(kind).collect()
    }

    #[test]
    fn texts_and_comments_are_distinguished_from_code() {
        let javascript = |code| kinds(code, Family::JavaScript, Breaks::Real);
        assert_eq!(
            javascript("a = 'b“' + `c\n” ${d}` // “e\nf"),
            "c(a = )t('b“')c( + )t(`c\n” ${d}`)c( )#(// “e)c(\nf)"
        );
        assert_eq!(
            javascript("x.replace(/[“/]/g, 'a') / 2 / “b”"),
            "c(x.replace()t(/[“/]/)c(g, )t('a')c() / 2 / )q(“b”)"
        );
        assert_eq!(javascript("it's “a"), "c(it's “a)");
        let python = |code| kinds(code, Family::Python, Breaks::Real);
        assert_eq!(
            python("a = \"\"\"x\n“\"\"\" # don’t\nb[‘c’] + 'd’"),
            "c(a = )t(\"\"\"x\n“\"\"\")c( )#(# don’t)c(\nb[)q(‘c’)c(] + )q('d’)"
        );
        let written = |code| kinds(code, Family::JavaScript, Breaks::Written);
        assert_eq!(
            written("a;\\n// b\\nc = \\\"d\\\""),
            "c(a;)c(\\)c(n)#(// b)c(\\)c(nc = )e(\\\"d\\\")"
        );
    }
}
