//! Python's functions as layers: what calls pass on their way to their tools.
//!
//! Each layer here is a row of functions, all of which are async or none. What is async is called by
//! the event loop that the run's mailbox belongs to, what is not by a thread, which waits while a
//! call is further in.

use std::sync::Arc;

use ampoule_foreign::{Continuation, Fault, Interceptor, Layer, PassingCall};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{JoinError, spawn_blocking};

use crate::fault;
use crate::mailbox::{Mailbox, Message};
use crate::pending_answer::{self, Answer, PendingAnswer, json_of};

/// How many threads wait in layers at once: fewer than there are, so that some are left for tools.
const THREADS: u32 = 256;

/// A call gets its threads all at once: none waits for one that another call has.
static FREE: Semaphore = Semaphore::const_new(THREADS as usize);

/// Layers of a run, the outermost first: whether they are async, and what is called with the
/// [`Passing`] call; if they are not async, it gives JSON as bytes.
pub(crate) fn of_run(
    py: Python<'_>,
    layers: Vec<(bool, Py<PyAny>)>,
    context: &Py<PyAny>,
    mailbox: Option<&Arc<Py<Mailbox>>>,
) -> Vec<Layer> {
    let sync = layers.iter().filter(|(is_async, _)| !is_async).count();
    let mut threads = u32::try_from(sync).unwrap_or(THREADS).min(THREADS);
    let of_run = |(is_async, function)| {
        let shared = Shared {
            function,
            context: context.clone_ref(py),
            mailbox: mailbox.cloned(),
        };
        let threads = match is_async {
            true => 0,
            false => std::mem::take(&mut threads),
        };
        Layer::new(RunLayer {
            is_async,
            threads,
            shared: Arc::new(shared),
        })
    };
    layers.into_iter().map(of_run).collect()
}

struct RunLayer {
    is_async: bool,
    /// How many threads a call gets here, for itself and what is further in.
    threads: u32,
    shared: Arc<Shared>,
}

struct Shared {
    function: Py<PyAny>,
    context: Py<PyAny>,
    mailbox: Option<Arc<Py<Mailbox>>>,
}

impl Interceptor for RunLayer {
    fn pass(&self, call: PassingCall) -> BoxFuture<'static, Answer> {
        let (shared, threads) = (Arc::clone(&self.shared), self.threads);
        let passing = |awaited| Passing {
            arguments: call.arguments,
            call: call.call,
            onward: Mutex::new(Some(call.onward)),
            awaited,
            shared: Arc::clone(&shared),
        };
        if self.is_async {
            let message = |awaited| Message::Passing(passing(Some(awaited)));
            return pending_answer::asked(self.shared.mailbox.as_ref(), message);
        }
        let passing = passing(None);
        async move {
            // It is never closed.
            let _threads = FREE.acquire_many(threads).await;
            let through = spawn_blocking(move || {
                pending_answer::called(|py| shared.function.bind(py).call1((passing,)))
            });
            let lost = |error: JoinError| Err(error.to_string());
            through.await.unwrap_or_else(lost)
        }
        .boxed()
    }
}

/// A call on its way.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Passing {
    call: ampoule_foreign::Call,
    arguments: String,
    onward: Mutex<Option<Continuation>>,
    /// The event loop's answer.
    awaited: Option<PendingAnswer>,
    shared: Arc<Shared>,
}

#[pymethods]
impl Passing {
    /// The server, the tool, the run, the call's number in it, and on whose behalf it happens.
    #[getter]
    fn call(&self) -> (&str, &str, String, u32, Option<&str>) {
        let call = &self.call;
        let principal = call.principal.as_ref().map(|it| &**it.name());
        (
            &call.server,
            &call.tool,
            call.run.to_string(),
            call.number,
            principal,
        )
    }

    #[getter]
    fn arguments(&self) -> &str {
        &self.arguments
    }

    #[getter]
    fn context(&self, py: Python<'_>) -> Py<PyAny> {
        self.shared.context.clone_ref(py)
    }

    /// Sends it on, with arguments as JSON, and waits for its result; `None` if the call was
    /// cancelled.
    fn send(&self, py: Python<'_>, arguments: String) -> PyResult<Option<String>> {
        let onward = self.onward(py)?;
        let (tell, told) = oneshot::channel();
        onward.send(arguments, |came_to| drop(tell.send(came_to)));
        Ok(py.detach(|| told.blocking_recv()).ok().flatten())
    }

    /// Sends it on, and reports its result.
    fn send_then(&self, py: Python<'_>, arguments: String, told: Py<PyAny>) -> PyResult<()> {
        let mailbox = self.shared.mailbox.clone();
        self.onward(py)?.send(arguments, move |came_to| {
            if let Some(mailbox) = mailbox {
                mailbox.get().put(Message::CameTo(told, came_to));
            }
        });
        Ok(())
    }

    /// Answers with JSON.
    fn answer(&self, json: &Bound<'_, PyBytes>) -> PyResult<()> {
        self.end(Ok(json_of(json)?));
        Ok(())
    }

    /// Answers with the message that the script gets.
    fn fail(&self, message: String) {
        self.end(Err(message));
    }

    /// Calls `told`, with `None`, when the call is cancelled.
    fn when_given_up(&self, py: Python<'_>, told: Py<PyAny>) -> PyResult<()> {
        match &self.awaited {
            Some(awaited) => awaited.when_given_up(py, told),
            None => Ok(()),
        }
    }
}

impl Passing {
    fn onward(&self, py: Python<'_>) -> PyResult<Continuation> {
        let onward = self.onward.lock().take();
        onward.ok_or_else(|| {
            let fault = Fault::usage(
                "a call can be sent on only once: `next` was called before".to_owned(),
            );
            fault::raised(py, &fault)
        })
    }

    fn end(&self, answer: Answer) {
        if let Some(awaited) = &self.awaited {
            awaited.end(answer);
        }
    }

    /// What is called with it.
    pub(crate) fn function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.shared.function.bind(py).clone()
    }
}
