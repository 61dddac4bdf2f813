//! The calls of one run: started by the guest, carried out by bindings, taken by the guest in the
//! order in which they end. `answers`: what is known of a call by its answer; `kept` is what outlives
//! the process where the run waits.

mod answers;
mod kept;

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use ampoule_effort::{Effort, EffortError};
use ampoule_limits::{Limit, LimitHit, Limits};
use ampoule_tools::{CallContext, CallOutcome, CallState, FailureKind, Form, ResolvedTool};
use ampoule_untrusted::json;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tracing::Instrument;

use self::answers::{AnswerSummary, CallLimitHit};
use super::call_log::{CallLog, CallNotes};
use super::event::Event;
use super::held::{HeldBytes, Hold};
use super::repeats::Repeats;
use super::under_way::{AwaitedCall, Calling, Progress, Repetition, Started};
use super::undo::{UndoNotes, UndoOffer};
use super::usage::{CallEnd, CallUsage};
use super::world::{Diverged, World};

/// Names a call within its run: its place in the usage.
pub(crate) type CallId = u32;

/// A call that ended: its outcome, which the host holds until the guest takes it; or the limit that
/// the call went over.
pub(crate) type Ended = (CallId, Result<(CallOutcome, Hold), CallLimitHit>);

/// A call's end, as the guest gets it.
pub(crate) struct Completion {
    pub(crate) call: CallId,
    pub(crate) outcome: CallOutcome,
    /// The outcome, for as long as the host has it.
    pub(crate) held: Hold,
}

/// The calls of one run. Dropping them cancels those under way.
pub(crate) struct Calls {
    limits: Limits,
    calling: Calling,
    usage: Vec<CallUsage>,
    repeats: Repeats,
    notes: CallNotes,
    undo: UndoNotes,
    started: HashMap<CallId, Started>,
    tasks: JoinSet<Ended>,
    ended: VecDeque<Ended>,
    /// How many of these are noted, the first ones.
    noted: usize,
    turns: Arc<Semaphore>,
    held: Arc<HeldBytes>,
    effort: Effort,
}

impl Calls {
    pub(crate) fn new(
        limits: Limits,
        calling: Calling,
        held: Arc<HeldBytes>,
        effort: Effort,
    ) -> Self {
        let at_once = usize::try_from(limits.calls_at_once).unwrap_or(usize::MAX);
        Self {
            limits,
            calling,
            usage: Vec::new(),
            repeats: Repeats::default(),
            notes: CallNotes::default(),
            undo: UndoNotes::default(),
            started: HashMap::default(),
            tasks: JoinSet::new(),
            ended: VecDeque::new(),
            noted: 0,
            turns: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
            held,
            effort,
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
        form: Form,
    ) -> Result<CallId, LimitHit> {
        let (started, carried_out) = self.begin(tool, arguments, form)?;
        Ok(self.go(started, carried_out))
    }

    /// Has a call be carried out.
    fn go(&mut self, mut started: Started, mut carried_out: BoxFuture<'static, Ended>) -> CallId {
        let call = started.context.call().number;
        // Many calls end at once: Rust functions that compute, arguments that the schema does not
        // allow. They need no task.
        match carried_out
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(ended) => self.ended.push_back(ended),
            Poll::Pending => started.progress = Progress::Task(self.tasks.spawn(carried_out)),
        }
        self.started.insert(call, started);
        call
    }

    /// Ends a call at once whose tool is not there any more.
    pub(crate) fn fail(
        &mut self,
        (server, tool): (&str, &str),
        arguments: &str,
        why: String,
    ) -> Result<CallId, LimitHit> {
        let call = CallId::try_from(self.usage.len())
            .map_err(|_| Limit::Calls.hit(u64::from(CallId::MAX), &self.limits))?;
        let named: (Arc<str>, Arc<str>) = (server.into(), tool.into());
        let named = (&named.0, &named.1);
        self.count(named, CallEnd::Failed, arguments.len() as u64, 0);
        let context = self.calling.context(call, named, self.limits.result_bytes);
        self.end(context, CallOutcome::failed(FailureKind::NotReached, why))?;
        Ok(call)
    }

    /// A call that has ended already.
    fn end(&mut self, context: CallContext, outcome: CallOutcome) -> Result<(), LimitHit> {
        let call = context.call().number;
        let held = self.held.hold(outcome.bytes())?;
        self.ended.push_back((call, Ok((outcome, held))));
        self.started.insert(call, Started::now(context));
        Ok(())
    }

    /// Starts a typed call, to be awaited, and then [settled](Self::settle).
    pub(crate) fn start_awaited(
        &mut self,
        tool: &ResolvedTool,
        arguments: String,
        values: Hold,
    ) -> Result<(CallId, AwaitedCall), LimitHit> {
        let (mut started, carried_out) = self.begin(tool, arguments, Form::Typed)?;
        let given_up = Arc::default();
        started.progress = Progress::Awaited(Arc::clone(&given_up));
        let call = started.context.call().number;
        self.started.insert(call, started);
        let awaited = AwaitedCall {
            _values: values,
            carried_out,
            given_up,
            turn: self.calling.world.turn(call),
        };
        Ok((call, awaited))
    }

