//! What a run asks of its stages: plain data, a part for each stage that can be asked for something.

use super::{files, governed, parked, record, session, undo};
use crate::governed::ExecutionMode;
use crate::runtime::Runtime;

/// What a run asks of its stages.
#[derive(Clone, Default)]
pub(in crate::run) struct StageOptions {
    pub(in crate::run) governed: governed::Options,
    pub(in crate::run) record: record::Options,
    pub(in crate::run) session: session::Options,
    pub(in crate::run) files: files::Options,
    pub(in crate::run) parked: parked::Options,
    pub(in crate::run) undo: undo::Options,
}

impl StageOptions {
    /// What a run asks if nothing is said.
    pub(in crate::run) fn of(runtime: &Runtime) -> Self {
        Self {
            parked: parked::Options::of(runtime),
            ..Self::default()
        }
    }

    /// What is left of that where a script is only checked: it sees what it would see, and leaves
    /// nothing.
    pub(super) fn check_only(&mut self) {
        self.governed = governed::Options {
            is_previewed: false,
            mode: ExecutionMode::CheckOnly,
        };
        self.parked.after = None;
    }
}
