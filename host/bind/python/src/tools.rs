//! Python's functions as tools.
//!
//! A function that is not async is called on the run's thread, if its last call was quick; else on
//! a thread of its own. An async function is called by the event loop of the run's mailbox.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;
use std::time::{Duration, Instant};

use ampoule_foreign::{Caller, ToolCall, is_stepping};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tokio::task::spawn_blocking;

use crate::fault;
use crate::mailbox::{Mailbox, Message};
use crate::pending_answer::{self, Answer, PendingAnswer, json_of};

/// A function whose call takes less is called where the run is.
const QUICK: Duration = Duration::from_micros(100);
/// One that takes more, there, was called there for the last time.
const SLOW: Duration = Duration::from_millis(1);

/// What scripts see of some tools, kept for all runs that have them.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Tools {
    tools: ampoule_foreign::Tools,
    ways: Arc<[FunctionKind]>,
}

/// How a function is called.
struct FunctionKind {
    is_async: bool,
    /// By its last call.
    is_quick: AtomicBool,
}

impl FunctionKind {
    /// Calls a function that was quick.
    fn called_quickly(&self, call: impl FnOnce() -> Answer) -> Answer {
        let began = Instant::now();
        let answer = call();
        self.is_quick.store(began.elapsed() < SLOW, Relaxed);
        answer
    }
}

/// Leaves the thread of an event loop for one of the runtime's.
async fn elsewhere() {
    poll_fn(|context| match is_stepping() {
        true => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
        false => Poll::Ready(()),
    })
    .await;
}

#[pymethods]
impl Tools {
    /// The tools of a server, described as MCP describes them, and whether each is async.
    #[new]
    fn new(py: Python<'_>, server: &str, described: &str, are_async: Vec<bool>) -> PyResult<Self> {
        let way = |is_async| FunctionKind {
            is_async,
            is_quick: AtomicBool::new(false),
        };
        match ampoule_foreign::Tools::new(server, described, NoCaller) {
            Ok(tools) => Ok(Self {
                tools,
                ways: are_async.into_iter().map(way).collect(),
            }),
            Err(fault) => Err(fault::raised(py, &fault)),
        }
    }

    /// Whether an event loop is needed to call some of them.
    #[getter]
    fn has_async(&self) -> bool {
        self.ways.iter().any(|way| way.is_async)
    }
}

impl Tools {
    /// What scripts see of them.
    pub(crate) fn offered(&self) -> ampoule_foreign::Tools {
        self.tools.clone()
    }
}

/// Carries out no call: each run has a caller of its own.
struct NoCaller;

impl Caller for NoCaller {
    fn call(&self, _: ToolCall) -> BoxFuture<'static, Answer> {
        ready(Err("no run".to_owned())).boxed()
    }
}

/// The tools of one run. Each comes with its functions: a callable that takes the context and the
/// arguments and gives JSON as bytes, or, of one that is async, a callable that takes the [`Call`].
pub(crate) fn of_run(
    py: Python<'_>,
    tools: Vec<(Py<Tools>, Py<PyTuple>)>,
    context: &Py<PyAny>,
    mailbox: Option<&Arc<Py<Mailbox>>>,
) -> Vec<ampoule_foreign::Tools> {
    let of_run = |(tools, functions): (Py<Tools>, Py<PyTuple>)| {
        let Tools { tools, ways } = tools.get();
        tools.carried_out_by(RunCaller {
            ways: Arc::clone(ways),
            shared: Arc::new(Shared {
                functions,
                context: context.clone_ref(py),
                mailbox: mailbox.cloned(),
            }),
        })
    };
    tools.into_iter().map(of_run).collect()
}

/// Carries out one run's calls.
struct RunCaller {
    ways: Arc<[FunctionKind]>,
    shared: Arc<Shared>,
}

struct Shared {
    functions: Py<PyTuple>,
    context: Py<PyAny>,
    mailbox: Option<Arc<Py<Mailbox>>>,
}

impl Caller for RunCaller {
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Answer> {
        let (place, shared) = (call.place, Arc::clone(&self.shared));
        let Some(way) = self.ways.get(place) else {
            return ready(Err("unknown function".to_owned())).boxed();
        };
        if way.is_async {
            return begun(&shared, call);
        }
        if way.is_quick.load(Relaxed) && is_stepping() {
            // In the thread of an event loop, the function would find that loop.
            let ways = Arc::clone(&self.ways);
            return async move {
                elsewhere().await;
                ways[place].called_quickly(|| shared.called(call))
            }
            .boxed();
        }
        if way.is_quick.load(Relaxed) {
            return ready(way.called_quickly(|| shared.called(call))).boxed();
        }
        let ways = Arc::clone(&self.ways);
        async move {
            let called = spawn_blocking(move || {
                let began = Instant::now();
                let answer = shared.called(call);
                let is_quick = began.elapsed() < QUICK;
                ways[place].is_quick.store(is_quick, Relaxed);
                answer
            });
            let lost = |error: tokio::task::JoinError| Err(error.to_string());
            called.await.unwrap_or_else(lost)
        }
        .boxed()
    }

    fn only_awaits_answers(&self) -> bool {
        true
    }
}

impl Shared {
    /// Calls a function that is not async.
    fn called(&self, call: ToolCall) -> Answer {
        pending_answer::called(|py| {
            let function = self.functions.bind(py).get_item(call.place)?;
            function.call1((&self.context, call.arguments))
        })
    }
}

/// Has the event loop call an async function.
fn begun(shared: &Arc<Shared>, call: ToolCall) -> BoxFuture<'static, Answer> {
    pending_answer::asked(shared.mailbox.as_ref(), |awaited| {
        Message::Called(Call {
            call,
            shared: Arc::clone(shared),
            awaited,
        })
    })
}

/// A call of an async function, for the event loop. A dropped call is never answered.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Call {
    call: ToolCall,
    shared: Arc<Shared>,
    awaited: PendingAnswer,
}

#[pymethods]
impl Call {
    #[getter]
    fn id(&self) -> String {
        self.call.id()
    }

    #[getter]
    fn arguments(&self) -> &str {
        &self.call.arguments
    }

    #[getter]
    fn context(&self, py: Python<'_>) -> Py<PyAny> {
        self.shared.context.clone_ref(py)
    }

    /// Answers with JSON, and does the run's next step.
    fn answer(&self, py: Python<'_>, json: &Bound<'_, PyBytes>) -> PyResult<()> {
        self.end(py, Ok(json_of(json)?));
        Ok(())
    }

    /// Answers with the message that the script gets.
    fn fail(&self, py: Python<'_>, message: String) {
        self.end(py, Err(message));
    }

    /// Where it was asked for.
    #[getter]
    fn mailbox(&self, py: Python<'_>) -> Option<Py<Mailbox>> {
        let mailbox = self.shared.mailbox.as_ref();
        mailbox.map(|mailbox| mailbox.clone_ref(py))
    }

    /// Calls `told`, with `None`, when the call is cancelled.
    fn when_given_up(&self, py: Python<'_>, told: Py<PyAny>) -> PyResult<()> {
        self.awaited.when_given_up(py, told)
    }
}

impl Call {
    fn end(&self, py: Python<'_>, answer: Answer) {
        let end = || self.awaited.end(answer);
        py.detach(|| match &self.shared.mailbox {
            Some(mailbox) => mailbox.get().step(end),
            None => end(),
        });
    }

    /// What is called with it.
    pub(crate) fn function<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shared.functions.bind(py).get_item(self.call.place)
    }
}
