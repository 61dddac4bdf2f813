//! Quantities: a whole number, or a text with a unit.

use std::fmt;
use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserializer;
use serde::de::{self, Visitor};

use crate::units;

/// The schema of a quantity.
#[derive(Debug)]
pub struct Quantity;

impl JsonSchema for Quantity {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Quantity".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "string"] })
    }
}

/// A duration, such as `30s` or a number of seconds.
///
/// # Errors
///
/// How durations are written.
pub fn time<'de, D: Deserializer<'de>, T: From<Duration>>(deserializer: D) -> Result<T, D::Error> {
    read(deserializer, |text| {
        units::parse_duration(text).map(T::from)
    })
}

/// A number of bytes, such as `64 MiB`.
///
/// # Errors
///
/// How sizes are written.
pub fn bytes<'de, D: Deserializer<'de>, T: From<u64>>(deserializer: D) -> Result<T, D::Error> {
    read(deserializer, |text| units::parse_bytes(text).map(T::from))
}

/// A whole number, such as `10_000`.
///
/// # Errors
///
/// How numbers are written, and which there may be.
pub fn count<'de, D: Deserializer<'de>, T: Whole>(deserializer: D) -> Result<T, D::Error> {
    read(deserializer, |text| {
        units::parse_count(text).and_then(T::of)
    })
}

/// A whole number that is not zero.
///
/// # Errors
///
/// How numbers are written, and that zero is too few.
pub fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    count(deserializer).map(NonZeroUsize::get)
}

/// A whole number in its range.
pub trait Whole: Sized {
    /// The number.
    ///
    /// # Errors
    ///
    /// Which there may be.
    fn of(number: u64) -> Result<Self, String>;
}

impl Whole for u64 {
    fn of(number: u64) -> Result<Self, String> {
        Ok(number)
    }
}

impl Whole for u32 {
    fn of(number: u64) -> Result<Self, String> {
        Self::try_from(number).map_err(|_| format!("this must be at most {}", Self::MAX))
    }
}

impl Whole for NonZeroU32 {
    fn of(number: u64) -> Result<Self, String> {
        let number = u32::try_from(number).ok().and_then(Self::new);
        number.ok_or_else(|| format!("this must be 1 to {}", Self::MAX))
    }
}

impl Whole for NonZeroUsize {
    fn of(number: u64) -> Result<Self, String> {
        let number = usize::try_from(number).ok().and_then(Self::new);
        number.ok_or_else(|| "this must be a whole number of at least 1".to_owned())
    }
}

impl<T: Whole> Whole for Option<T> {
    fn of(number: u64) -> Result<Self, String> {
        T::of(number).map(Some)
    }
}

pub(crate) fn read<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(QuantityVisitor(parse, PhantomData))
}

struct QuantityVisitor<P, T>(P, PhantomData<T>);

impl<T, P: FnOnce(&str) -> Result<T, String>> Visitor<'_> for QuantityVisitor<P, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, or a string with a unit")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_quantity_is_a_number_or_a_text_with_a_unit() {
        assert_eq!(
            time::<_, Option<Duration>>(json!("2m")).ok().flatten(),
            Some(Duration::from_secs(120))
        );
        assert_eq!(bytes::<_, u64>(json!(5)).ok(), Some(5));
        let why = |read: Result<u32, serde_json::Error>| read.unwrap_err().to_string();
        assert!(why(count(json!(5_000_000_000_u64))).contains("at most 4294967295"));
        assert!(why(count(json!(-1))).contains("not a whole number"));
        for wrong in [json!(1.5), json!(true), json!([1]), Value::Null] {
            assert!(count::<_, u64>(&wrong).is_err(), "{wrong}");
        }
        assert_eq!(at_least_one(json!("1_000")).ok(), Some(1000));
        assert!(at_least_one(json!(0)).is_err());
        assert!(count::<_, NonZeroU32>(json!(0)).is_err());
        assert!(count::<_, Option<NonZeroUsize>>(json!(0)).is_err());
    }
}
