//! What becomes of what a run wrote: it is promised, and then put where others see it.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_store::commit::{Commit, Decision};

use super::Files;
use crate::error::{Code, FileError};
use crate::merge::{self, Promise};
use crate::tree::Tree;

/// What became of what a run wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeOutcome {
    /// It wrote nothing.
    Nothing,
    /// All of it is there.
    All,
}

/// What a run's folders are about to have. It is rolled back where this is dropped, unless it was
/// decided.
#[derive(Default)]
pub struct Promises(Vec<Promise>);

impl Promises {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files that promises with a decision are in, until they are kept.
    pub fn files(&self) -> Vec<PathBuf> {
        self.0.iter().map(Promise::file).collect()
    }

    /// They will be kept: by the next process, if this process does not.
    pub fn decided(&mut self) {
        self.0.iter_mut().for_each(Promise::decided);
    }

    /// Puts all of it where others see it.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn keep(&mut self) -> Result<MergeOutcome, FileError> {
        let kept = self.0.iter_mut().map(Promise::keep);
        // The others are kept, whatever becomes of one.
        let kept: Vec<_> = kept.collect();
        let merged = match kept.is_empty() {
            true => MergeOutcome::Nothing,
            false => MergeOutcome::All,
        };
        kept.into_iter().collect::<Result<(), _>>()?;
        self.0.clear();
        Ok(merged)
    }
}

impl Files {
    /// Whether it has anything to merge.
    pub fn wrote(&self) -> bool {
        let state = self.0.lock();
        state
            .overlays()
            .any(|overlay| overlay.changes().next().is_some())
    }

    /// Puts what the run changed where others see it: all of it or nothing, in the workspace and in
    /// each folder.
    ///
    /// # Errors
    ///
    /// Somebody else changed the same; the error names it.
    pub fn merge(&self) -> Result<MergeOutcome, FileError> {
        let changed = self.changed();
        let [first, _, ..] = &changed[..] else {
            return self.promise(None)?.keep();
        };
        let mut commit = Commit::within(&first.own_path())?;
        let mut promises = self.promise(Some(commit.decision()))?;
        for file in promises.files() {
            commit.promised(&file)?;
        }
        let decided = commit.decide()?;
        promises.decided();
        let merged = promises.keep();
        decided.kept();
        merged
    }

    /// The folders that the run changed something in.
    fn changed(&self) -> Vec<Arc<Tree>> {
        let state = self.0.lock();
        let changed = state.overlays().filter(|overlay| {
            let is_writable = overlay.base.as_ref().is_some_and(|tree| tree.writable);
            is_writable && overlay.changes().next().is_some()
        });
        changed.filter_map(|overlay| overlay.base.clone()).collect()
    }

    /// The host's own folders in those that the run changed something in.
    pub fn places_changed(&self) -> Vec<PathBuf> {
        self.changed().iter().map(|tree| tree.own_path()).collect()
    }

    /// Promises what the run changed. Until the promises are kept or dropped, nobody else looks at
    /// the folders or changes them. With a decision, the next process keeps them, if that was made.
    ///
    /// # Errors
    ///
    /// As for [`merge`](Self::merge).
    pub fn promise(&self, decision: Option<Decision>) -> Result<Promises, FileError> {
        let mut state = self.0.lock();
        state.open.clear();
        let carrier = state.carrier.as_ref().map(|it| &*it.carrier);
        // Always in the same order, so that no two runs wait for one another.
        let mut overlays = Vec::new();
        for overlay in state.overlays() {
            if let Some(tree) = overlay.base.as_ref().filter(|tree| tree.writable)
                && overlay.changes().next().is_some()
            {
                overlays.push((tree.id()?, overlay));
            }
        }
        overlays.sort_by_key(|(id, _)| *id);
        if overlays.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err(FileError::new(
                Code::Invalid,
                "two of the folders that it wrote to are the same one; write to it by one of its names",
            ));
        }
        let mut promises = Promises::default();
        for (_, overlay) in overlays {
            promises
                .0
                .extend(merge::promise(overlay, carrier, decision.clone())?);
        }
        Ok(promises)
    }
}
