//! One call that is under way, and what all calls of a run have in common.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ampoule_tools::{
    Call, CallContext, Deadline, Layers, Principal, ResolvedTool, Respondent, RunId, Trace,
};
use futures::future::BoxFuture;
use tokio::task::AbortHandle;

use crate::calls::{CallId, Ended};
use crate::held::Hold;
use crate::world::World;

/// A call that was started, and has not been settled.
pub(crate) struct Started {
    pub(crate) at: Instant,
    pub(crate) context: CallContext,
    pub(crate) progress: Progress,
    /// Whether the guest wants to hear of its end.
    pub(crate) is_wanted: bool,
}

impl Started {
    /// Whether it has ended, though nobody has looked yet.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.progress {
            Progress::Ended => true,
            Progress::Task(task) => task.is_finished(),
            Progress::Awaited(_) => false,
        }
    }

    pub(crate) fn is_awaited(&self) -> bool {
        matches!(self.progress, Progress::Awaited(_))
    }
}

/// Who carries a call out.
pub(crate) enum Progress {
    /// Nobody: it ended at once.
    Ended,
    /// A task.
    Task(AbortHandle),
    /// Whoever awaits it, until it is given up: then this tells when that was.
    Awaited(Arc<OnceLock<Instant>>),
}

/// A call that whoever started it awaits. Dropping it cancels the call.
pub(crate) struct AwaitedCall {
    /// Its arguments as the guest sent them, which Wasmtime keeps until the call ends.
    pub(crate) _values: Hold,
    pub(crate) carried_out: BoxFuture<'static, Ended>,
    pub(crate) given_up: Arc<OnceLock<Instant>>,
    /// When the run may take its end.
    pub(crate) turn: Option<BoxFuture<'static, ()>>,
}

impl AwaitedCall {
    pub(crate) async fn ended(mut self) -> Ended {
        let ended = (&mut self.carried_out).await;
        if let Some(turn) = &mut self.turn {
            turn.await;
        }
        ended
    }
}

impl Drop for AwaitedCall {
    fn drop(&mut self) {
        // Of a call that has ended, nobody asks.
        let _ = self.given_up.set(Instant::now());
    }
}

/// What is the same in all calls of a run.
pub(crate) struct Calling {
    pub(crate) run: RunId,
    pub(crate) principal: Option<Principal>,
    pub(crate) deadline: Deadline,
    pub(crate) layers: Layers,
    pub(crate) respondent: Option<Arc<dyn Respondent>>,
    pub(crate) trace: Option<Trace>,
    pub(crate) world: Arc<dyn World>,
}

impl Calling {
    pub(crate) fn context(
        &self,
        number: CallId,
        tool: &ResolvedTool,
        result_bytes: u64,
    ) -> CallContext {
        let call = Call::new(
            (self.run, number),
            (tool.server(), tool.name()),
            self.principal.clone(),
            self.deadline.time(),
        );
        let (deadline, respondent) = (self.deadline.clone(), self.respondent.clone());
        CallContext::new(call, result_bytes, deadline, respondent).traced(self.trace.clone())
    }
}
