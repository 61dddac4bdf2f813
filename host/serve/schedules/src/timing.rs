//! The times of a schedule.

use croner::{Cron, Direction};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The times of a schedule: a cron expression, in a time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    cron: Cron,
    zone: TimeZone,
}

impl Timing {
    /// The times that the expression means in the zone.
    pub fn new(cron: Cron, zone: TimeZone) -> Self {
        Self { cron, zone }
    }

    /// The first time after this one. None where there is none, or none that a calendar has.
    pub fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        let time = time.to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&time, false).ok()?;
        Some(next.timestamp())
    }

    /// The last times after the one and up to the other, the newest first, at most so many.
    pub fn latest(&self, after: Timestamp, until: Timestamp, most: usize) -> Vec<Timestamp> {
        let from = until.to_zoned(self.zone.clone());
        let times = self.cron.iter_from(from, Direction::Backward);
        let times = times.map(|time| time.timestamp());
        times
            .filter(|time| *time <= until)
            .take_while(|time| *time > after)
            .take(most)
            .collect()
    }
}

/// Another text means other times: what was missed of the ones says nothing of the others.
impl std::fmt::Display for Timing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It may be written over several lines.
        for field in self.cron.as_str().split_whitespace() {
            write!(f, "{field} ")?;
        }
        f.write_str(self.zone.iana_name().unwrap_or("UTC"))
    }
}
