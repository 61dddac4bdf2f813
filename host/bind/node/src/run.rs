//! An active run.

use std::sync::Arc;

use ampoule_foreign::{Events, Run};
use napi_derive::napi;
use tokio::runtime::Handle;
use tokio::sync::Mutex;

use crate::desk::Shared;

/// An active run. Dropping it does not end it.
#[napi]
pub struct NativeRun {
    pub(crate) run: Run,
    pub(crate) desk: Arc<Shared>,
    pub(crate) tokio: Handle,
}

#[napi]
impl NativeRun {
    /// The run's id, unique among all runs.
    #[napi(getter)]
    pub fn id(&self) -> String {
        self.run.id()
    }

    /// Cancels it.
    #[napi]
    pub fn cancel(&self) {
        self.run.cancel();
    }

    /// The events of the run, from its start.
    #[napi]
    pub fn events(&self) -> NativeEvents {
        NativeEvents {
            events: Arc::new(Mutex::new(self.run.events())),
            desk: Arc::clone(&self.desk),
            tokio: self.tokio.clone(),
        }
    }
}

/// The events of a run, one after the other.
#[napi]
pub struct NativeEvents {
    events: Arc<Mutex<Events>>,
    desk: Arc<Shared>,
    tokio: Handle,
}

#[napi]
impl NativeEvents {
    /// Requests the next event under a number; none if the run has no more.
    #[napi]
    pub fn next(&self, number: u32) {
        let (events, desk) = (Arc::clone(&self.events), Arc::clone(&self.desk));
        self.tokio.spawn(async move {
            let event = events.lock().await.next().await;
            desk.done(number, Ok(event));
        });
    }
}
