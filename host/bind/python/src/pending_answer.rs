//! Requests to an event loop: their answers, and their cancellation.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio::sync::oneshot;

use crate::mailbox::{Mailbox, Message};

/// An answer: JSON, or the message of what was raised.
pub(crate) type Answer = Result<String, String>;

/// Asks the event loop of a mailbox, by a message that holds what it answers with, and waits for the
/// answer. Dropping the future before there is one gives it up.
pub(crate) fn asked(
    mailbox: Option<&Arc<Py<Mailbox>>>,
    message: impl FnOnce(PendingAnswer) -> Message,
) -> BoxFuture<'static, Answer> {
    let (answer, answered) = oneshot::channel();
    let state = Arc::new(State {
        answer: Mutex::new(Some(answer)),
        given_up: Mutex::new(Abandonment::No(None)),
    });
    let waited_for = Waiter {
        state: Arc::clone(&state),
        mailbox: mailbox.cloned(),
    };
    let message = message(PendingAnswer(state));
    if let Some(mailbox) = mailbox {
        mailbox.get().put(message);
    }
    async move {
        let nobody = |_| Err("no event loop can call it".to_owned());
        let answer = answered.await.unwrap_or_else(nobody);
        drop(waited_for);
        answer
    }
    .boxed()
}

struct State {
    answer: Mutex<Option<oneshot::Sender<Answer>>>,
    given_up: Mutex<Abandonment>,
}

/// Whether it was cancelled; and the callback for that.
enum Abandonment {
    No(Option<Py<PyAny>>),
    Yes,
}

/// A call waits for the answer.
struct Waiter {
    state: Arc<State>,
    mailbox: Option<Arc<Py<Mailbox>>>,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let before = std::mem::replace(&mut *self.state.given_up.lock(), Abandonment::Yes);
        let is_answered = self.state.answer.lock().is_none();
        if let (Abandonment::No(Some(told)), false, Some(mailbox)) =
            (before, is_answered, &self.mailbox)
        {
            mailbox.get().put(Message::GivenUp(told));
        }
    }
}

/// An answer that a call waits for. Dropping it fails the call.
pub(crate) struct PendingAnswer(Arc<State>);

impl PendingAnswer {
    /// Answers. Only the first answer counts.
    pub(crate) fn end(&self, answer: Answer) {
        if let Some(waiting) = self.0.answer.lock().take() {
            let _ = waiting.send(answer);
        }
    }

    /// Calls `told`, with `None`, when the call is cancelled.
    pub(crate) fn when_given_up(&self, py: Python<'_>, told: Py<PyAny>) -> PyResult<()> {
        let already = {
            let mut given_up = self.0.given_up.lock();
            match &mut *given_up {
                Abandonment::No(listener) => {
                    *listener = Some(told);
                    None
                }
                Abandonment::Yes => Some(told),
            }
        };
        if let Some(told) = already {
            told.call1(py, (py.None(),))?;
        }
        Ok(())
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        self.end(Err("the tool did not answer".to_owned()));
    }
}

/// Calls a function of Python's that gives JSON as bytes.
pub(crate) fn called(
    call: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
) -> Answer {
    let called = |py: Python<'_>| {
        let json = call(py).and_then(|json| json_of(json.cast::<PyBytes>()?));
        json.map_err(|error| message_of(py, &error))
    };
    let finished = || Err("Python is about to end".to_owned());
    Python::try_attach(called).unwrap_or_else(finished)
}

/// JSON that Python wrote.
pub(crate) fn json_of(bytes: &Bound<'_, PyBytes>) -> PyResult<String> {
    String::from_utf8(bytes.as_bytes().to_vec())
        .map_err(|_| PyValueError::new_err("JSON must be UTF-8"))
}

/// The message of an exception, for the script.
fn message_of(py: Python<'_>, error: &PyErr) -> String {
    let told = || {
        let told = py
            .import("pyampoule._tools")?
            .call_method1("_message_of", (error.value(py),))?;
        told.extract::<String>()
    };
    told().unwrap_or_else(|_| error.to_string())
}
