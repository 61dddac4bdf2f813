//! Runs that may call components, and what a component has of the run that calls it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use ampoule_limits::Limits;
use ampoule_tools::{
    CallContext, CallError, Catalog, Grant, Layer, Layers, Next, RunId, ToolResult,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::server_name::COMPONENTS_SERVER;

/// The runs under way that may call components.
#[derive(Default)]
pub(crate) struct OuterRuns(Mutex<HashMap<RunId, Weak<OuterRun>>>);

/// A run that may call components. It is among those under way until it is dropped.
pub(crate) struct OuterRun {
    pub(crate) id: RunId,
    /// What it sees.
    pub(crate) catalog: Catalog,
    pub(crate) grant: Grant,
    /// What its calls pass, but for what is about the calls of its own script, such as its record.
    pub(crate) layers: Layers,
    pub(crate) limits: Limits,
    /// How many calls its components have made.
    pub(crate) calls: AtomicU64,
    pub(crate) among: Arc<OuterRuns>,
}

impl OuterRuns {
    /// Adds a run.
    pub(crate) fn add(run: OuterRun) -> Arc<OuterRun> {
        let run = Arc::new(run);
        let mut runs = run.among.0.lock();
        runs.insert(run.id, Arc::downgrade(&run));
        drop(runs);
        run
    }

    /// A run that is under way.
    pub(super) fn get(&self, run: RunId) -> Option<Arc<OuterRun>> {
        self.0.lock().get(&run)?.upgrade()
    }
}

impl OuterRun {
    /// What the calls of its components pass.
    pub(super) fn layers_of_components(self: &Arc<Self>) -> Layers {
        self.layers.within(OwnCalls(Arc::clone(self)))
    }

    /// The number of a call that one of its components makes: none of its own calls has it. None where
    /// all calls are made that its limit allows them together.
    fn number(&self) -> Option<u32> {
        let most = self.limits.calls;
        let made = self.calls.fetch_add(1, Relaxed);
        let number = u32::try_from(most.saturating_add(made)).unwrap_or(u32::MAX);
        (made < most).then_some(number)
    }
}

impl Drop for OuterRun {
    fn drop(&mut self) {
        let mut runs = self.among.0.lock();
        // The same run may have been resumed meanwhile.
        if runs
            .get(&self.id)
            .is_some_and(|run| run.strong_count() == 0)
        {
            runs.remove(&self.id);
        }
    }
}

/// Makes the calls of a run's components calls of that run.
struct OwnCalls(Arc<OuterRun>);

impl Layer for OwnCalls {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let OwnCalls(run) = self;
        let denied = |why: String| ready(Err(CallError::Denied(why))).boxed();
        if *context.call().server == *COMPONENTS_SERVER {
            return denied("a component that is a tool can't call such components".to_owned());
        }
        match run.number() {
            Some(number) => next.call(arguments, context.of_run(run.id, number)),
            None => denied(format!(
                "the components that the run called have made {} calls, and its limit `calls` allows no more",
                run.limits.calls
            )),
        }
    }
}
