//! Limits by their names, as other languages write them.

use std::time::Duration;

use ampoule::{Limit, Limits};
use ampoule_limits::LimitsConfig;
use ampoule_projection::names::{camel_case, canonical};
use serde_json::{Map, Value};

use crate::Fault;

/// These limits, with those that are named in place of theirs: `wallTime`, `wall_time` or
/// `wall-time`, each a text with a unit such as `5s` or `64MiB`, or a number in the limit's unit:
/// wall time in milliseconds, memory in bytes.
pub(crate) fn over(given: &Map<String, Value>, limits: Limits) -> Result<Limits, Fault> {
    let mut config = LimitsConfig::default();
    for (name, value) in given {
        if value.is_null() {
            continue;
        }
        let limit = named(name)?;
        let text = written(limit, value).ok_or_else(|| {
            Fault::usage(format!(
                "the limit `{name}` must be a number of {}, or a text with a unit",
                limit.unit()
            ))
        })?;
        let read = config.read(limit, &text);
        read.map_err(|why| Fault::usage(format!("the limit `{name}`: {why}")))?;
    }
    Ok(config.over(limits))
}

/// A time by the name of its option: milliseconds, or a text such as `5s`.
pub(crate) fn time(name: &str, given: &Value) -> Result<Duration, Fault> {
    let text = written(Limit::WallTime, given).ok_or_else(|| {
        Fault::usage(format!(
            "`{name}` must be a number of milliseconds, or a text such as `5s`"
        ))
    })?;
    let mut config = LimitsConfig::default();
    let read = config.read(Limit::WallTime, &text);
    read.map_err(|why| Fault::usage(format!("`{name}`: {why}")))?;
    Ok(config.over(Limits::default()).wall_time)
}

fn named(name: &str) -> Result<Limit, Fault> {
    let is = |limit: &Limit| canonical(limit.name()) == canonical(name);
    Limit::ALL.into_iter().find(is).ok_or_else(|| {
        let all = Limit::ALL.map(|limit| camel_case(limit.name()));
        Fault::usage(format!(
            "unknown limit `{name}`; the limits are {}",
            all.join(", ")
        ))
    })
}

/// The value as people write it in a configuration file.
fn written(limit: Limit, value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if limit == Limit::WallTime => {
            let micros = (number.as_f64()? * 1e3).round();
            (micros >= 0.0).then(|| format!("{micros:.0}us"))
        }
        // JSON of languages that have one kind of number may say `5.0`.
        Value::Number(number) => match number.as_f64() {
            Some(whole) if number.is_f64() && whole.fract() == 0.0 => Some(format!("{whole:.0}")),
            _ => Some(number.to_string()),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(given: Value) -> Result<Limits, String> {
        let given = given.as_object().expect("an object");
        over(given, Limits::default()).map_err(|fault| fault.message)
    }

    #[test]
    fn names_and_values_are_written_as_each_language_writes_them() {
        let given = json!({ "wallTime": 1500.5, "memory": "64MiB", "calls_at_once": 3.0, "fuel": 7, "stack": null });
        let limits = read(given).unwrap();
        assert_eq!(limits.wall_time, Duration::from_micros(1_500_500));
        assert_eq!(
            (limits.memory_bytes, limits.calls_at_once, limits.fuel),
            (64 << 20, 3, 7)
        );
        assert_eq!(limits.stack_bytes, Limits::default().stack_bytes);
    }

    #[test]
    fn what_is_no_limit_is_told_with_those_that_are() {
        let unknown = read(json!({ "time": 1 })).unwrap_err();
        assert!(
            unknown.starts_with("unknown limit `time`; the limits are fuel, wallTime, memory,"),
            "{unknown}"
        );
        assert_eq!(
            read(json!({ "fuel": true })).unwrap_err(),
            "the limit `fuel` must be a number of units, or a text with a unit"
        );
        assert!(
            read(json!({ "memory": "lots" }))
                .unwrap_err()
                .starts_with("the limit `memory`: this is not a size")
        );
        assert!(read(json!({ "wallTime": -1 })).is_err());
        assert!(read(json!({ "fuel": -1 })).is_err());
    }
}
