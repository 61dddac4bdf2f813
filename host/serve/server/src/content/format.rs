//! How values are written in answers.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// What a client may ask for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Json,
    /// [TOON](https://toonformat.dev): lists of like objects as tables, in fewer tokens.
    Toon,
}

/// How many digits an integer may have to be the same in every reader.
const DIGITS: usize = 15;

impl Format {
    /// A JSON document in this format. What would not be the same in it stays JSON.
    pub(crate) fn of(self, json: &str) -> Cow<'_, str> {
        match self {
            Self::Json => Cow::Borrowed(json),
            Self::Toon => toon(json).map_or(Cow::Borrowed(json), Cow::Owned),
        }
    }
}

fn toon(json: &str) -> Option<String> {
    if has_long_numbers(json) {
        return None;
    }
    let value: Value = serde_json::from_str(json).ok()?;
    toon_format::encode_default(&value).ok()
}

/// Whether there are numbers that reading them as 64 bits might change.
fn has_long_numbers(json: &str) -> bool {
    let (mut digits, mut in_text, mut escaped) = (0, false, false);
    json.bytes().any(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            _ => {}
        }
        digits = match in_text || !byte.is_ascii_digit() {
            true => 0,
            false => digits + 1,
        };
        digits > DIGITS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_like_objects_are_tables() {
        let json = r#"[{"id":1,"name":"a"},{"id":2,"name":"b, c"}]"#;
        assert_eq!(Format::Toon.of(json), "[2]{id,name}:\n  1,a\n  2,\"b, c\"");
        assert_eq!(Format::Json.of(json), json);
    }

    #[test]
    fn what_would_be_changed_stays_json() {
        let large = r#"[{"n":100000000000000000000}]"#;
        assert_eq!(Format::Toon.of(large), large);
        // Not a number.
        let text = Format::Toon.of(r#"{"id":"100000000000000000000","q":"\"9999999999999999"}"#);
        assert!(text.starts_with("id: \"100000000000000000000\""), "{text}");
    }

    #[test]
    fn it_reads_back_the_same() {
        let json = r#"{"a":[1,2.5,null,true,"x","null","5",""],"b":{"c":[{"d":[]},{"e":{}}]},"f":"- g\n\t\"h\\"}"#;
        let back: Value = toon_format::decode_default(&Format::Toon.of(json)).unwrap();
        assert_eq!(back, serde_json::from_str::<Value>(json).unwrap());
    }
}