    /// Counts a call that could not be started: its arguments can't be sent.
    pub(crate) fn refuse(&mut self, tool: &ResolvedTool, reason: &str) -> Result<(), LimitHit> {
        self.admit(0)?;
        let named = (tool.server(), tool.name());
        self.count(named, CallEnd::Failed, 0, reason.len() as u64);
        Ok(())
    }

    fn count(
        &mut self,
        (server, tool): (&Arc<str>, &Arc<str>),
        end: CallEnd,
        argument_bytes: u64,
        result_bytes: u64,
    ) {
        self.usage.push(CallUsage {
            server: Arc::clone(server),
            tool: Arc::clone(tool),
            end,
            state: CallState::NotSent,
            wall_time: Duration::ZERO,
            argument_bytes,
            result_bytes,
        });
    }

    fn begin(
        &mut self,
        tool: &ResolvedTool,
        arguments: String,
        form: Form,
    ) -> Result<(Started, BoxFuture<'static, Ended>), LimitHit> {
        let argument_bytes = arguments.len() as u64;
        self.admit(argument_bytes)?;
        let text = self.held.hold(argument_bytes)?;
        let call = CallId::try_from(self.usage.len())
            .map_err(|_| Limit::Calls.hit(u64::from(CallId::MAX), &self.limits))?;
        let named = (tool.server(), tool.name());
        self.count(named, CallEnd::Cancelled, argument_bytes, 0);
        self.repeats.count(tool, &arguments);
        self.notes.begun(call, tool, &arguments);
        let context = self.calling.context(call, named, self.limits.result_bytes);
        let mut started = Started::now(context.clone());
        if self.calling.gate.is_some() && form != Form::Typed {
            started.again = Repetition::of(tool, &arguments, form, &self.held);
        }
        let way = (context, &started.again);
        let carried_out = self.carry_out(way, tool, (arguments, text), form);
        Ok((started, carried_out))
    }

