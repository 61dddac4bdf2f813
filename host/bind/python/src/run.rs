//! An active run, and its events.

use std::sync::Arc;

use futures::FutureExt;
use pyo3::prelude::*;
use tokio::runtime::Handle;

use crate::mailbox::{Mailbox, Message};

/// How many events a message has at most.
const TOGETHER: usize = 256;

/// An active run.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Run {
    pub(crate) run: ampoule_foreign::Run,
    pub(crate) tokio: Handle,
}

#[pymethods]
impl Run {
    #[getter]
    fn id(&self) -> String {
        self.run.id()
    }

    fn cancel(&self) {
        self.run.cancel();
    }

    fn events(&self) -> Events {
        Events {
            events: Arc::new(tokio::sync::Mutex::new(self.run.events())),
            tokio: self.tokio.clone(),
        }
    }
}

/// The events of a run.
#[pyclass(frozen, module = "pyampoule._ampoule")]
pub(crate) struct Events {
    events: Arc<tokio::sync::Mutex<ampoule_foreign::Events>>,
    tokio: Handle,
}

#[pymethods]
impl Events {
    /// Sends the next events to a mailbox; none at the end.
    fn next_then(&self, mailbox: Py<Mailbox>, told: Py<PyAny>) {
        let events = Arc::clone(&self.events);
        self.tokio.spawn(async move {
            let next = next(&mut *events.lock().await).await;
            mailbox.get().put(Message::Happened(told, next));
        });
    }
}

/// The next event, and those that are there already.
async fn next(events: &mut ampoule_foreign::Events) -> Vec<String> {
    let mut next: Vec<String> = events.next().await.into_iter().collect();
    while !next.is_empty() && next.len() < TOGETHER {
        match events.next().now_or_never() {
            Some(Some(event)) => next.push(event),
            _ => break,
        }
    }
    next
}
