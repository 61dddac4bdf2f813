//! The calls of one run: started by the guest, carried out by bindings, taken by the guest in the order in which they end.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};

use super::held::{HeldBytes, Hold};
use super::limits::{Limit, LimitHit, Limits};
use super::usage::{CallEnd, CallUsage};
use crate::binding::{CallOutcome, ResolvedTool, json};

/// Names a call within its run: its place in the usage.
pub(crate) type CallId = u32;

/// A call that ended: its outcome, which the host holds until the guest takes it; or the limit that the call went over.
type Ended = (CallId, Result<(CallOutcome, Hold), LimitHit>);

/// A call's end, as the guest gets it.
pub(crate) struct Completion {
    pub(crate) call: CallId,
    pub(crate) outcome: CallOutcome,
}

/// The calls of one run. Dropping them cancels those under way.
pub(crate) struct Calls {
    limits: Limits,
    usage: Vec<CallUsage>,
    started: HashMap<CallId, Started>,
    tasks: JoinSet<Ended>,
    ended: VecDeque<Ended>,
    turns: Arc<Semaphore>,
    held: Arc<HeldBytes>,
}

struct Started {
    at: Instant,
    /// None where the call ended at once, and needed no task.
    task: Option<AbortHandle>,
}

impl Calls {
    pub(crate) fn new(limits: Limits, held: Arc<HeldBytes>) -> Self {
        let at_once = usize::try_from(limits.calls_at_once).unwrap_or(usize::MAX);
        Self {
            limits,
            usage: Vec::new(),
            started: HashMap::new(),
            tasks: JoinSet::new(),
            ended: VecDeque::new(),
            turns: Arc::new(Semaphore::new(at_once.clamp(1, Semaphore::MAX_PERMITS))),
            held,
        }
    }

    /// Whether another call, with arguments of this size, is within the limits.
    pub(crate) fn admit(&self, argument_bytes: u64) -> Result<(), LimitHit> {
        if argument_bytes > self.limits.argument_bytes {
            return Err(Limit::ArgumentBytes.hit(argument_bytes, &self.limits));
        }
        let count = self.usage.len() as u64 + 1;
        if count > self.limits.calls {
            return Err(Limit::Calls.hit(count, &self.limits));
        }
        Ok(())
    }

