//! Messages of the runtime's threads to an event loop. Sending needs nothing of Python's: a message
//! goes into a list, and a byte into a socket that the loop watches. So a busy loop holds up no
//! thread, and a thousand runs that end together wake it once.
//!
//! The loop's thread does [steps](Stepper) of runs, too: when it starts a run, or answers a call. What
//! it is told there needs no byte: it looks for messages afterwards.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ampoule_foreign::{Fault, Stepper};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::fault;
use crate::layers::Passing;
use crate::tools::Call;

/// A message, with the callback that Python left for it.
pub(crate) enum Message {
    /// A run is over.
    Ended(Py<PyAny>, Result<String, Fault>),
    /// Events of a run; none if there are no more.
    Happened(Py<PyAny>, Vec<String>),
    /// A script calls a tool.
    Called(Call),
    /// A call passes layers.
    Passing(Passing),
    /// The result of a call that a layer sent on; none if the call was cancelled.
    CameTo(Py<PyAny>, Option<String>),
    /// A call was cancelled.
    GivenUp(Py<PyAny>),
}

/// Messages of the runtime's threads to an event loop.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Mailbox {
    messages: Mutex<Vec<Message>>,
    rings: UnixStream,
    rung: UnixStream,
    stepper: Stepper,
    /// Whether the end of the loop's turn is waited for.
    turns: AtomicBool,
}

impl Mailbox {
    pub(crate) fn put(&self, message: Message) {
        let was_empty = {
            let mut messages = self.messages.lock();
            messages.push(message);
            messages.len() == 1
        };
        if was_empty && !self.stepper.is_here() {
            // A socket that is full is one that the loop has not looked at yet.
            let _ = (&self.rings).write(&[1]);
        }
    }

    /// Gives runs something on the loop's thread, and does their next steps there. Python has to look
    /// for messages afterwards.
    pub(crate) fn step<T>(&self, give: impl FnOnce() -> T) -> T {
        self.stepper.step(give)
    }
}

#[pymethods]
impl Mailbox {
    #[new]
    fn new() -> PyResult<Self> {
        let (rings, rung) = UnixStream::pair()?;
        rings.set_nonblocking(true)?;
        rung.set_nonblocking(true)?;
        Ok(Self {
            messages: Mutex::default(),
            rings,
            rung,
            stepper: Stepper::default(),
            turns: AtomicBool::new(false),
        })
    }

    /// What the loop is to watch.
    fn fileno(&self) -> i32 {
        self.rung.as_raw_fd()
    }

    /// All messages, each a callback with its arguments, after the loop was woken for them.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Py<PyAny>, Bound<'py, PyAny>)>> {
        let mut rung = [0; 64];
        while (&self.rung)
            .read(&mut rung)
            .is_ok_and(|read| read == rung.len())
        {}
        self.take_here(py)
    }

    /// The same after what may have done a step of a run.
    fn take_here<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Py<PyAny>, Bound<'py, PyAny>)>> {
        let messages = std::mem::take(&mut *self.messages.lock());
        messages
            .into_iter()
            .map(|message| message.for_python(py))
            .collect()
    }

    /// Whether this is the first that is done in a turn of the loop: `next_turn` is to be called in the
    /// next one.
    fn begins_turn(&self) -> bool {
        !self.turns.swap(true, Relaxed)
    }

    /// Another turn of the loop has begun.
    fn next_turn(&self) {
        self.turns.store(false, Relaxed);
        self.stepper.next_turn();
    }
}

impl Message {
    fn for_python(self, py: Python<'_>) -> PyResult<(Py<PyAny>, Bound<'_, PyAny>)> {
        Ok(match self {
            Self::Ended(told, Ok(outcome)) => (told, outcome.into_pyobject(py)?.into_any()),
            Self::Ended(told, Err(fault)) => (told, fault::exception(py, &fault)?),
            Self::Happened(told, events) => (told, events.into_pyobject(py)?.into_any()),
            Self::Called(call) => {
                let function = call.function(py)?.unbind();
                (function, Bound::new(py, call)?.into_any())
            }
            Self::Passing(passing) => {
                let function = passing.function(py).unbind();
                (function, Bound::new(py, passing)?.into_any())
            }
            Self::CameTo(told, came_to) => (told, came_to.into_pyobject(py)?.into_any()),
            Self::GivenUp(told) => (told, py.None().into_bound(py)),
        })
    }
}
