//! An active run.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ampoule::{Cancel, RunId, Suspender, Usage};
use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::Fault;
use crate::document::document;
use crate::fault::panicked;
use crate::runtime::{Shared, closed, waited};
use crate::steps;
use crate::waiting::{self, WaitingCalls};

/// An active run. Dropping it does not end it.
pub struct Run {
    id: RunId,
    cancel: Cancel,
    events: ampoule::Events,
    tokio: Handle,
}

/// What a run needs to be parked and to end here.
pub(crate) struct Parking {
    pub(crate) runtime: ampoule::Runtime,
    pub(crate) suspender: Suspender,
    /// Its calls that wait for an answer from outside.
    pub(crate) waiting: WaitingCalls,
    /// How many calls may be under way at a time.
    pub(crate) at_once: u64,
}

impl Parking {
    /// Waits for the end of a run: its outcome, or that it is parked and ended here.
    async fn end(self, run: ampoule::Run, language: &'static str) -> Result<String, Fault> {
        let (id, gauge, deadline) = (run.id(), run.gauge(), run.deadline());
        let ended = tokio::select! {
            biased;
            ended = run.outcome() => ended,
            never = self.waiting.suspend(&self.suspender, self.at_once) => match never {},
        };
        let Some(calls) = self.waiting.left().filter(|_| ended.is_err()) else {
            return document(&ended?, language);
        };
        let mut usage = Usage::default();
        (usage.fuel, usage.peak_memory_bytes) = (gauge.fuel(), gauge.peak_memory_bytes());
        usage.wall_time = deadline.used();
        let runtime = self.runtime;
        let found = spawn_blocking(move || runtime.find_parked(&id.to_string(), None));
        let found = found.await.map_err(|_| closed())??;
        let missing = || Fault::host(format!("the parked run `{id}` is not where it was kept"));
        waiting::document(&found.ok_or_else(missing)??, calls, usage)
    }
}

/// Calls a function with the end of a run.
pub(crate) fn under_way(
    shared: &Arc<Shared>,
    run: ampoule::Run,
    parking: Parking,
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
        let _counted = kept.runs.token();
        let end = AssertUnwindSafe(parking.end(run, language)).catch_unwind();
        let outcome = tokio::select! {
            biased;
            outcome = end => outcome.unwrap_or_else(|panic| Err(panicked(&*panic))),
            () = kept.closing.cancelled() => Err(closed()),
        };
        ended(outcome);
    };
    steps::start(waiting.boxed(), &shared.tokio);
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
