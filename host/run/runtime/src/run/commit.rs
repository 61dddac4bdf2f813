//! The end of a run: what it leaves in its session, its files and its record, and that it is not
//! parked any more; all of it or nothing.
//!
//! Where only one store has something to keep, that store does so at once. Where several have, each
//! promises first; then one file decides, and a process that finds a promise later goes by that
//! ([`ampoule_store::commit`]). So a process may be killed anywhere between.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_isolate::{Ending, Outcome, Output, Usage};
use ampoule_store::commit::{Commit, Decision};
use tokio::task::spawn_blocking;

use super::stages::step;
use crate::governed::{CarriedData, Oversight};

/// The end of a run, as the stores of what it leaves see it.
pub(super) struct End {
    pub(super) outcome: Outcome,
    /// What decides whether promises are kept; none where a store decides alone.
    pub(super) decision: Option<Decision>,
    /// What governs the run, if anything does.
    oversight: Option<Arc<dyn Oversight>>,
}

/// How many things a store has to keep, and where the first of them is.
#[derive(Default)]
pub(super) struct Places {
    pub(super) things: usize,
    pub(super) first: Option<PathBuf>,
}

/// A store of what a run leaves, at the end of the run. A store that has nothing to keep does nothing.
///
/// [`is_little`](Self::is_little) comes first, once, then [`places`](Self::places), and
/// [`prepare`](Self::prepare), which says in the outcome what can't be kept. After that either
/// [`keep`](Self::keep) comes last, or [`take_back`](Self::take_back) does. Where several stores
/// decide together, [`promise`](Self::promise) comes between.
pub(super) trait Durable {
    /// Its name, for the log.
    fn name(&self) -> &'static str;

    /// Whether what it has to do takes so little time that it is done in place.
    fn is_little(&mut self) -> bool;

    /// What it may have to keep.
    fn places(&self, end: &End) -> Places;

    /// Makes ready what can be known to fail.
    fn prepare(&mut self, _: &mut End) {}

    /// What is about to be done is recorded before it is.
    ///
    /// # Errors
    ///
    /// That can't be recorded, so nothing is kept.
    fn announce(&self, _: &End) -> Result<(), String> {
        Ok(())
    }

    /// Promises that it keeps what it has if that is decided. Gives the files of its promises.
    ///
    /// # Errors
    ///
    /// Why it can't, so that nothing is kept.
    fn promise(&mut self, _: &mut End, _: &Decision) -> Result<Vec<PathBuf>, String> {
        Ok(Vec::new())
    }

    /// Keeps what it has. If there is a [decision](End::decision), that has been made: what can't
    /// be done now is done by the next process.
    fn keep(&mut self, _: &mut End) {}

    /// Nothing of it becomes so, and this is why.
    fn take_back(&mut self, _: &mut End, _: &str) {}
}

/// All stores of what a run leaves.
pub(super) trait DurableParts<const STORES: usize>: Send + 'static {
    /// The stores, in the order in which they promise what they keep, and then keep it.
    fn stores(&mut self) -> [&mut dyn Durable; STORES];

    /// Where the stores decide together; none where there is one store at most, which decides alone.
    fn place(&self, end: &End) -> Option<PathBuf>;
}

impl End {
    /// Of a run that came to this.
    pub(super) fn of(outcome: Outcome, oversight: Option<Arc<dyn Oversight>>) -> Self {
        Self {
            outcome,
            decision: None,
            oversight,
        }
    }

    /// What the run has read; none if that matters to nobody.
    pub(super) fn carried(&self) -> Option<CarriedData> {
        self.oversight.as_ref()?.carried()
    }

    /// What governs the run, if anything does.
    pub(super) fn oversight(&self) -> Option<&dyn Oversight> {
        self.oversight.as_deref()
    }

    /// Whether the run came to its end by itself.
    pub(super) fn has_returned(&self) -> bool {
        matches!(self.outcome.ending, Ending::Returned(_))
    }
}

/// Keeps what a run leaves, and says so in its outcome.
pub(super) async fn commit<const STORES: usize>(
    mut leaving: impl DurableParts<STORES>,
    mut end: End,
) -> Outcome {
    let mut is_little = true;
    for store in leaving.stores() {
        is_little &= store.is_little();
    }
    if is_little {
        keep(&mut leaving, &mut end);
        return end.outcome;
    }
    let kept = spawn_blocking(move || {
        keep(&mut leaving, &mut end);
        end.outcome
    });
    kept.await.unwrap_or_else(|_| {
        // It is the process that ends.
        Outcome::new(Ending::Cancelled, Output::default(), Usage::default())
    })
}

fn keep<const STORES: usize>(leaving: &mut impl DurableParts<STORES>, end: &mut End) {
    let commit = leaving.place(end).map(|place| Commit::within(&place));
    let stores = &mut leaving.stores();
    match commit {
        None => keep_alone(stores, end),
        Some(Ok(commit)) => keep_together(stores, commit, end),
        Some(Err(error)) => {
            prepare(stores, end);
            take_back(stores, end, &error.to_string());
        }
    }
}

/// Keeps what there is in one store.
fn keep_alone(stores: &mut [&mut dyn Durable], end: &mut End) {
    prepare(stores, end);
    match announce(stores, end) {
        Ok(()) => keep_each(stores, end),
        Err(why) => take_back(stores, end, &why),
    }
}

/// Keeps what there is in several stores, or nothing.
fn keep_together(stores: &mut [&mut dyn Durable], mut commit: Commit, end: &mut End) {
    end.decision = Some(commit.decision());
    prepare(stores, end);
    let promised = announce(stores, end).and_then(|()| promise(stores, &mut commit, end));
    let decided = promised.and_then(|()| commit.decide().map_err(|error| error.to_string()));
    match decided {
        // From here on all of it is so, whatever becomes of this process.
        Ok(decided) => {
            keep_each(stores, end);
            decided.kept();
        }
        Err(why) => take_back(stores, end, &why),
    }
}

fn prepare(stores: &mut [&mut dyn Durable], end: &mut End) {
    stores.iter_mut().for_each(|store| store.prepare(end));
}

fn announce(stores: &[&mut dyn Durable], end: &End) -> Result<(), String> {
    stores.iter().try_for_each(|store| store.announce(end))
}

/// Promises all of it, and tells the commit of each promise.
fn promise(
    stores: &mut [&mut dyn Durable],
    commit: &mut Commit,
    end: &mut End,
) -> Result<(), String> {
    let decision = commit.decision();
    let mut promises = Vec::new();
    for store in stores {
        promises.extend(store.promise(end, &decision)?);
    }
    let mut promises = promises.iter();
    let named = promises.try_for_each(|file| commit.promised(file));
    named.map_err(|error| error.to_string())
}

fn keep_each(stores: &mut [&mut dyn Durable], end: &mut End) {
    for store in stores {
        step("keeps", store.name());
        store.keep(end);
    }
}

fn take_back(stores: &mut [&mut dyn Durable], end: &mut End, why: &str) {
    tracing::error!(why, "what a run left could not be stored");
    for store in stores {
        store.take_back(end, why);
    }
}

/// What was decided is done by the next process where it can't be done now.
pub(super) fn later<T, E: std::fmt::Display>(done: Result<T, E>) {
    if let Err(error) = done {
        tracing::error!(%error, "a part of what a run left is written later");
    }
}
