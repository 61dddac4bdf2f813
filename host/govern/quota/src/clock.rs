//! The times: what the clock on the wall says, and how long it has been.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use governor::nanos::Nanos;

/// How long a day is, in seconds.
pub(crate) const DAY: u64 = 86_400;

/// Both of them, as of one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// Seconds since 1970 (UTC).
    pub(crate) wall: u64,
    /// How long the process has counted. No clock changes it.
    pub(crate) elapsed: Duration,
}

/// Where they come from. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Clock(Arc<Source>);

#[derive(Debug)]
struct Source {
    began: Instant,
    /// How much later it is, on the wall in seconds, and by any clock.
    #[cfg(test)]
    later: parking_lot::Mutex<(i64, Duration)>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Source {
            began: Instant::now(),
            #[cfg(test)]
            later: parking_lot::Mutex::default(),
        }))
    }

    /// How long the process has counted.
    pub(crate) fn elapsed(&self) -> Duration {
        let elapsed = self.0.began.elapsed();
        #[cfg(test)]
        let elapsed = elapsed + self.0.later.lock().1;
        elapsed
    }

    pub(crate) fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let wall = since.map_or(0, |since| since.as_secs());
        #[cfg(test)]
        let wall = wall.saturating_add_signed(self.0.later.lock().0);
        Moment {
            wall,
            elapsed: self.elapsed(),
        }
    }

    /// Lets time pass.
    #[cfg(test)]
    pub(crate) fn pass(&self, time: Duration) {
        self.set(time.as_secs() as i64);
        self.0.later.lock().1 += time;
    }

    /// Sets the clock on the wall.
    #[cfg(test)]
    pub(crate) fn set(&self, seconds: i64) {
        self.0.later.lock().0 += seconds;
    }
}

impl governor::clock::Clock for Clock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.elapsed().into()
    }
}
