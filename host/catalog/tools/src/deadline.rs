//! When a run must be over: a time that stands still while a person is asked.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// As good as never, and yet a time that clocks can express.
const NEVER: Duration = Duration::from_hours(24 * 365 * 30);

/// When a run must be over. Clones are the same one.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
    /// The deadline of the run that this one's is within.
    outer: Option<Deadline>,
}

#[derive(Debug)]
struct State {
    began: Instant,
    /// The same moment, as other clocks have it: no call has to look at one.
    began_at: SystemTime,
    allowed: Duration,
    /// How long it stood still in all, except for the pause that is under way.
    stood_still: Duration,
    /// Since when it stands still, and how many want that.
    paused: Option<(Instant, usize)>,
}

impl State {
    fn used(&self, now: Instant) -> Duration {
        let until = self.paused.map_or(now, |(since, _)| since);
        until
            .saturating_duration_since(self.began)
            .saturating_sub(self.stood_still)
    }

    /// When it is over; none while it stands still.
    fn end(&self) -> Option<Instant> {
        match self.paused {
            Some(_) => None,
            None => Some(self.began + self.allowed.saturating_add(self.stood_still).min(NEVER)),
        }
    }
}

impl Deadline {
    /// So long from now.
    pub fn after(allowed: Duration) -> Self {
        Self::new(allowed, None)
    }

    /// The same for a run within another one, whose deadline stands still where this one does.
    #[doc(hidden)]
    pub fn within(outer: &Self, allowed: Duration) -> Self {
        Self::new(allowed, Some(outer.clone()))
    }

    fn new(allowed: Duration, outer: Option<Self>) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::new(State {
                began: Instant::now(),
                began_at: SystemTime::now(),
                allowed,
                stood_still: Duration::ZERO,
                paused: None,
            }),
            changed: Notify::new(),
            outer,
        }))
    }

    /// In some thirty years.
    pub fn never() -> Self {
        Self::after(NEVER)
    }

    /// Starts over, with all of its time.
    pub fn restart(&self) {
        let mut state = self.state();
        let now = Instant::now();
        state.began = now;
        state.began_at = SystemTime::now();
        state.stood_still = Duration::ZERO;
        if let Some((since, _)) = &mut state.paused {
            *since = now;
        }
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Stands still until the value is dropped: the time that somebody else takes is not the run's.
    pub fn pause(&self) -> Pause {
        let outer = self.0.outer.as_ref().map(|outer| Box::new(outer.pause()));
        let mut state = self.state();
        match &mut state.paused {
            Some((_, holders)) => *holders += 1,
            None => state.paused = Some((Instant::now(), 1)),
        }
        drop(state);
        self.0.changed.notify_waiters();
        Pause {
            deadline: self.clone(),
            _outer: outer,
        }
    }

    /// Moves it: the run may take that much longer.
    pub fn extend(&self, by: Duration) {
        let mut state = self.state();
        state.allowed = state.allowed.saturating_add(by);
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Moves it the other way: so much of the time was used elsewhere.
    pub fn shorten(&self, by: Duration) {
        let mut state = self.state();
        state.allowed = state.allowed.saturating_sub(by);
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// How much of the time is used.
    pub fn used(&self) -> Duration {
        self.state().used(Instant::now())
    }

    /// Whether it stands still now.
    pub fn stands_still(&self) -> bool {
        self.state().paused.is_some()
    }

    /// When it passes, if it does not stand still any more.
    pub fn time(&self) -> SystemTime {
        let outer = self.0.outer.as_ref().map(Self::time);
        let state = self.state();
        let since = state
            .paused
            .map_or(Duration::ZERO, |(since, _)| since.elapsed());
        let until = state
            .allowed
            .saturating_add(state.stood_still)
            .saturating_add(since);
        let own = state.began_at + until.min(NEVER);
        outer.map_or(own, |outer| outer.min(own))
    }

    /// Waits until it has passed.
    pub async fn passed(&self) {
        loop {
            let changed = self.0.changed.notified();
            let end = self.state().end();
            match end {
                Some(end) if end <= Instant::now() => return,
                Some(end) => tokio::select! {
                    () = sleep_until(end) => {}
                    () = changed => {}
                },
                None => changed.await,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock()
    }
}

/// A deadline stands still as long as there is one of these.
#[derive(Debug)]
#[must_use = "the deadline resumes when this is dropped"]
pub struct Pause {
    deadline: Deadline,
    /// The same of the deadline that this one is within.
    _outer: Option<Box<Pause>>,
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut state = self.deadline.state();
        if let Some((since, holders)) = &mut state.paused {
            *holders -= 1;
            if *holders == 0 {
                let stood_still = since.elapsed();
                state.stood_still += stood_still;
                state.paused = None;
            }
        }
        drop(state);
        self.deadline.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    async fn passes_within(deadline: &Deadline, time: Duration) -> bool {
        timeout(time, deadline.passed()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn it_stands_still_as_long_as_anybody_wants_that() {
        let deadline = Deadline::after(10 * SECOND);
        advance(4 * SECOND).await;
        let (one, other) = (deadline.pause(), deadline.pause());
        assert!(!passes_within(&deadline, 100 * SECOND).await);
        drop(one);
        assert!(!passes_within(&deadline, 100 * SECOND).await);
        drop(other);
        assert_eq!(deadline.used(), 4 * SECOND);
        assert!(!passes_within(&deadline, 5 * SECOND).await);
        assert!(passes_within(&deadline, 2 * SECOND).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_one_that_it_is_within_stands_still_with_it() {
        let outer = Deadline::after(10 * SECOND);
        let inner = Deadline::within(&outer, 60 * SECOND);
        assert!(inner.time() <= outer.time());
        let paused = inner.pause();
        assert!(!passes_within(&outer, 100 * SECOND).await);
        drop(paused);
        assert!(!outer.stands_still() && !inner.stands_still());
        let _paused = outer.pause();
        assert!(!inner.stands_still());
    }

    #[tokio::test(start_paused = true)]
    async fn it_can_be_moved_while_somebody_waits_for_it() {
        let deadline = Deadline::after(SECOND);
        let waiting = tokio::spawn({
            let deadline = deadline.clone();
            async move { deadline.passed().await }
        });
        tokio::task::yield_now().await;
        deadline.extend(10 * SECOND);
        advance(5 * SECOND).await;
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        advance(7 * SECOND).await;
        waiting.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn endless_times_can_be_said() {
        let deadline = Deadline::after(Duration::MAX);
        deadline.extend(Duration::MAX);
        assert!(deadline.time() > SystemTime::now());
        assert!(!passes_within(&deadline, SECOND).await);
    }
}
