//! One call that is under way, and what all calls of a run have in common.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use ampoule_tools::{
    Call, CallContext, Deadline, Form, Layers, Principal, ResolvedTool, Respondent, RunId, Trace,
};
use futures::future::{self, BoxFuture};
use tokio::task::AbortHandle;

use crate::calls::{CallId, EndedCall};
use crate::host_memory::{HeldBytes, HeldText, Hold};
use crate::parking::{Gate, JournalCall};
use crate::world::World;

/// A call that was started, and has not been settled.
pub(crate) struct StartedCall {
    pub(crate) at: Instant,
    pub(crate) context: CallContext,
    pub(crate) progress: Progress,
    /// Whether the guest wants to hear of its end.
    pub(crate) is_wanted: bool,
    /// What another process would need in order to make it, where the run may be parked.
    pub(crate) again: Repetition,
}

/// What another process would need in order to make a call.
#[derive(Default)]
pub(crate) struct Repetition {
    /// What the guest sent, as long as that is not too large.
    pub(crate) arguments: Option<HeldText>,
    /// Whether making it twice does no more than making it once.
    pub(crate) repeatable: bool,
    /// Whether the guest wants the whole answer.
    pub(crate) whole: bool,
    /// Whether it has left.
    pub(crate) passed: Arc<AtomicBool>,
}

/// How large the arguments of a call may be for them to be kept.
const MOST_KEPT_BYTES: usize = 1 << 20;

impl Repetition {
    pub(crate) fn of(
        tool: &ResolvedTool,
        arguments: &str,
        form: Form,
        held: &Arc<HeldBytes>,
    ) -> Self {
        let fits = arguments.len() <= MOST_KEPT_BYTES;
        // Where there is no room for them, there is the call.
        let room = held.hold(arguments.len() as u64).ok().filter(|_| fits);
        Self {
            arguments: room.map(|hold| HeldText {
                text: arguments.to_owned(),
                hold,
            }),
            repeatable: tool.is_repeatable(),
            whole: form == Form::Whole,
            passed: Arc::default(),
        }
    }
}

impl StartedCall {
    /// A call that begins now. Nothing of it is under way yet.
    pub(crate) fn now(context: CallContext) -> Self {
        Self {
            at: Instant::now(),
            context,
            progress: Progress::Ended,
            is_wanted: true,
            again: Repetition::default(),
        }
    }

    /// Whether it has ended, though nobody has looked yet.
    pub(crate) fn has_ended(&self) -> bool {
        match &self.progress {
            Progress::Ended => true,
            Progress::Task(task) => task.is_finished(),
            // The end of one that the run looks at is noted at once.
            Progress::Run(_) | Progress::Awaited(_) => false,
        }
    }

    /// What is kept of it while its run is parked; nothing of one that the guest has given up.
    pub(crate) fn kept(&self) -> Option<JournalCall> {
        let Repetition {
            arguments,
            repeatable,
            whole,
            passed,
        } = &self.again;
        // One that has left may come back unseen, and be made again.
        let arguments = arguments.as_ref();
        self.is_wanted.then(|| JournalCall {
            call: self.context.call().number,
            arguments: arguments.map(|arguments| arguments.text.clone()),
            sent: passed.load(SeqCst),
            whole: *whole,
            repeatable: *repeatable || self.context.is_repeatable(),
        })
    }

    pub(crate) fn is_awaited(&self) -> bool {
        matches!(self.progress, Progress::Awaited(_))
    }
}

/// The part that carries out a call.
pub(crate) enum Progress {
    /// Nobody: it ended at once.
    Ended,
    /// A task.
    Task(AbortHandle),
    /// The run, which looks at it where it waits.
    Run(future::AbortHandle),
    /// Its caller, until the call is given up: then this tells when that was.
    Awaited(Arc<OnceLock<Instant>>),
}

/// A call that its caller awaits. Dropping it cancels the call.
pub(crate) struct AwaitedCall {
    /// Its arguments as the guest sent them, which Wasmtime keeps until the call ends.
    pub(crate) _values: Hold,
    pub(crate) carried_out: BoxFuture<'static, EndedCall>,
    pub(crate) given_up: Arc<OnceLock<Instant>>,
    /// When the run may take its end.
    pub(crate) turn: Option<BoxFuture<'static, ()>>,
}

impl AwaitedCall {
    pub(crate) async fn ended(mut self) -> EndedCall {
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
    /// What calls pass where the run may be parked.
    pub(crate) gate: Option<Arc<Gate>>,
}

impl Calling {
    pub(crate) fn context(
        &self,
        number: CallId,
        server: &Arc<str>,
        tool: &Arc<str>,
        result_bytes: u64,
    ) -> CallContext {
        let call = Call::new(
            self.run,
            number,
            server,
            tool,
            self.principal.clone(),
            self.deadline.time(),
        );
        let (deadline, respondent) = (self.deadline.clone(), self.respondent.clone());
        CallContext::new(call, result_bytes, deadline, respondent).traced(self.trace.clone())
    }
}
