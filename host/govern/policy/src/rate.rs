//! How often something may be done: `30/minute`.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// How often something may be done in a time. Written as `30/minute`; the times are `second`,
/// `minute`, `hour` and `day`, or `s`, `min` or `m`, `h` and `d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rate {
    calls: NonZeroU32,
    per: Per,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Per {
    Second,
    Minute,
    Hour,
    Day,
}

/// The times, and how long they are, in seconds.
const TIMES: [(&str, u64); 4] = [
    ("second", 1),
    ("minute", 60),
    ("hour", 3_600),
    ("day", 86_400),
];

impl Rate {
    /// How many calls.
    pub fn calls(self) -> NonZeroU32 {
        self.calls
    }

    /// In how long.
    pub fn per(self) -> Duration {
        let (_, seconds) = TIMES[self.per as usize];
        Duration::from_secs(seconds)
    }
}

/// What is not a [`Rate`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rate; write `30/minute`, with `second`, `minute`, `hour` or `day`")]
pub struct NoRate(String);

impl FromStr for Rate {
    type Err = NoRate;

    fn from_str(text: &str) -> Result<Self, NoRate> {
        let read = || {
            let (calls, time) = text.split_once('/')?;
            let per = match time.trim() {
                "s" | "second" => Per::Second,
                "min" | "m" | "minute" => Per::Minute,
                "h" | "hour" => Per::Hour,
                "d" | "day" => Per::Day,
                _ => return None,
            };
            let calls = calls.trim().parse().ok()?;
            Some(Self { calls, per })
        };
        read().ok_or_else(|| NoRate(text.to_owned()))
    }
}

impl TryFrom<String> for Rate {
    type Error = NoRate;

    fn try_from(text: String) -> Result<Self, NoRate> {
        text.parse()
    }
}

impl From<Rate> for String {
    fn from(rate: Rate) -> Self {
        rate.to_string()
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time, _) = TIMES[self.per as usize];
        write!(f, "{}/{time}", self.calls)
    }
}

impl JsonSchema for Rate {
    fn schema_name() -> Cow<'static, str> {
        "Rate".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[1-9][0-9]* ?/ ?(s|second|m|min|minute|h|hour|d|day)$",
            "description": "How often, such as `30/minute`."
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_and_written() {
        for (text, calls, seconds) in [
            ("1/second", 1, 1),
            ("30/minute", 30, 60),
            ("7 / hour", 7, 3_600),
            ("4294967295/day", u32::MAX, 86_400),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!(rate.calls().get(), calls);
            assert_eq!(rate.per(), Duration::from_secs(seconds));
            assert_eq!(rate.to_string(), text.replace(' ', ""));
        }
        for (short, long) in [
            ("1/s", "second"),
            ("1/min", "minute"),
            ("1/m", "minute"),
            ("1/h", "hour"),
            ("1/d", "day"),
        ] {
            let rate: Rate = short.parse().unwrap();
            assert_eq!(rate.to_string(), format!("1/{long}"));
        }
        for text in [
            "",
            "30",
            "0/minute",
            "-1/day",
            "5/week",
            "4294967296/day",
            "1/minutes",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}
