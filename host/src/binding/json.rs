//! JSON texts, told by what is outside of their strings, without parsing them.

use serde_json::Value;

/// What a value takes where it is in an array, in bytes.
const VALUE_BYTES: usize = size_of::<Value>();
/// What an array or object takes for itself: room for four values, as it is never smaller.
const CONTAINER_BYTES: usize = 4 * VALUE_BYTES;
/// What a member of an object takes beyond its value: its name, and its place in the index.
const MEMBER_BYTES: usize = size_of::<String>() + 40;

/// About how many bytes the host holds of a text once it is parsed to a [`Value`]. Of `[0,0,0]` that is a hundred times the text.
pub(crate) fn parsed_bytes(json: &str) -> u64 {
    let tree = structure(json).map(|byte| match byte {
        b'[' | b'{' => CONTAINER_BYTES as u64,
        b',' => VALUE_BYTES as u64,
        b':' => MEMBER_BYTES as u64,
        _ => 0,
    });
    tree.sum::<u64>() + (VALUE_BYTES + json.len()) as u64
}

/// How deep a text is nested.
pub(crate) fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in structure(json) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The bytes outside of strings.
fn structure(json: &str) -> impl Iterator<Item = u8> {
    let mut rest = json.as_bytes();
    std::iter::from_fn(move || {
        loop {
            let (&byte, after) = rest.split_first()?;
            if byte != b'"' {
                rest = after;
                return Some(byte);
            }
            rest = after_string(after);
        }
    })
}

/// What follows the string that `rest` is inside of.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_within_strings_do_not_nest() {
        let cases = [
            ("7", 0),
            ("[]", 1),
            (r#"{"a":[{"b":"[[[\"[[\\"}],"[":[]}"#, 3),
            (r#""\u005b[\\""#, 0),
            ("]][", 1),
        ];
        for (json, expected) in cases {
            assert_eq!(depth(json), expected, "{json}");
        }
    }

    #[test]
    fn many_small_values_take_more_than_their_text() {
        let zeros = format!("[{}0]", "0,".repeat(999_999));
        let bytes = parsed_bytes(&zeros);
        assert!(
            (72_000_000..100_000_000).contains(&bytes),
            "{bytes} for a million values"
        );
        let text = format!("\"{}\"", "a,[{:".repeat(1000));
        assert_eq!(parsed_bytes(&text), (text.len() + VALUE_BYTES) as u64);
        let row = parsed_bytes(r#"{"a":1,"b":2}"#) as usize;
        assert!(row > 2 * (VALUE_BYTES + size_of::<String>()), "{row}");
    }
}
