//! What a server says of a run's one call beside its result.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::watch;

/// What is known of a run's call beside its result. Clones are the same run's.
#[derive(Debug, Clone)]
pub(crate) struct CallNotes {
    is_task: Arc<watch::Sender<bool>>,
    refusal: Arc<Mutex<Option<CallRefusal>>>,
}

/// An error of the protocol that the server answered with. What it says is in the run's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallRefusal {
    pub(crate) code: i64,
    /// The capabilities that the server misses, by their names in the protocol.
    pub(crate) required: Map<String, Value>,
}

impl Default for CallNotes {
    fn default() -> Self {
        Self {
            is_task: Arc::new(watch::Sender::new(false)),
            refusal: Arc::default(),
        }
    }
}

impl CallNotes {
    /// The server made a task of the call.
    pub(crate) fn note_task(&self) {
        self.is_task.send_replace(true);
    }

    /// The server refused the call.
    pub(crate) fn note_refusal(&self, refusal: CallRefusal) {
        *self.refusal.lock() = Some(refusal);
    }

    /// Waits until the server has made a task of the call.
    pub(crate) async fn task(&self) {
        // The message that reports it is here.
        let _ = self.is_task.subscribe().wait_for(|is_task| *is_task).await;
    }

    /// How the server refused the call, if it did.
    pub(crate) fn refusal(&self) -> Option<CallRefusal> {
        self.refusal.lock().clone()
    }
}
