//! Messages of the runtime's threads to an event loop. Sending needs nothing of Python's: a message
//! goes into a list, and a byte into a socket that the loop watches. So a busy loop holds up no
//! thread, and a thousand runs that end together wake it once.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use ampoule_foreign::Fault;
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
}

impl Mailbox {
    pub(crate) fn put(&self, message: Message) {
        let was_empty = {
            let mut messages = self.messages.lock();
            messages.push(message);
            messages.len() == 1
        };
        if was_empty {
            // A socket that is full is one that the loop has not looked at yet.
            let _ = (&self.rings).write(&[1]);
        }
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
        })
    }

    /// What the loop is to watch.
    fn fileno(&self) -> i32 {
        self.rung.as_raw_fd()
    }

    /// All messages, each a callback with its arguments.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Py<PyAny>, Bound<'py, PyAny>)>> {
        let mut rung = [0; 64];
        while (&self.rung)
            .read(&mut rung)
            .is_ok_and(|read| read == rung.len())
        {}
        let messages = std::mem::take(&mut *self.messages.lock());
        messages
            .into_iter()
            .map(|message| message.for_python(py))
            .collect()
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
