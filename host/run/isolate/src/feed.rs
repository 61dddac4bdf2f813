//! What leaves a run while it is under way: its output, and what its listeners get.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_limits::{LimitError, Limits};
use parking_lot::{Mutex, MutexGuard};
use serde_json::value::RawValue;

use super::event::{Event, Observers};
use super::host_memory::HeldBytes;
use super::output::{EmitError, Level, Line, Output, OutputBuffer, OutputSnapshot};

/// How long a run's words on its progress are, at most, in bytes.
pub(crate) const PROGRESS_BYTES: usize = 1 << 10;
/// How often they get it. A loop that reports each step would push all else out of the log.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

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
    progress: Option<ProgressNote>,
}

/// When progress was reported last, and whether that was all there is.
struct ProgressNote {
    at: Instant,
    done: bool,
}

impl Feed {
    pub(crate) fn new(limits: Limits, held: Arc<HeldBytes>, observers: Observers) -> Self {
        Self {
            limits,
            held,
            state: Mutex::new(State {
                output: OutputBuffer::default(),
                observers,
                progress: None,
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

    pub(crate) fn write(&self, level: Level, text: &str) -> Result<(), LimitError> {
        self.held.add((text.len() + size_of::<Line>()) as u64)?;
        let State {
            output, observers, ..
        } = &mut *self.state();
        let written = output.write(level, text, &self.limits);
        if let Some(line) = output.last() {
            observers.tell(|| Event::Output(line.clone()));
        }
        written
    }

    /// Counts what is also output, but kept elsewhere: the value that the run returned.
    pub(crate) fn count(&self, bytes: u64) -> Result<(), LimitError> {
        self.state().output.count(bytes, &self.limits)
    }

    /// Counts what is reported whether or not there is room for it: the error that the run threw.
    pub(crate) fn add(&self, bytes: u64) {
        self.state().output.add(bytes);
    }

    /// Tells the listeners. The event is made only if there are any.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        self.state().observers.tell(event);
    }

    /// Tells how far the run is, unless that was reported a moment ago. That all is done is always
    /// reported, once.
    pub(crate) fn progress(&self, fraction: Option<f64>, text: &str) {
        let (now, state) = (Instant::now(), &mut *self.state());
        let fraction = fraction
            .filter(|fraction| !fraction.is_nan())
            .map(|fraction| fraction.clamp(0.0, 1.0));
        let done = fraction == Some(1.0);
        let is_due = state.progress.as_ref().is_none_or(|told| {
            now.duration_since(told.at) >= PROGRESS_INTERVAL || done && !told.done
        });
        if is_due {
            state.progress = Some(ProgressNote { at: now, done });
            state.observers.tell(|| Event::progress(fraction, text));
        }
    }

    /// Whether so many bytes more may be output.
    pub(crate) fn admit(&self, bytes: u64) -> Result<(), LimitError> {
        self.state().output.room(bytes, &self.limits).map(drop)
    }

    /// Adds a value for the person: a JSON document.
    pub(crate) fn emit(&self, value: String) -> Result<(), EmitError> {
        (self.held.add(value.len() as u64)).map_err(EmitError::Limit)?;
        self.state().output.emit(value, &self.limits)
    }

    /// What was printed so far, and how much that counts.
    pub(crate) fn kept(&self) -> OutputSnapshot {
        self.state().output.kept()
    }

    /// What was printed so far, elsewhere.
    pub(crate) fn restore(&self, kept: OutputSnapshot) -> Result<(), LimitError> {
        let lines = kept.lines.iter();
        let lines = lines.map(|line| line.text.len() + size_of::<Line>());
        let emitted = kept.emitted.iter().map(|value| value.get().len());
        self.held.add(lines.chain(emitted).sum::<usize>() as u64)?;
        self.state().output.restore(kept);
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.state().output.bytes()
    }

    pub(crate) fn take_output(&self) -> (Output, Vec<Box<RawValue>>) {
        self.state().output.take()
    }
}
