//! What is looked at before a text is parsed: whether it nests no deeper than parsing, checking and
//! deciding can follow without running out of stack.

/// How deep brackets may be nested.
const DEEPEST: usize = 64;
/// How many operators one policy may have. Each nests what comes before it one deeper.
const MOST_OPERATORS: usize = 1_000;
/// How long one policy may be, in bytes.
const MOST_BYTES: usize = 256 << 10;

/// Says where, in bytes, and why a text may not be parsed.
pub(crate) fn refused(text: &str) -> Option<(usize, String)> {
    let bytes = text.as_bytes();
    let (mut depth, mut operators, mut began, mut at) = (0_usize, 0, 0, 0);
    while let Some(&byte) = bytes.get(at) {
        let mut length = 1;
        match byte {
            b'"' => length = string(&bytes[at..]),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                let rest = bytes[at..].iter();
                length = rest.take_while(|byte| **byte != b'\n').count();
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' => (depth, operators, began) = (0, 0, at + 1),
            b'&' | b'|' | b'.' | b'+' | b'-' | b'*' | b'!' | b'<' | b'>' | b'=' => operators += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let rest = bytes[at..].iter();
                let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                length = rest.take_while(is_word).count();
                let word = &bytes[at..at + length];
                operators += usize::from(matches!(word, b"if" | b"has" | b"in" | b"is" | b"like"));
            }
            _ => {}
        }
        at += length;
        let why = match () {
            () if depth > DEEPEST => format!("brackets are nested more than {DEEPEST} deep"),
            () if operators > MOST_OPERATORS => {
                format!(
                    "a policy may have {MOST_OPERATORS} operators; look for a value in a set, `[…].contains(…)`, or write several policies"
                )
            }
            () if at - began > MOST_BYTES => {
                format!("a policy may have {MOST_BYTES} bytes; write several")
            }
            () => continue,
        };
        return Some((at.saturating_sub(1), why));
    }
    None
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

    #[test]
    fn strings_and_comments_are_no_brackets() {
        let quoted = "(".repeat(1_000);
        let text = format!(
            "permit(principal, action, resource) // {quoted}\nwhen {{ \"\\\"{quoted}\" == \"é\" }};"
        );
        assert_eq!(refused(&text), None);
        assert_eq!(refused("permit(\"unended"), None);
        assert_eq!(refused("\"\\"), None);
    }

    #[test]
    fn what_is_too_deep_is_refused_where_it_becomes_so() {
        let deep = "(".repeat(100_000);
        assert_eq!(refused(&deep).unwrap().0, DEEPEST);
        for chain in ["true && ", "!", "context.a.", "if true then ", "1 + "] {
            let text = format!(
                "permit(principal, action, resource) when {{ {}",
                chain.repeat(50_000)
            );
            let (at, why) = refused(&text).unwrap();
            assert!(at < 20_000, "{at}");
            assert!(why.contains("operators"), "{why}");
        }
    }

    #[test]
    fn each_policy_counts_by_itself() {
        let one = "permit(principal, action, resource) when { true && true };\n";
        assert_eq!(refused(&one.repeat(10_000)), None);
    }
}
