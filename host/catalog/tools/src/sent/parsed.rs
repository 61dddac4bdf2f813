//! JSON as a tree, as `serde_json` makes it, except that making a large one
//! [breathes](ampoule_effort::breathe), and that an integer is one, however it is written: `5.0` of
//! Python, and `1e3`.

use std::fmt;

use ampoule_effort::{self as effort, breathe};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The value in a text.
pub(super) fn parsed(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).map(|Tree(value)| value)
}

struct Tree(Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Values).map(Self)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(integer(value).unwrap_or_else(|| value.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        breathe(effort::BYTE * text.len() as u64);
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Tree(item)) = items.next_element()? {
            breathe(effort::ITEM);
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Tree(member))) = members.next_entry()? {
            breathe(effort::ITEM);
            object.insert(name, member);
        }
        Ok(object.into())
    }
}

/// A float that is an integer of 64 bits, as that. At the bounds and beyond, a float may stand for an
/// integer that it does not hold.
fn integer(value: f64) -> Option<Value> {
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    if value.fract() != 0.0 || value <= LEAST || value >= BEYOND {
        return None;
    }
    Some(if value < 0.0 {
        (value as i64).into()
    } else {
        (value as u64).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_integers_however_they_are_written() {
        let cases = [
            ("5.0", "5"),
            ("1e3", "1000"),
            ("-0.0", "0"),
            ("-0", "0"),
            ("-2.5e1", "-25"),
            ("1099511627776.0", "1099511627776"),
            ("1.8446744073709550e19", "18446744073709549568"),
            ("0.5", "0.5"),
            ("1e21", "1e+21"),
            ("-9223372036854775809", "-9.223372036854776e+18"),
        ];
        for (text, expected) in cases {
            assert_eq!(parsed(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn trees_and_errors_are_those_of_serde_json() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let texts = [
            r#"{"b":[1,-2,3.5,1e400,18446744073709551615,18446744073709551616],"a":{"b":null,"b":true}}"#,
            r#"["\u00e9\n\ud83d\ude00","",false]"#,
            r#""text""#,
            "7",
            "null",
            "",
            "[1,",
            r#"{"a":}"#,
            "[1] 2",
            r#"["\ud83d"]"#,
            &deep,
        ];
        for text in texts {
            let expected = serde_json::from_str::<Value>(text);
            assert_eq!(
                parsed(text).map_err(|error| error.to_string()),
                expected.map_err(|error| error.to_string()),
                "{text}"
            );
        }
    }
}
