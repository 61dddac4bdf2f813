//! A run is carried out: its stages open, its code runs, its stages close.

use std::ops::ControlFlow;
use std::pin::pin;

use ampoule_isolate::Outcome;
use ampoule_tools::Error;
use futures::FutureExt;

use super::draft::Draft;
use super::stages::{self, Open, never_begun};

/// Carries a run out. Dropping the future ends the run and its calls.
pub(super) async fn carry_out(
    mut draft: Draft,
    stages: stages::Prepared,
    cancelled: impl Future<Output = ()>,
) -> Result<Outcome, Error> {
    let (runtime, mut cancelled) = (draft.runtime.clone(), pin!(cancelled.fuse()));
    let mut open = Open::default();
    let opened = stages.open(&mut open, &mut draft, &mut cancelled).await?;
    if let ControlFlow::Break(outcome) = opened {
        return open.give_up(outcome).await;
    }
    let ready = tokio::select! {
        biased;
        ready = draft.ready(&runtime) => ready?,
        () = &mut cancelled => return open.give_up(never_begun()).await,
    };
    open.begin();
    let ended = ready.run(cancelled.as_mut()).await;
    open.close(ended, &mut cancelled).await
}
