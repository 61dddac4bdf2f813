//! Runs that wait for long.

use std::num::NonZeroU32;
use std::time::Duration;

use ampoule_limits::{LEAST_PARK_AFTER, units};

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::{ConfigError, keys};

/// When runs are parked that wait for long, and what they may take then. What is not configured has its
/// default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsConfig {
    /// `park`: whether they are.
    pub park: Option<bool>,
    /// `park-after`: after how long.
    pub park_after: Option<Duration>,
    /// `parked`: how many there may be.
    pub parked: Option<NonZeroU32>,
    /// `parked-each`: how many of one principal.
    pub parked_each: Option<NonZeroU32>,
    /// `parked-bytes`: how much one of them may take.
    pub parked_bytes: Option<u64>,
    /// `parked-all-bytes`: how much all of them may take.
    pub parked_all_bytes: Option<u64>,
    /// `parked-age`: how long one is kept that nobody goes on with.
    pub parked_age: Option<Duration>,
}

pub(super) fn read(table: &Table<'_>) -> Result<RunsConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("runs")));
    let park = mistakes
        .unless(table.read("park", Entry::boolean))
        .flatten();
    let mut count = |key| mistakes.unless(table.read(key, count)).flatten();
    let (parked, parked_each) = (count("parked"), count("parked-each"));
    let mut bytes = |key| {
        let read = table.read(key, |entry| entry.quantity(units::parse_bytes));
        mistakes.unless(read).flatten()
    };
    let (parked_bytes, parked_all_bytes) = (bytes("parked-bytes"), bytes("parked-all-bytes"));
    let park_after = mistakes
        .unless(table.read("park-after", park_after))
        .flatten();
    let age = table.read("parked-age", |entry| entry.quantity(units::parse_duration));
    let parked_age = mistakes.unless(age).flatten();
    mistakes.none()?;
    Ok(RunsConfig {
        park,
        park_after,
        parked,
        parked_each,
        parked_bytes,
        parked_all_bytes,
        parked_age,
    })
}

fn count(entry: &Entry<'_>) -> Result<NonZeroU32, ConfigError> {
    let most = entry.quantity(units::parse_count)?;
    let most = u32::try_from(most).ok().and_then(NonZeroU32::new);
    most.ok_or_else(|| entry.refuse(format!("this must be 1 to {}", u32::MAX)))
}

fn park_after(entry: &Entry<'_>) -> Result<Duration, ConfigError> {
    let after = entry.quantity(units::parse_duration)?;
    if after < LEAST_PARK_AFTER {
        return Err(entry.refuse(
            "this is less than parking takes: at least `10ms`; `park = false` parks none"
                .to_owned(),
        ));
    }
    Ok(after)
}
