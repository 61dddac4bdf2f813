//! An active run.

use std::sync::Arc;

use ampoule::{Cancel, RunId};
use tokio::runtime::Handle;

use crate::Fault;
use crate::document::document;
use crate::runtime::{Shared, closed, waited};

/// An active run. Dropping it does not end it.
pub struct Run {
    id: RunId,
    cancel: Cancel,
    events: ampoule::Events,
    tokio: Handle,
}

/// Calls a function with the end of a run.
pub(crate) fn under_way(
    shared: &Arc<Shared>,
    run: ampoule::Run,
    language: &'static str,
    ended: impl FnOnce(Result<String, Fault>) + Send + 'static,
) -> Run {
    let handle = Run {
        id: run.id(),
        cancel: run.canceller(),
        events: run.events(),
        tokio: shared.tokio.clone(),
    };
    // There is a runtime as long as it has runs.
    let kept = Arc::clone(shared);
    let waiting = async move {
        let outcome = tokio::select! {
            biased;
            outcome = run.outcome() => outcome.map_err(Fault::from),
            () = kept.closing.cancelled() => Err(closed()),
        };
        ended(outcome.and_then(|outcome| document(&outcome, language)));
    };
    shared.runs.spawn_on(waiting, &shared.tokio);
    handle
}

impl Run {
    /// The run's id, unique among all runs.
    pub fn id(&self) -> String {
        self.id.to_string()
    }

    /// Ends it: its outcome says that it was cancelled, with what it printed and used until then.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// A handle that cancels it.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }

    /// The events of the run, from its start. Each listener has its own pace, and the run waits for
    /// none: a listener more than a thousand events behind misses the oldest.
    pub fn events(&self) -> Events {
        Events {
            events: self.events.clone(),
            tokio: self.tokio.clone(),
        }
    }
}

/// The events of a run, one after the other.
pub struct Events {
    events: ampoule::Events,
    tokio: Handle,
}

impl Events {
    /// The next event, as JSON; none once the run is over and all have been seen.
    pub async fn next(&mut self) -> Option<String> {
        let event = self.events.next().await?;
        // Texts and numbers alone can always be written.
        Some(serde_json::to_string(&*event).unwrap_or_default())
    }

    /// The same for a thread that waits for it.
    pub fn next_here(&mut self) -> Option<String> {
        let tokio = self.tokio.clone();
        waited(|| tokio.block_on(self.next()))
    }

    /// How many events have been missed so far.
    pub fn missed(&self) -> u64 {
        self.events.missed()
    }
}
