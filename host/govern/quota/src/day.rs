//! Which day it is, for totals: one that ends, and never comes back.
//!
//! A new day begins where the clock on the wall says a later one (UTC). A clock that goes back ends
//! nothing, and begins nothing: what was counted stays. So that a clock that was far ahead does not
//! keep everybody waiting, a day also ends after 24 hours by a clock that nobody sets.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{DAY, Moment};

/// A day, by its number since 1970, and which one of those that were counted it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Day {
    /// One more with each day that begins.
    pub(crate) count: u64,
    /// Days since 1970.
    pub(crate) number: u64,
}

/// The day, and since when this process knows of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentDay {
    pub(crate) day: Day,
    since: Duration,
    /// Whether it is the folder's.
    is_joined: bool,
}

impl CurrentDay {
    pub(crate) fn new(now: Moment) -> Self {
        let day = Day {
            count: 1,
            number: now.wall / DAY,
        };
        Self {
            day,
            since: now.elapsed,
            is_joined: false,
        }
    }

    /// The day as it is now.
    pub(crate) fn at(&mut self, now: Moment) -> Day {
        let number = now.wall / DAY;
        let is_over = now.elapsed.saturating_sub(self.since) >= Duration::from_secs(DAY);
        if number > self.day.number || is_over && number != self.day.number {
            self.begin(
                Day {
                    count: self.day.count + 1,
                    number,
                },
                now,
            );
        }
        self.day
    }

    /// The folder is at that day. Their counts tell which of two is later, except to one who has
    /// just come.
    pub(crate) fn join(&mut self, day: Day, now: Moment) {
        if !self.is_joined || day.count >= self.day.count {
            self.begin(day, now);
        }
        self.is_joined = true;
    }

    fn begin(&mut self, day: Day, now: Moment) {
        if day != self.day {
            self.day = day;
            self.since = now.elapsed;
        }
    }

    /// When the day ends: after how long, at the latest.
    pub(crate) fn ends_in(&self, now: Moment) -> Duration {
        let by_wall = ((self.day.number + 1) * DAY).saturating_sub(now.wall);
        let whole = Duration::from_secs(DAY);
        let by_count = whole.saturating_sub(now.elapsed.saturating_sub(self.since));
        match now.wall / DAY < self.day.number {
            true => by_count,
            false => Duration::from_secs(by_wall),
        }
    }
}
