//! The time of a changed script: it computes as fast as it does, waits for nothing, and answers take
//! as long as they did when they were recorded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_isolate::{DivergenceError, Pass, World};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::record::Record;

/// A world whose time continues where the run waits.
pub(crate) struct SimulatedTime {
    record: Arc<Record>,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How much time was not waited for, in nanoseconds.
    left_out: u64,
    /// Answers that are due, by when.
    due: BTreeMap<(u64, u64), oneshot::Sender<()>>,
    number: u64,
    /// How much entropy was given.
    entropy: usize,
}

impl SimulatedTime {
    pub(crate) fn of(record: Arc<Record>) -> Self {
        Self {
            record,
            began: Instant::now(),
            state: Mutex::default(),
        }
    }

    /// Waits so many microseconds of the run's time.
    pub(crate) async fn after(&self, micros: u64) {
        let (due, is_due) = oneshot::channel();
        {
            let state = &mut *self.state.lock();
            let at = self
                .passed(state)
                .saturating_add(micros.saturating_mul(1000));
            state.number += 1;
            state.due.insert((at, state.number), due);
        }
        // Where the world is gone, so is the run.
        let _ = is_due.await;
    }

    fn passed(&self, state: &State) -> u64 {
        let computed = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        computed.saturating_add(state.left_out)
    }
}

impl World for SimulatedTime {
    fn now(&self) -> Result<u64, DivergenceError> {
        let made = self.record.head.made.saturating_mul(1_000_000);
        let began = self.record.tape.begins().unwrap_or(made);
        Ok(began.saturating_add(self.passed(&self.state.lock())))
    }

    fn elapsed(&self, _: Instant) -> Result<u64, DivergenceError> {
        Ok(self.passed(&self.state.lock()))
    }

    /// What was recorded, as far as it goes; then what is made of that.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        let state = &mut *self.state.lock();
        let recorded = self.record.tape.entropy();
        for byte in bytes.iter_mut() {
            *byte = recorded.get(state.entropy).copied().unwrap_or_else(|| {
                let hash = blake3::hash(&state.entropy.to_le_bytes());
                hash.as_bytes()[0]
            });
            state.entropy += 1;
        }
        Ok(())
    }

    fn pass(&self, most: Option<Duration>) -> Pass {
        let state = &mut *self.state.lock();
        let now = self.passed(state);
        let most = most.map(|most| u64::try_from(most.as_nanos()).unwrap_or(u64::MAX));
        let until = most.map(|most| now.saturating_add(most));
        while let Some(next) = state.due.first_entry() {
            let &(at, _) = next.key();
            if until.is_some_and(|until| at > until) {
                break;
            }
            // No script waits for a call that was cancelled.
            if next.remove().send(()).is_ok() {
                state.left_out = state.left_out.saturating_add(at.saturating_sub(now));
                return Pass::Ends;
            }
        }
        match until {
            Some(until) => {
                state.left_out = state.left_out.saturating_add(until - now);
                Pass::Over
            }
            None => Pass::Waits,
        }
    }
}
