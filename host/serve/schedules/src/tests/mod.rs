//! With a clock that the tests set.

mod hooks;
mod plans;
mod stores;
mod zones;

use std::str::FromStr;

use croner::Cron;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::Timing;

pub(crate) fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

pub(crate) fn timing(cron: &str, zone: &str) -> Timing {
    let zone = TimeZone::get(zone).unwrap();
    Timing::new(Cron::from_str(cron).unwrap(), zone)
}

/// The times between two, both ways: forwards they are the same as backwards.
pub(crate) fn times(timing: &Timing, after: &str, until: &str) -> Vec<String> {
    let (after, until) = (at(after), at(until));
    let mut forwards = Vec::new();
    let mut time = after;
    while let Some(next) = timing.next_after(time).filter(|next| *next <= until) {
        forwards.push(next);
        time = next;
    }
    let mut backwards = timing.latest(after, until, 1_000);
    backwards.reverse();
    assert_eq!(forwards, backwards);
    forwards.iter().map(ToString::to_string).collect()
}
