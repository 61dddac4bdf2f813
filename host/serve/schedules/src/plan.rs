//! What is due now, and what waits.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use crate::timing::Timing;

/// A time that is past for longer than this was missed.
const GRACE: SignedDuration = SignedDuration::from_secs(60);
/// How many missed times are made up for, and how many of them are counted.
pub(crate) const MOST_MISSED: usize = 100;
/// How far ahead of the clock the last time may be, where the clock was set back. Above that, the time
/// was a mistake of the clock.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// What happens with times at which no server was there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CatchUp {
    /// One run makes up for all of them.
    #[default]
    Once,
    /// Each has a run, one after the other.
    Each,
    /// Nothing.
    Skip,
}

/// What happens with a time at which the last run is still under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Overlap {
    /// It passes without a run.
    #[default]
    Skip,
    /// A run begins when the last one has ended. One waits at most.
    Wait,
    /// A run begins beside the last one.
    Start,
}

impl Overlap {
    /// How many runs there may be at once.
    pub fn at_once(self) -> usize {
        match self {
            Self::Skip | Self::Wait => 1,
            Self::Start => 16,
        }
    }
}

/// The times that have come since the last look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTimes {
    /// The times for which runs are to begin, the oldest first.
    pub starts: Vec<Timestamp>,
    /// How many were missed, and get no run.
    pub missed: usize,
    /// The newest of all.
    pub newest: Timestamp,
}

/// What is due now, where all times up to the last one were dealt with. None if nothing is.
pub fn due(timing: &Timing, rule: CatchUp, last: Timestamp, now: Timestamp) -> Option<DueTimes> {
    // One more than is made up for: the one that is on time.
    let mut times = timing.latest(last, now, MOST_MISSED + 1);
    let newest = *times.first()?;
    let all = times.len();
    let is_on_time = now.duration_since(newest) <= GRACE;
    match rule {
        CatchUp::Each => {}
        CatchUp::Once => times.truncate(1),
        CatchUp::Skip if is_on_time => times.truncate(1),
        CatchUp::Skip => times.clear(),
    }
    times.truncate(MOST_MISSED);
    times.reverse();
    Some(DueTimes {
        missed: all - times.len(),
        starts: times,
        newest,
    })
}

/// The time after which times are looked for: the last that was written down, unless the clock was
/// wrong then.
pub(crate) fn since(last: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let last = last.filter(|last| last.duration_since(now) <= AHEAD);
    last.unwrap_or(now)
}

/// The runs that begin now, and the times that pass because of others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Admission {
    pub(crate) begin: Vec<Timestamp>,
    pub(crate) passed: Vec<Timestamp>,
}

/// Has as many begin as there is room for, those first that wait already. The rest waits or passes.
pub(crate) fn admit(
    starts: Vec<Timestamp>,
    overlap: Overlap,
    room: usize,
    queue: &mut VecDeque<Timestamp>,
) -> Admission {
    // Times that are made up for wait for one another, whatever is said of overlaps.
    let most_waiting = match overlap {
        _ if starts.len() > 1 => MOST_MISSED,
        Overlap::Wait => 1,
        Overlap::Skip | Overlap::Start => 0,
    };
    let mut admission = Admission::default();
    let waiting = queue.len().min(room);
    admission.begin.extend(queue.drain(..waiting));
    for start in starts {
        if admission.begin.len() < room {
            admission.begin.push(start);
        } else if queue.len() < most_waiting {
            queue.push_back(start);
        } else {
            admission.passed.push(start);
        }
    }
    admission
}
