//! A look at how deep a source's brackets nest, before it is parsed: parsers recurse, and the stack
//! ends.

/// How deep brackets may nest. The parser uses about a kibibyte of stack for each.
pub(super) const LIMIT: usize = 400;

/// The offset of the first bracket that is nested too deep.
pub(super) fn too_deep(source: &str) -> Option<usize> {
    let opening = |byte: &&u8| matches!(byte, b'(' | b'[' | b'{');
    if source.len() <= LIMIT || source.as_bytes().iter().filter(opening).count() <= LIMIT {
        return None;
    }
    Scan {
        bytes: source.as_bytes(),
        at: 0,
        open: Vec::new(),
        operand: false,
    }
    .run()
}

/// What a closing bracket goes back to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Bracket,
    Template,
}

/// Tells brackets from what is in strings, comments, templates and regular expressions.
struct Scan<'s> {
    bytes: &'s [u8],
    at: usize,
    open: Vec<Open>,
    /// Whether what was before is an operand, so that a slash divides.
    operand: bool,
}

impl Scan<'_> {
    fn run(mut self) -> Option<usize> {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'(' | b'[' | b'{' => self.push(Open::Bracket, false),
                b')' | b']' => self.pop(),
                b'}' if self.open.last() == Some(&Open::Template) => {
                    self.open.pop();
                    self.template();
                }
                b'}' => {
                    self.open.pop();
                    self.operand = false;
                }
                b'"' | b'\'' => self.quoted(byte),
                b'`' => self.template(),
                b'/' => self.slash(),
                _ if byte.is_ascii_whitespace() => {}
                _ => {
                    self.operand =
                        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
                }
            }
            if self.open.len() > LIMIT {
                return Some(self.at - 1);
            }
        }
        None
    }

    fn push(&mut self, open: Open, operand: bool) {
        self.open.push(open);
        self.operand = operand;
    }

    fn pop(&mut self) {
        self.open.pop();
        self.operand = true;
    }

    fn skip_until(&mut self, end: impl Fn(&[u8]) -> bool) {
        while self.at < self.bytes.len() && !end(&self.bytes[self.at..]) {
            self.at += if self.bytes[self.at] == b'\\' { 2 } else { 1 };
        }
    }

    fn quoted(&mut self, quote: u8) {
        self.skip_until(|rest| rest[0] == quote || rest[0] == b'\n');
        self.at += 1;
        self.operand = true;
    }

    fn template(&mut self) {
        self.skip_until(|rest| rest[0] == b'`' || rest.starts_with(b"${"));
        if self.bytes.get(self.at) == Some(&b'$') {
            self.push(Open::Template, false);
            self.at += 1;
        } else {
            self.operand = true;
        }
        self.at += 1;
    }

    fn slash(&mut self) {
        match self.bytes.get(self.at) {
            Some(b'/') => self.skip_until(|rest| rest[0] == b'\n'),
            Some(b'*') => {
                let end = self.bytes[self.at..]
                    .windows(2)
                    .position(|pair| pair == b"*/");
                self.at = end.map_or(self.bytes.len(), |length| self.at + length + 2);
            }
            _ if self.operand => self.operand = false,
            _ => {
                self.skip_until(|rest| matches!(rest[0], b'/' | b'\n' | b'['));
                while self.bytes.get(self.at) == Some(&b'[') {
                    self.skip_until(|rest| matches!(rest[0], b']' | b'\n'));
                    self.skip_until(|rest| matches!(rest[0], b'/' | b'\n' | b'['));
                }
                self.at += 1;
                self.operand = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_bracket_that_is_too_deep() {
        for open in ["(", "[", "{", "${`${`"] {
            let source = format!("`{}", open.repeat(LIMIT * 2));
            let source = if open.starts_with('$') {
                source
            } else {
                source.replace('`', " ")
            };
            assert!(too_deep(&source).is_some(), "{open}");
        }
        assert_eq!(too_deep(&"[".repeat(LIMIT + 1)), Some(LIMIT));
    }

    #[test]
    fn brackets_that_nest_nothing_do_not_count() {
        for piece in [
            "f(1);",
            "'([{';",
            "\"\\\"((\";",
            "`(${a})(`;",
            "// ((\n",
            "/* (( */",
            "x = /[(/]((/;",
            "{}",
        ] {
            assert_eq!(too_deep(&piece.repeat(LIMIT * 2)), None, "{piece}");
        }
    }
}
