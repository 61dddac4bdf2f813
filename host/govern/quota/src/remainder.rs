//! What a script learns of quotas: what is left, and what to do where nothing is.

use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;

/// What a quota counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Calls, in a minute.
    CallsPerMinute,
    /// Calls, in an hour.
    CallsPerHour,
    /// Calls, in a day.
    CallsPerDay,
    /// Runs, in a minute.
    RunsPerMinute,
    /// Runs, in a day.
    RunsPerDay,
    /// Fuel, in a day.
    FuelPerDay,
    /// Milliseconds of isolates, in a day.
    IsolateMsPerDay,
    /// Bytes of calls, in a day.
    BytesPerDay,
}

impl Measure {
    fn said(self) -> &'static str {
        match self {
            Self::CallsPerMinute => "calls a minute",
            Self::CallsPerHour => "calls an hour",
            Self::CallsPerDay => "calls a day",
            Self::RunsPerMinute => "runs a minute",
            Self::RunsPerDay => "runs a day",
            Self::FuelPerDay => "units of fuel a day",
            Self::IsolateMsPerDay => "milliseconds of isolates a day",
            Self::BytesPerDay => "bytes of calls a day",
        }
    }
}

/// What is left of a quota.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remainder {
    /// The rule's name.
    pub quota: String,
    /// What it counts.
    pub what: Measure,
    /// How many it allows.
    pub limit: u64,
    /// How many of them are left.
    pub left: u64,
    /// When all of them are there again, in seconds since 1970.
    pub resets_at: u64,
}

/// Nothing is left of a quota. Displays as a sentence for the script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the quota `{quota}` is exhausted: {limit} {}; {}", .what.said(), until(*.resets_at, *.after))]
pub struct QuotaError {
    /// The rule's name.
    pub quota: String,
    /// What it counts.
    pub what: Measure,
    /// How many it allows.
    pub limit: u64,
    /// After how long the next is there; none if there never is one.
    pub after: Option<Duration>,
    /// The same as a time, in seconds since 1970.
    pub resets_at: u64,
}

fn until(resets_at: u64, after: Option<Duration>) -> String {
    let Some(after) = after else {
        return "the operator can allow more".to_owned();
    };
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    let wait = humantime::format_duration(Duration::from_secs(seconds.max(1)));
    // The last second that the format has.
    let at = UNIX_EPOCH + Duration::from_secs(resets_at.min(253_402_300_799));
    let at = humantime::format_rfc3339_seconds(at);
    format!("the next is possible in {wait}, at {at}")
}
