//! What holds for all calls of a tool, whatever their arguments are: only labels and policies that
//! change make it another.

use std::sync::Arc;

use ampoule_policy::{RunLabels, ToolDecision};
use ampoule_tools::Call;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::known_servers::State;

/// What holds in a run. No more is kept than there are tools that policies know.
#[derive(Default)]
pub(crate) struct DecisionCache(Mutex<Option<Decisions>>);

/// What holds by these policies, for a run that has read this.
struct Decisions {
    state: Arc<State>,
    // Held, so that these labels stay what they are: those that rise are others.
    labels: Arc<RunLabels>,
    by_tool: FxHashMap<(Arc<str>, Arc<str>), Arc<ToolDecision>>,
}

impl DecisionCache {
    /// What holds for calls like this, if that was found out.
    pub(crate) fn known(
        &self,
        call: &Call,
        state: &Arc<State>,
        labels: &Arc<RunLabels>,
    ) -> Option<Arc<ToolDecision>> {
        let kept = self.0.lock();
        let kept = kept.as_ref().filter(|kept| kept.is_of(state, labels))?;
        let tool = (Arc::clone(&call.server), Arc::clone(&call.tool));
        kept.by_tool.get(&tool).map(Arc::clone)
    }

    /// The same; it is found out if it was not before. What is none is not kept.
    pub(crate) fn known_or(
        &self,
        call: &Call,
        state: &Arc<State>,
        labels: &Arc<RunLabels>,
        find_out: impl FnOnce() -> Option<ToolDecision>,
    ) -> Option<Arc<ToolDecision>> {
        if let Some(known) = self.known(call, state, labels) {
            return Some(known);
        }
        let found = Arc::new(find_out()?);
        let mut kept = self.0.lock();
        if !kept.as_ref().is_some_and(|kept| kept.is_of(state, labels)) {
            *kept = None;
        }
        let kept = kept.get_or_insert_with(|| Decisions {
            state: Arc::clone(state),
            labels: Arc::clone(labels),
            by_tool: FxHashMap::default(),
        });
        let tool = (Arc::clone(&call.server), Arc::clone(&call.tool));
        kept.by_tool.insert(tool, Arc::clone(&found));
        Some(found)
    }
}

impl Decisions {
    fn is_of(&self, state: &Arc<State>, labels: &Arc<RunLabels>) -> bool {
        Arc::ptr_eq(&self.state, state) && Arc::ptr_eq(&self.labels, labels)
    }
}
