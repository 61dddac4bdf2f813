//! JSON texts, looked at without parsing them.

use std::borrow::Cow;

use serde_json::Value;

/// What stands for a character that can't be read, as JSON escapes it.
const REPLACEMENT: &str = r"\ufffd";
/// The length of an escaped UTF-16 unit, as in `\ud83d`.
const ESCAPED_UNIT: usize = 6;

/// What a value takes where it is in an array, in bytes.
const VALUE_BYTES: usize = size_of::<Value>();
/// What an array or object takes for itself: room for four values, as it is never smaller.
const CONTAINER_BYTES: usize = 4 * VALUE_BYTES;
/// What a member of an object takes beyond its value: its name, and its place in the index.
const MEMBER_BYTES: usize = size_of::<String>() + 40;

/// About how many bytes the host holds of a text once it is parsed to a [`Value`]. Of `[0,0,0]`
/// that is a hundred times the text.
pub fn parsed_bytes(json: &str) -> u64 {
    let tree = structure(json).map(|byte| match byte {
        b'[' | b'{' => CONTAINER_BYTES as u64,
        b',' => VALUE_BYTES as u64,
        b':' => MEMBER_BYTES as u64,
        _ => 0,
    });
    tree.sum::<u64>() + (VALUE_BYTES + json.len()) as u64
}

/// About how many bytes values have as JSON; counted no further than to a little above `most`.
pub fn bytes_of<'a>(values: impl IntoIterator<Item = &'a Value>, most: u64) -> u64 {
    let mut left: Vec<&Value> = values.into_iter().collect();
    let mut bytes = 0;
    while let Some(value) = left.pop() {
        bytes += match value {
            Value::String(text) => text.len() as u64,
            Value::Array(items) => 2 * items.len() as u64,
            Value::Object(members) => 4 * members.len() as u64,
            Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        };
        if bytes > most {
            break;
        }
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.iter().map(|(name, member)| {
                bytes += name.len() as u64;
                member
            })),
            _ => {}
        }
    }
    bytes
}

/// How many values there are, those within values included.
pub fn count<'a>(values: impl IntoIterator<Item = &'a Value>) -> usize {
    let mut left: Vec<&Value> = values.into_iter().collect();
    let mut values = 0;
    while let Some(value) = left.pop() {
        values += 1;
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
    values
}

/// A JSON text as `serde_json` can read it: what is not UTF-8, and escapes of half a character,
/// become U+FFFD. Programs send both: `JSON.stringify` escapes the half of an emoji that a string
/// was cut in.
pub fn readable(json: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(json) {
        Cow::Borrowed(text) => whole_characters(text),
        Cow::Owned(text) => Cow::Owned(whole_characters(&text).into_owned()),
    }
}

fn whole_characters(json: &str) -> Cow<'_, str> {
    let mut whole = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        at += found;
        at += match (
            escaped_unit(json, at),
            escaped_unit(json, at + ESCAPED_UNIT),
        ) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPED_UNIT,
            (Some(0xd800..=0xdfff), _) => {
                whole.push_str(&json[copied..at]);
                whole.push_str(REPLACEMENT);
                copied = at + ESCAPED_UNIT;
                ESCAPED_UNIT
            }
            (Some(_), _) => ESCAPED_UNIT,
            // Another escape: what follows the backslash begins none.
            (None, _) => 2,
        };
        if at >= json.len() {
            break;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    whole.push_str(&json[copied..]);
    Cow::Owned(whole)
}