    /// Starts a call that was [admitted](Self::admit). `arguments` is the JSON that the guest sent.
    pub(crate) fn start(
        &mut self,
        tool: &ResolvedTool,
        arguments: String,
    ) -> Result<CallId, LimitHit> {
        let argument_bytes = arguments.len() as u64;
        self.admit(argument_bytes)?;
        let text = self.held.hold(argument_bytes)?;
        let call = CallId::try_from(self.usage.len())
            .map_err(|_| Limit::Calls.hit(u64::from(CallId::MAX), &self.limits))?;
        self.usage.push(CallUsage {
            server: tool.server().clone(),
            tool: tool.name().clone(),
            end: CallEnd::Cancelled,
            wall_time: Duration::ZERO,
            argument_bytes,
            result_bytes: 0,
        });
        let at = Instant::now();
        let mut carried_out = self.carry_out(call, tool, (arguments, text));
        // Many calls end at once: Rust functions that compute, arguments that the schema does not allow. They need no task.
        let task = match carried_out
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(ended) => {
                self.ended.push_back(ended);
                None
            }
            Poll::Pending => Some(self.tasks.spawn(carried_out)),
        };
        self.started.insert(call, Started { at, task });
        Ok(call)
    }

    /// Calls the tool when it is the call's turn. Its arguments count among what the host holds until it ends, as text and as the values
    /// that they are parsed to; its result counts from the moment that it is there.
    fn carry_out(
        &self,
        call: CallId,
        tool: &ResolvedTool,
        (arguments, text): (String, Hold),
    ) -> BoxFuture<'static, Ended> {
        let (limits, held, turns) = (self.limits, Arc::clone(&self.held), Arc::clone(&self.turns));
        let parsed_bytes = json::parsed_bytes(&arguments);
        let outcome = tool.call(arguments, limits.result_bytes);
        Box::pin(async move {
            let _text = text;
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await;
            let _parsed = match held.hold(parsed_bytes) {
                Ok(parsed) => parsed,
                Err(hit) => return (call, Err(hit)),
            };
            let outcome = without_panic(outcome).await;
            let bytes = outcome.bytes();
            if bytes > limits.result_bytes {
                return (call, Err(Limit::ResultBytes.hit(bytes, &limits)));
            }
            (call, held.hold(bytes).map(|held| (outcome, held)))
        })
    }

    /// Whether a call is under way, or has ended without having been taken.
    pub(crate) fn pending(&self) -> bool {
        !self.started.is_empty()
    }

    /// Waits until a call has ended.
    pub(crate) async fn next_ended(&mut self) {
        while self.ended.is_empty() {
            match self.tasks.join_next().await {
                // One that was cancelled has nothing to say.
                Some(joined) => self.ended.extend(joined),
                None => return,
            }
        }
    }

    /// Takes the calls that have ended by now.
    pub(crate) fn take_ended(&mut self) -> Result<Vec<Completion>, LimitHit> {
        self.join_ended();
        let mut taken = Vec::with_capacity(self.ended.len());
        while let Some(ended) = self.ended.pop_front() {
            if let Some(completion) = self.settle(ended) {
                taken.push(completion?);
            }
        }
        Ok(taken)
    }

    fn join_ended(&mut self) {
        while let Some(joined) = self.tasks.try_join_next() {
            self.ended.extend(joined);
        }
    }

    /// Writes a call's end into the usage. Nothing comes of a call that was cancelled in the meantime.
    fn settle(&mut self, (call, ended): Ended) -> Option<Result<Completion, LimitHit>> {
        let started = self.started.remove(&call)?;
        let usage = &mut self.usage[call as usize];
        usage.wall_time = started.at.elapsed();
        // From here on the result is in the guest's memory.
        Some(ended.map(|(outcome, _held)| {
            usage.result_bytes = outcome.bytes();
            usage.end = match &outcome {
                CallOutcome::Value(_) => CallEnd::Returned,
                CallOutcome::Failure(_) | CallOutcome::TooLarge { .. } => CallEnd::Failed,
            };
            Completion { call, outcome }
        }))
    }

    pub(crate) fn usage_of(&self, call: CallId) -> &CallUsage {
        &self.usage[call as usize]
    }

    /// Ends a call. The guest will not hear of it again.
    pub(crate) fn cancel(&mut self, call: CallId) {
        if let Some(started) = self.started.remove(&call) {
            let usage = &mut self.usage[call as usize];
            usage.wall_time = started.at.elapsed();
            if let Some(task) = started.task {
                task.abort();
            }
        }
    }

    /// Ends the calls that are under way, and says how many those were.
    pub(crate) fn finish(&mut self) -> usize {
        // What ended was made, whether or not the guest took its result.
        self.join_ended();
        while let Some(ended) = self.ended.pop_front() {
            self.settle(ended);
        }
        self.tasks.abort_all();
        let abandoned = self.started.len();
        for (call, started) in self.started.drain() {
            self.usage[call as usize].wall_time = started.at.elapsed();
        }
        abandoned
    }

    pub(crate) fn take_usage(&mut self) -> Vec<CallUsage> {
        std::mem::take(&mut self.usage)
    }
}

/// A binding's panic is the binding's: the script sees a failed call, the log sees the panic.
async fn without_panic(call: BoxFuture<'static, CallOutcome>) -> CallOutcome {
    AssertUnwindSafe(call)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            tracing::error!(message, "a binding panicked");
            CallOutcome::failed(
                "the tool failed inside the host; its operator finds the reason in the log",
            )
        })
}