    /// Calls the tool when it is the call's turn. Its arguments count among what the host holds
    /// until it ends, as text and as the values that they are parsed to; its result counts from the
    /// moment that it is there.
    fn carry_out(
        &self,
        (context, again): (CallContext, &Repetition),
        tool: &ResolvedTool,
        (arguments, text): (String, Hold),
        form: Form,
    ) -> BoxFuture<'static, Ended> {
        let text_bytes = arguments.len() as u64;
        let (limits, held, turns) = (self.limits, Arc::clone(&self.held), Arc::clone(&self.turns));
        let (tool, effort) = (tool.clone(), self.effort.clone());
        let gate = self.calling.gate.as_ref().filter(|_| form != Form::Typed);
        let layers = match gate {
            None => self.calling.layers.clone(),
            Some(gate) => self.calling.layers.with(gate.layer(again)),
        };
        let (call, passed) = (context.call().number, context.clone());
        let ended = async move {
            let _text = text;
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await;
            let read = move |_: &Effort| Ok((json::parsed_bytes(&arguments), arguments));
            let read = effort.work(text_bytes, read).await;
            let (parsed_bytes, arguments) = read.map_err(|_| limits.out_of_fuel())?;
            let _parsed = held.hold(parsed_bytes)?;
            let outcome = tool.call(arguments, form, passed, layers, effort.clone());
            let outcome = without_panic(outcome, &context).await;
            let outcome = outcome.map_err(|_| limits.out_of_fuel())?;
            let bytes = outcome.bytes();
            let taken = match bytes > limits.result_bytes {
                true => Err(Limit::ResultBytes.hit(bytes, &limits)),
                // Copying it into the guest.
                false => (effort.spend(bytes))
                    .map_err(|_| limits.out_of_fuel())
                    .and_then(|()| held.hold(bytes)),
            };
            match taken {
                Ok(held) => Ok((outcome, held)),
                Err(hit) => Err(CallLimitHit::after(hit, &outcome)),
            }
        };
        // What the log's events in the call are within, beside their run.
        let span = tracing::error_span!("call", call);
        Box::pin(ended.map(move |ended| (call, ended)).instrument(span))
    }

    /// Whether a call that nobody awaits by itself is under way, or has ended without having been
    /// taken.
    pub(crate) fn pending(&self) -> bool {
        self.started.values().any(|started| !started.is_awaited())
    }

    /// Whether a call has ended that nobody has taken.
    pub(crate) fn any_ended(&mut self) -> bool {
        self.join_ended();
        !self.ended.is_empty()
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
        self.noted = 0;
        while let Some(ended) = self.ended.pop_front() {
            if let Some(completion) = self.settle(ended) {
                taken.push(completion?);
            }
        }
        Ok(taken)
    }

    /// Takes these calls, in this order, once they have ended.
    pub(crate) async fn take(&mut self, expected: &[CallId]) -> wasmtime::Result<Vec<Completion>> {
        let mut taken = Vec::with_capacity(expected.len());
        for call in expected {
            let at = loop {
                self.join_ended();
                match self.ended.iter().position(|(ended, _)| ended == call) {
                    Some(at) => break at,
                    None => match self.tasks.join_next().await {
                        Some(joined) => self.ended.extend(joined),
                        None => {
                            let gone = format!(
                                "its call {call} does not end, but did in the recorded run"
                            );
                            return Err(Diverged(gone).into());
                        }
                    },
                }
            };
            let completion = self.ended.remove(at).and_then(|ended| self.settle(ended));
            taken.extend(completion.transpose()?);
        }
        Ok(taken)
    }

    fn join_ended(&mut self) {
        while let Some(joined) = self.tasks.try_join_next() {
            self.ended.extend(joined);
        }
    }

    /// Writes a call's end into the usage. Nothing comes of a call that was cancelled in the
    /// meantime.
    pub(crate) fn settle(&mut self, (call, ended): Ended) -> Option<Result<Completion, LimitHit>> {
        let started = self.started.remove(&call)?;
        self.undo.add(&started.context);
        let usage = &mut self.usage[call as usize];
        usage.wall_time = started.at.elapsed();
        let (answer, completion) = match ended {
            Ok((outcome, held)) => {
                usage.result_bytes = outcome.bytes();
                let answer = AnswerSummary::of(&outcome);
                let completion = Completion {
                    call,
                    outcome,
                    held,
                };
                (Some(answer), Ok(completion))
            }
            Err(CallLimitHit { hit, answer }) => (answer, Err(hit)),
        };
        match answer {
            Some(answer) => {
                (usage.end, usage.state) = (answer.end, answer.state);
                if let Some(kind) = answer.failure {
                    self.notes.failed(call, kind);
                }
            }
            None => usage.state = started.context.state_if_given_up(),
        }
        started.is_wanted.then_some(completion)
    }

    /// The end of a call, as listeners get it.
    pub(crate) fn ended(&self, call: CallId) -> Event {
        let usage = self.usage[call as usize].clone();
        Event::CallEnded { call, usage }
    }

    /// Ends a call. The guest will not hear of it again.
    pub(crate) fn cancel(&mut self, call: CallId) {
        let Some(started) = self.started.get_mut(&call) else {
            return;
        };
        if started.has_ended() {
            // It was made, and its end is written down when it is come across.
            started.is_wanted = false;
            return;
        }
        if started.is_awaited() {
            return;
        }
        if let Some(started) = self.started.remove(&call) {
            self.undo.add(&started.context);
            let usage = &mut self.usage[call as usize];
            usage.wall_time = started.at.elapsed();
            usage.state = started.context.state_if_given_up();
            if let Progress::Task(task) = started.progress {
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
        let mut abandoned = 0;
        for (call, started) in self.started.drain() {
            let given_up = match &started.progress {
                Progress::Awaited(given_up) => given_up.get(),
                Progress::Task(_) | Progress::Ended => None,
            };
            abandoned += usize::from(given_up.is_none());
            let until = given_up.copied().unwrap_or_else(Instant::now);
            self.undo.add(&started.context);
            let usage = &mut self.usage[call as usize];
            usage.wall_time = until.duration_since(started.at);
            usage.state = started.context.state_if_given_up();
        }
        abandoned
    }

    /// Whether a call has ended that the guest has not taken.
    pub(crate) fn have_ended(&mut self) -> bool {
        self.join_ended();
        !self.ended.is_empty()
    }

    /// What all of them have used.
    pub(crate) fn usage(&self) -> &[CallUsage] {
        &self.usage
    }

    /// How many calls there were.
    pub(crate) fn started(&self) -> usize {
        self.usage.len()
    }

    /// What is said of equal calls, if there were many.
    pub(crate) fn repeated(&self) -> Option<String> {
        self.repeats.told()
    }

    /// The calls that may have changed something, if there are any, for a run that failed.
    pub(crate) fn log(&self) -> Option<CallLog> {
        self.notes.log(&self.usage)
    }

    /// The answered calls that something takes back, if there are any, for a run that failed.
    pub(crate) fn undo_offer(&self) -> Option<UndoOffer> {
        self.undo.offer(self.calling.run, &self.usage)
    }

    pub(crate) fn take_usage(&mut self) -> Vec<CallUsage> {
        std::mem::take(&mut self.usage)
    }
}

/// A binding's panic is the binding's: the script sees a failed call, the log sees the panic.
fn without_panic(
    call: impl Future<Output = Result<CallOutcome, EffortError>>,
    context: &CallContext,
) -> impl Future<Output = Result<CallOutcome, EffortError>> {
    // No `async`: that would hold the call twice.
    AssertUnwindSafe(call).catch_unwind().map(|ended| {
        ended.unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            tracing::error!(message, "a binding panicked");
            let said =
                "the tool failed inside the host; its operator can find the reason in the log";
            let kind = match context.state_if_given_up() {
                CallState::NotSent => FailureKind::NotReached,
                _ => FailureKind::Lost,
            };
            Ok(CallOutcome::failed(kind, said.to_owned()))
        })
    })
}
