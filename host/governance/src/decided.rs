//! What was decided for all calls of a tool: where no policy that concerns it looks at arguments,
//! only labels and policies that change make it another.

use std::sync::Arc;

use ampoule_policy::{Decision, RunLabels};
use ampoule_tools::Call;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::known::State;

/// What was decided in a run. No more is kept than there are tools.
#[derive(Default)]
pub(crate) struct Decided(Mutex<Option<Kept>>);

/// What holds by these policies, for a run that has read this.
struct Kept {
    state: Arc<State>,
    // Held, so that these labels stay what they are: those that rise are others.
    labels: Arc<RunLabels>,
    by_tool: FxHashMap<(Arc<str>, Arc<str>), Decision>,
}

impl Kept {
    fn is_of(&self, (state, labels): (&Arc<State>, &Arc<RunLabels>)) -> bool {
        Arc::ptr_eq(&self.state, state) && Arc::ptr_eq(&self.labels, labels)
    }
}

impl Decided {
    /// What was decided for a call like this.
    pub(crate) fn known(
        &self,
        call: &Call,
        now: (&Arc<State>, &Arc<RunLabels>),
    ) -> Option<Decision> {
        let kept = self.0.lock();
        let kept = kept.as_ref().filter(|kept| kept.is_of(now))?;
        let tool = (Arc::clone(&call.server), Arc::clone(&call.tool));
        kept.by_tool.get(&tool).cloned()
    }

    /// This holds for all calls like this.
    pub(crate) fn put(
        &self,
        call: &Call,
        (state, labels): (&Arc<State>, &Arc<RunLabels>),
        decision: &Decision,
    ) {
        let mut kept = self.0.lock();
        if !kept
            .as_ref()
            .is_some_and(|kept| kept.is_of((state, labels)))
        {
            *kept = Some(Kept {
                state: Arc::clone(state),
                labels: Arc::clone(labels),
                by_tool: FxHashMap::default(),
            });
        }
        if let Some(kept) = &mut *kept {
            let tool = (Arc::clone(&call.server), Arc::clone(&call.tool));
            kept.by_tool.insert(tool, decision.clone());
        }
    }
}
