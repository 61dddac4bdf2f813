//! The names and values in a rule, read from left to right.

use serde_json::{Number, Value};

use super::parse::UndoRuleError;

/// A text that is read, and how far it has been.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Says what should stand here.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> UndoRuleError {
        UndoRuleError {
            column: self.text[..self.at].chars().count() + 1,
            expected: expected.into(),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The next character that is not a space, which stays.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_spaces();
        self.rest().chars().next()
    }

    /// Takes a character, if it is the next.
    pub(super) fn takes(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.at += sign.len_utf8();
        }
        is_next
    }

    /// Takes a character, which must be the next.
    pub(super) fn expect(&mut self, sign: char) -> Result<(), UndoRuleError> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.wrong(format!("expected `{sign}`"))),
        }
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), UndoRuleError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wrong("expected nothing after the call")),
        }
    }

    /// The characters from here that are like this; empty if there are none.
    fn run(&mut self, is_of: impl Fn(char) -> bool) -> &'t str {
        self.skip_spaces();
        let rest = self.rest();
        let end = rest.find(|c| !is_of(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A name of a server or a tool, bare or in quotes.
    pub(super) fn name(&mut self) -> Result<String, UndoRuleError> {
        let is_of = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '@' | '$' | ':');
        let name = match self.peek() {
            Some('"' | '\'') => self.quoted()?,
            _ => self.run(is_of).to_owned(),
        };
        match name.is_empty() {
            true => Err(self.wrong("expected the name of a tool, such as `delete_issue`")),
            false => Ok(name),
        }
    }

    /// A plain name, such as that of a member; none if something else is next.
    pub(super) fn plain(&mut self) -> Option<&'t str> {
        let starts = |c: char| c.is_alphabetic() || matches!(c, '_' | '$');
        self.peek().filter(|c| starts(*c))?;
        Some(self.run(|c| c.is_alphanumeric() || matches!(c, '_' | '$')))
    }

    /// A text in quotes of either kind. A backslash stands before a quote or another backslash.
    pub(super) fn quoted(&mut self) -> Result<String, UndoRuleError> {
        let Some(quote @ ('"' | '\'')) = self.peek() else {
            return Err(self.wrong("expected a text in quotes"));
        };
        let mut text = String::new();
        let mut signs = self.rest().char_indices().skip(1);
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => match signs.next() {
                    Some((_, escaped @ ('"' | '\'' | '\\'))) => text.push(escaped),
                    _ => {
                        self.at += at;
                        return Err(self.wrong("expected a quote or a backslash after `\\`"));
                    }
                },
                sign if sign == quote => {
                    self.at += at + sign.len_utf8();
                    return Ok(text);
                }
                sign => text.push(sign),
            }
        }
        Err(self.wrong("expected the text to end with the quote that it begins with"))
    }

    /// A number.
    pub(super) fn number(&mut self) -> Result<Value, UndoRuleError> {
        let start = self.at;
        let digits = self.run(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
        let number: Result<Number, _> = digits.parse();
        number.map(Value::Number).map_err(|_| {
            self.at = start;
            self.wrong("expected a number as JSON has it")
        })
    }

    /// A place in a list.
    pub(super) fn place(&mut self) -> Result<usize, UndoRuleError> {
        let digits = self.run(|c| c.is_ascii_digit());
        let expected = "expected a number, or a name in quotes";
        digits.parse().map_err(|_| self.wrong(expected))
    }
}

/// Whether a member of that name may stand after a dot.
pub(super) fn is_plain(name: &str) -> bool {
    Reader::new(name).plain() == Some(name)
}
