//! The calls of one run: started by the guest, carried out by bindings, taken by the guest in the order in which they end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinError, JoinSet};

use super::held::HeldBytes;
use super::limits::{Limit, LimitHit, Limits};
use super::usage::{CallEnd, CallUsage};
use crate::binding::{CallOutcome, ResolvedTool};

/// Names a call within its run: its place in the usage.
pub(crate) type CallId = u32;

/// A call that ended; with the hit, if its result went over a limit.
type Ended = (CallId, Result<CallOutcome, LimitHit>);

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
        self.held.add(argument_bytes)?;
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
        let mut carried_out = self.carry_out(call, tool, arguments);
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

    /// Calls the tool when it is the call's turn, and counts its result among what the host holds from the moment that it is there.
    fn carry_out(
        &self,
        call: CallId,
        tool: &ResolvedTool,
        arguments: String,
    ) -> BoxFuture<'static, Ended> {
        let (limits, held, turns) = (self.limits, Arc::clone(&self.held), Arc::clone(&self.turns));
        let outcome = tool.call(arguments, limits.result_bytes);
        Box::pin(async move {
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await;
            let outcome = outcome.await;
            let bytes = outcome.bytes();
            if bytes > limits.result_bytes {
                return (call, Err(Limit::ResultBytes.hit(bytes, &limits)));
            }
            (call, held.add(bytes).map(|()| outcome))
        })
    }

    /// Whether a call is under way, or has ended without having been taken.
    pub(crate) fn pending(&self) -> bool {
        !self.started.is_empty()
    }

    /// Waits until a call has ended.
    pub(crate) async fn next_ended(&mut self) {
        while self.ended.is_empty() {
            let Some(joined) = self.tasks.join_next().await else {
                return;
            };
            self.joined(joined);
        }
    }

    /// Takes the calls that have ended by now.
    pub(crate) fn take_ended(&mut self) -> Result<Vec<Completion>, LimitHit> {
        while let Some(joined) = self.tasks.try_join_next() {
            self.joined(joined);
        }
        let mut taken = Vec::with_capacity(self.ended.len());
        while let Some((call, outcome)) = self.ended.pop_front() {
            let bytes = outcome.as_ref().map_or(0, CallOutcome::bytes);
            // A call that was cancelled in the meantime is no longer there.
            let Some(started) = self.started.remove(&call) else {
                self.held.remove(bytes);
                continue;
            };
            let usage = &mut self.usage[call as usize];
            usage.wall_time = started.at.elapsed();
            self.held.remove(usage.argument_bytes);
            let outcome = outcome?;
            usage.result_bytes = bytes;
            usage.end = match &outcome {
                CallOutcome::Value(_) => CallEnd::Returned,
                CallOutcome::Failure(_) | CallOutcome::TooLarge { .. } => CallEnd::Failed,
            };
            // From here on it is in the guest's memory.
            self.held.remove(bytes);
            taken.push(Completion { call, outcome });
        }
        Ok(taken)
    }

    pub(crate) fn usage_of(&self, call: CallId) -> &CallUsage {
        &self.usage[call as usize]
    }

    fn joined(&mut self, joined: Result<Ended, JoinError>) {
        match joined {
            Ok(ended) => self.ended.push_back(ended),
            Err(error) if error.is_cancelled() => {}
            // A binding's panic is the binding's: the script sees a failed call, the log sees the panic.
            Err(error) => {
                tracing::error!(%error, "a binding panicked");
                let ran = |started: &Started| {
                    started
                        .task
                        .as_ref()
                        .is_some_and(|task| task.id() == error.id())
                };
                if let Some((call, _)) = self.started.iter().find(|(_, started)| ran(started)) {
                    let failure =
                        "the tool failed inside the host; its operator finds the reason in the log";
                    self.ended
                        .push_back((*call, Ok(CallOutcome::failed(failure))));
                }
            }
        }
    }

    /// Ends a call. The guest will not hear of it again.
    pub(crate) fn cancel(&mut self, call: CallId) {
        if let Some(started) = self.started.remove(&call) {
            let usage = &mut self.usage[call as usize];
            usage.wall_time = started.at.elapsed();
            self.held.remove(usage.argument_bytes);
            if let Some(task) = started.task {
                task.abort();
            }
        }
    }

    /// Ends the calls that are under way, and says how many those were.
    pub(crate) fn finish(&mut self) -> usize {
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
