//! So many in a minute, or in an hour: that many at once, after which they come back one by one.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{NotKeyed, StateStore};
use governor::{NotUntil, Quota, RateLimiter};

use crate::clock::Clock;

/// A rate of one account.
pub(crate) struct Rate {
    limiter: RateLimiter<NotKeyed, State, Clock, NoOpMiddleware<Nanos>>,
    state: State,
    clock: Clock,
    began: Duration,
    limit: u32,
    each: Duration,
}

/// When all of it will be there again, in nanoseconds since the rate began: kept here, so that what
/// is left can be read without taking any.
#[derive(Debug, Clone, Default)]
struct State(Arc<AtomicU64>);

impl StateStore for State {
    type Key = NotKeyed;

    fn measure_and_replace<T, F, E>(&self, _: &NotKeyed, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut before = self.0.load(Ordering::Acquire);
        loop {
            let known = (before != 0).then(|| Nanos::from(before));
            let (decided, after) = decide(known)?;
            let after = u64::from(after);
            let swap =
                self.0
                    .compare_exchange_weak(before, after, Ordering::Release, Ordering::Acquire);
            match swap {
                Ok(_) => return Ok(decided),
                Err(now) => before = now,
            }
        }
    }
}

impl Rate {
    /// So many in this time; none if that is zero.
    pub(crate) fn new(limit: u32, time: Duration, clock: &Clock) -> Self {
        let most = NonZeroU32::new(limit).unwrap_or(NonZeroU32::MIN);
        let each = time / most.get();
        let one = Quota::with_period(each.max(Duration::from_nanos(1)));
        let quota = one.map_or_else(|| Quota::per_minute(most), |one| one.allow_burst(most));
        let state = State::default();
        Self {
            began: clock.elapsed(),
            limiter: RateLimiter::new(quota, state.clone(), clock.clone()),
            state,
            clock: clock.clone(),
            limit,
            each,
        }
    }

    /// Takes one; or tells after how long there is one.
    pub(crate) fn take(&self) -> Result<(), Duration> {
        if self.limit == 0 {
            return Err(Duration::MAX);
        }
        let wait = |not: NotUntil<Nanos>| not.wait_time_from(self.clock.elapsed().into());
        self.limiter.check().map_err(wait)
    }

    /// Gives one back that was taken this long ago for something that did not happen: as much of it
    /// as time can not have given back meanwhile. More than that, and who holds many and gives them
    /// back late would have both.
    pub(crate) fn give_back(&self, age: Duration) {
        let rest = self.each.saturating_sub(age);
        let rest = u64::try_from(rest.as_nanos()).unwrap_or(u64::MAX);
        let less = |tat: u64| Some(tat.saturating_sub(rest));
        let _ = self
            .state
            .0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
    }

    /// How many there are now, and after how long all of them are there.
    pub(crate) fn left(&self) -> (u32, Duration) {
        let full = Duration::from_nanos(self.state.0.load(Ordering::Acquire));
        let now = self.clock.elapsed().saturating_sub(self.began);
        let until_full = full.saturating_sub(now);
        let each = self.each.as_nanos().max(1);
        let gone = u32::try_from(until_full.as_nanos().div_ceil(each)).unwrap_or(u32::MAX);
        (self.limit.saturating_sub(gone), until_full)
    }
}
