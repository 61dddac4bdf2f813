//! What leaves a run while it is under way: its output, and what its listeners are told.

use std::sync::Arc;

use ampoule_limits::{LimitHit, Limits};
use parking_lot::{Mutex, MutexGuard};

use super::event::{Event, Observers};
use super::held::HeldBytes;
use super::output::{Level, Line, Output, OutputBuffer};

/// What leaves a run while it is under way. Streams that the guest has opened share it with the
/// Store.
pub(crate) struct Feed {
    limits: Limits,
    held: Arc<HeldBytes>,
    state: Mutex<State>,
}

struct State {
    output: OutputBuffer,
    observers: Observers,
}

impl Feed {
    pub(crate) fn new(limits: Limits, held: Arc<HeldBytes>, observers: Observers) -> Self {
        Self {
            limits,
            held,
            state: Mutex::new(State {
                output: OutputBuffer::default(),
                observers,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// How much may be printed, in bytes.
    pub(crate) fn allowed(&self) -> u64 {
        self.limits.output_bytes
    }

    pub(crate) fn write(&self, level: Level, text: &str) -> Result<(), LimitHit> {
        self.held.add((text.len() + size_of::<Line>()) as u64)?;
        let State { output, observers } = &mut *self.state();
        let written = output.write(level, text, &self.limits);
        if let Some(line) = output.last() {
            observers.tell(|| Event::Output(line.clone()));
        }
        written
    }

    /// Counts what is also output, but kept elsewhere: the value that the run returned.
    pub(crate) fn count(&self, bytes: u64) -> Result<(), LimitHit> {
        self.state().output.count(bytes, &self.limits)
    }

    /// Counts what is reported whether or not there is room for it: the error that the run threw.
    pub(crate) fn add(&self, bytes: u64) {
        self.state().output.add(bytes);
    }

    /// Tells whoever listens. The event is made only if anybody does.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        self.state().observers.tell(event);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.state().output.bytes()
    }

    pub(crate) fn take_output(&self) -> Output {
        self.state().output.take()
    }
}
