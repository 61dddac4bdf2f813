//! What all stages have in common: how they say what happens, and runs that end before they begin.

use ampoule_isolate::{Ending, Outcome, Output, Usage};
use futures::future::FusedFuture;

/// By which name the log has what happens to stages.
pub(super) const STEPS: &str = "ampoule::stages";

/// What ends when the run is cancelled.
pub(in super::super) trait Cancellation: FusedFuture<Output = ()> + Unpin {}

impl<T: FusedFuture<Output = ()> + Unpin> Cancellation for T {}

/// What happens to which stage, for the log. A test of the orders goes by it.
pub(in super::super) fn step(what: &'static str, stage: &'static str) {
    tracing::trace!(target: STEPS, what, stage);
}

/// The outcome of a run that was cancelled while it waited for its turn, or for somebody to say
/// whether it may be shown.
pub(in super::super) fn never_begun() -> Outcome {
    Outcome::new(Ending::Cancelled, Output::default(), Usage::default())
}
