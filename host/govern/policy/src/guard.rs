//! What is looked at before a text is parsed: where each policy ends, and whether it nests no deeper
//! than parsing, checking and deciding can follow without running out of stack.
//!
//! Each is then parsed by itself: all that is wrong is told, and what Cedar keeps of a text with
//! each of its problems is never the whole file.

use std::ops::Range;

/// How deep brackets may be nested.
const DEEPEST: usize = 64;
/// How many operators one policy may have. Each nests what comes before it one deeper.
const MOST_OPERATORS: usize = 1_000;
/// How long one policy may be, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// A policy's text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Statement {
    /// Where it is in the file, in bytes.
    pub(crate) at: Range<usize>,
    /// Where and why it may not be parsed.
    pub(crate) refused: Option<(usize, String)>,
}

/// What is counted of a policy.
#[derive(Default)]
struct Complexity {
    depth: usize,
    operators: usize,
    /// Whether there is anything but space and comments.
    any: bool,
}

/// The policies of a text; each ends with its semicolon, the last one perhaps without.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let bytes = text.as_bytes();
    let mut statements = Vec::new();
    let (mut current, mut counted, mut at) = (Statement::default(), Complexity::default(), 0);
    while let Some(&byte) = bytes.get(at) {
        let length = counted.token(byte, &bytes[at..]);
        at += length;
        current.at.end = at;
        if current.refused.is_none() {
            let why = counted.refused(current.at.len());
            current.refused = why.map(|why| (at - length, why));
        }
        if byte == b';' {
            let next = Statement {
                at: at..at,
                refused: None,
            };
            statements.push(std::mem::replace(&mut current, next));
            counted = Complexity::default();
        }
    }
    statements.extend(counted.any.then_some(current));
    statements
}

impl Complexity {
    /// Counts what comes next; says how long it is.
    fn token(&mut self, byte: u8, rest: &[u8]) -> usize {
        if rest.starts_with(b"//") {
            // As Cedar ends it: what follows a bare carriage return is not a comment.
            return until(rest, |byte| matches!(byte, b'\n' | b'\r'));
        }
        self.any |= !byte.is_ascii_whitespace();
        match byte {
            b'"' => return string(rest),
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b'&' | b'|' | b'.' | b'+' | b'-' | b'*' | b'!' | b'<' | b'>' | b'=' => {
                self.operators += 1;
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let length = until(rest, |byte| !byte.is_ascii_alphanumeric() && byte != b'_');
                let word = &rest[..length];
                // Several conditions are one: each nests those before it.
                let operates = matches!(
                    word,
                    b"if" | b"has" | b"in" | b"is" | b"like" | b"when" | b"unless"
                );
                self.operators += usize::from(operates);
                return length;
            }
            _ => {}
        }
        1
    }

    fn refused(&self, bytes: usize) -> Option<String> {
        if self.depth > DEEPEST {
            return Some(format!("brackets are nested more than {DEEPEST} deep"));
        }
        if self.operators > MOST_OPERATORS {
            return Some(format!(
                "a policy may have {MOST_OPERATORS} operators; look for a value in a set, `[…].contains(…)`, or write several policies"
            ));
        }
        let told = || format!("a policy may have {MOST_BYTES} bytes; write several");
        (bytes > MOST_BYTES).then(told)
    }
}

fn until(bytes: &[u8], is_end: impl Fn(u8) -> bool) -> usize {
    let end = bytes.iter().position(|byte| is_end(*byte));
    end.unwrap_or(bytes.len())
}

/// The length of a string, quotes included.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<(usize, String)> {
        let mut statements = statements(text).into_iter();
        statements.find_map(|statement| statement.refused)
    }

    #[test]
    fn strings_and_comments_are_no_brackets_and_end_nothing() {
        let quoted = "(;".repeat(1_000);
        let one = format!("permit(x) // {quoted}\nwhen {{ \"\\\"{quoted}\" == \"é\" }};");
        let text = format!("{one}{one} // the end;\n ");
        let found = statements(&text);
        let texts: Vec<&str> = found.iter().map(|one| &text[one.at.clone()]).collect();
        assert_eq!(texts, [&one, &one]);
        assert_eq!(refused(&text), None);
        assert_eq!(statements("permit(\"unended;")[0].at, 0..16);
        assert_eq!(statements("\"\\")[0].at, 0..2);
        assert_eq!(statements(" // nothing"), []);
    }

    #[test]
    fn what_is_too_deep_is_refused_where_it_becomes_so() {
        let deep = "(".repeat(100_000);
        assert_eq!(refused(&deep).unwrap().0, DEEPEST);
        for chain in ["true && ", "!", "context.a.", "if true then ", "1 + "] {
            let text = format!("permit(x) when {{ {}", chain.repeat(50_000));
            let (at, why) = refused(&text).unwrap();
            assert!(at < 20_000, "{at}");
            assert!(why.contains("operators"), "{why}");
        }
        let long = format!("permit(\"{}\")", "x".repeat(MOST_BYTES));
        assert!(refused(&long).unwrap().1.contains("bytes"));
    }

    #[test]
    fn each_policy_counts_by_itself() {
        let one = "permit(principal, action, resource) when { true && true };\n";
        assert_eq!(refused(&one.repeat(10_000)), None);
        let text = format!("{one}permit({};{one}", "(".repeat(100));
        let found = statements(&text);
        let refused: Vec<bool> = found.iter().map(|one| one.refused.is_some()).collect();
        assert_eq!(refused, [false, true, false]);
    }
}