/// The UTF-16 unit whose escape begins there.
fn escaped_unit(json: &str, at: usize) -> Option<u16> {
    let digits = json
        .as_bytes()
        .get(at..at + ESCAPED_UNIT)?
        .strip_prefix(br"\u")?;
    digits.iter().try_fold(0, |unit, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

/// How deep a text is nested.
pub fn depth(json: &str) -> usize {
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

/// Whether one of the values may be an integer that was rounded when it was read: it is a float,
/// and beyond 64 bits.
pub fn may_be_rounded(value: &Value) -> bool {
    const BEYOND: f64 = 9_223_372_036_854_775_807.0;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Number(number)
                if number.is_f64()
                    && number.as_f64().is_some_and(|float| float.abs() >= BEYOND) =>
            {
                return true;
            }
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
    }
    false
}

/// A step from a value to one in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// To a member of an object, whose name is written so, quotes included.
    Member(&'a str),
    /// To an item of an array.
    Item(usize),
}

/// The first integer in a text that neither 64 bits nor a float can hold, with its place. What has
/// a point or an exponent is a float.
pub fn rounded_integer(json: &str) -> Option<(Vec<Step<'_>>, &str)> {
    let mut place = Vec::new();
    let mut name = "";
    let mut at = 0;
    while let Some(&byte) = json.as_bytes().get(at) {
        let rest = &json.as_bytes()[at..];
        let mut length = 1;
        match byte {
            b'"' => {
                length = rest.len() - after_string(&rest[1..]).len();
                name = &json[at..at + length];
            }
            b':' => {
                if let Some(Step::Member(member)) = place.last_mut() {
                    *member = name;
                }
            }
            b',' => {
                if let Some(Step::Item(index)) = place.last_mut() {
                    *index += 1;
                }
            }
            b'{' => place.push(Step::Member("")),
            b'[' => place.push(Step::Item(0)),
            b'}' | b']' => drop(place.pop()),
            b'-' | b'0'..=b'9' => {
                let of_number =
                    |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                length = rest.iter().take_while(of_number).count();
                let number = &json[at..at + length];
                if is_rounded(number) {
                    return Some((place, number));
                }
            }
            _ => {}
        }
        at += length;
    }
    None
}

fn is_rounded(number: &str) -> bool {
    let is_integer = !number.contains(['.', 'e', 'E']);
    is_integer
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
        && number
            .parse::<f64>()
            .is_ok_and(|float| format!("{float:.0}") != number)
}

/// The text with a line for each value, indented by two spaces; what it consists of stays as it is
/// written, numbers to their last digit.
pub fn indented(json: &str) -> String {
    let mut out = String::with_capacity(2 * json.len());
    let mut depth = 0;
    let mut rest = json;
    // What was opened gets a line of its own once something is in it.
    let mut opened = false;
    while let Some(byte) = rest.bytes().next() {
        let length = match byte {
            b'"' => rest.len() - after_string(&rest.as_bytes()[1..]).len(),
            _ => rest
                .bytes()
                .position(|byte| b"\"{}[],: \t\r\n".contains(&byte))
                .unwrap_or(rest.len())
                .max(1),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'}' | b']' => {
                depth -= usize::from(depth > 0);
                if !opened {
                    line(&mut out, depth);
                }
            }
            _ if opened => line(&mut out, depth),
            _ => {}
        }
        opened = matches!(byte, b'{' | b'[');
        out.push_str(token);
        match byte {
            b'{' | b'[' => depth += 1,
            b',' => line(&mut out, depth),
            b':' => out.push(' '),
            _ => {}
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
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
    fn half_characters_are_replaced_and_whole_ones_stay() {
        let cases = [
            (r#""plain""#, r#""plain""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""cut \ud83d""#, r#""cut \ufffd""#),
            (
                r#""\ude00 \ud83d\ud83d\ude00""#,
                r#""\ufffd \ufffd\ud83d\ude00""#,
            ),
            (r#""\uD83D\n\uDE00""#, r#""\ufffd\n\ufffd""#),
            (r#""\\ud83d \\\ud83d""#, r#""\\ud83d \\\ufffd""#),
            (r#""\u00e9\ud83é""#, r#""\u00e9\ud83é""#),
            (r#""\ud83d"#, r#""\ufffd"#),
            (r#""\"#, r#""\"#),
            (r#""é\"#, r#""é\"#),
            (r#"\é\ud83d"#, r#"\é\ufffd"#),
        ];
        for (json, expected) in cases {
            assert_eq!(readable(json.as_bytes()), expected, "{json}");
        }
        assert_eq!(readable(b"\"\xff\\ud83d\""), "\"\u{fffd}\\ufffd\"");
    }

    #[test]
    fn indentation_is_that_of_a_tree_and_changes_no_value() {
        let texts = [
            "7",
            r#""a \"b\" {[,:""#,
            "[]",
            "{}",
            "[[],{}]",
            r#"{"a":[1,2.50,{"b":null}],"c":"\\","d":{}}"#,
            " [ 1 ,\n\t{ \"a\" : [ ] } ] ",
            "[[[1]]]",
        ];
        for text in texts {
            let value: Value = serde_json::from_str(text).unwrap();
            let expected = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(indented(text).replace("2.50", "2.5"), expected, "{text}");
        }
        let digits = "[1000000000000000000000000000001,0.10000000000000000000001,1E+2]";
        assert_eq!(
            indented(digits),
            "[\n  1000000000000000000000000000001,\n  0.10000000000000000000001,\n  1E+2\n]"
        );
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
