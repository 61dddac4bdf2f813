//! A run is carried out: its stages open, its code runs, its stages close.

use std::future::pending;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;

use ampoule_isolate::{EventLog, Outcome};
use ampoule_tools::Error;
use futures::FutureExt;
use futures::future::BoxFuture;
use tracing::{Instrument, Span};

use super::draft::Draft;
use super::handle::{Cancel, Run, Running};
use super::isolate::Isolate;
use super::stages::{self, Open, never_begun};

impl Isolate {
    /// Starts the code, and returns a handle to the run: to listen to it, to cancel it, to wait for
    /// its outcome. Needs Tokio, with its timers.
    ///
    /// # Errors
    ///
    /// A request error if the grant or a binding can't be used, or there is no Tokio. What can't be
    /// known before the run's guest is ready is an error of [`Run::outcome`].
    pub async fn start(self) -> Result<Run, Error> {
        let tokio = tokio()?;
        self.started(|run| Running::Task(tokio.spawn(run)))
    }

    /// The same, of a run that is carried out by whoever awaits [`Run::outcome`], and does nothing
    /// before that. All that polls it must be within Tokio.
    ///
    /// # Errors
    ///
    /// As for [`start`](Self::start).
    #[doc(hidden)]
    pub fn start_awaited(self) -> Result<Run, Error> {
        tokio()?;
        self.started(Running::by_waiter)
    }

    fn started(
        self,
        by: impl FnOnce(BoxFuture<'static, Result<Outcome, Error>>) -> Running,
    ) -> Result<Run, Error> {
        let (log, cancel) = (Arc::<EventLog>::default(), Cancel::new());
        let (mut draft, stages) = prepared(self)?;
        draft.setup.observers.log(Arc::clone(&log));
        let (id, deadline) = (draft.setup.id, draft.setup.deadline.clone());
        let gauge = draft.setup.gauge.clone();
        let cancelled = {
            let cancel = cancel.clone();
            async move { cancel.cancelled().await }
        };
        let span = span(&draft);
        let running = by(Box::pin(
            carry_out(draft, stages, cancelled).instrument(span),
        ));
        Ok(Run::new(id, log, deadline, gauge, cancel, running))
    }

    /// Runs the code to its end: the short form of [`start`](Self::start). Needs Tokio, with its
    /// timers; dropping the future ends the run and its calls at once.
    ///
    /// # Errors
    ///
    /// Host faults, see [`Error`]; and a request error for a component that imports what it is not
    /// granted, or what does not exist. Whatever the code does is an [`Outcome`].
    pub async fn run(self) -> Result<Outcome, Error> {
        tokio()?;
        let (draft, stages) = prepared(self)?;
        let span = span(&draft);
        // In a box: it is large, and would be moved several times on its way. Of no type that is
        // seen: who holds it need not find out again what all is in it.
        let running: BoxFuture<'_, _> = Box::pin(carry_out(draft, stages, pending()));
        running.instrument(span).await
    }

    /// Makes the isolate, instance and all, and drops it without running the code: the floor under
    /// the cost of any run, for measurements.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub async fn instantiate(self) -> Result<(), Error> {
        tokio()?;
        let runtime = self.runtime.clone();
        let (draft, _) = prepared(self)?;
        draft.ready(&runtime).await?.instantiate().await
    }
}

/// A run as it is before it runs, and its stages, which are not open.
fn prepared(mut isolate: Isolate) -> Result<(Draft, stages::Preparation), Error> {
    let (stages, catalog) = stages::Preparation::of(&mut isolate)?;
    Ok((Draft::of(isolate, catalog)?, stages))
}

/// Carries a run out. Dropping the future ends the run and its calls.
async fn carry_out(
    mut draft: Draft,
    stages: stages::Preparation,
    cancelled: impl Future<Output = ()>,
) -> Result<Outcome, Error> {
    let (runtime, mut cancelled) = (draft.runtime.clone(), pin!(cancelled.fuse()));
    let mut open = Open::default();
    let opened = stages.open(&mut open, &mut draft, &mut cancelled).await?;
    if let ControlFlow::Break(outcome) = opened {
        return open.give_up(outcome).await;
    }
    let advice = draft.import_advice();
    let ready = tokio::select! {
        biased;
        ready = draft.ready(&runtime) => ready?,
        () = &mut cancelled => return open.give_up(never_begun()).await,
    };
    open.begin();
    let mut ended = ready.run(cancelled.as_mut()).await;
    if let Ok(outcome) = &mut ended {
        advice.add_to(outcome);
    }
    open.close(ended, &mut cancelled).await
}

/// What the log's events in the run are within: of the level `ERROR`, so that it is there wherever
/// any event is. Where nobody listens it costs nothing.
fn span(draft: &Draft) -> Span {
    let (run, principal) = (draft.setup.id, draft.setup.principal.as_ref());
    tracing::error_span!("run", %run, principal = principal.map(tracing::field::display))
}

/// Tokio, whose task this is.
fn tokio() -> Result<tokio::runtime::Handle, Error> {
    tokio::runtime::Handle::try_current()
        .map_err(|_| Error::request("runs need Tokio: make a runtime with `ampoule::executor()`, and run them inside its `block_on`"))
}
