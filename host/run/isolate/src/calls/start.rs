//! How calls begin, and are carried out.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use ampoule_effort::{Effort, EffortError};
use ampoule_limits::{Limit, LimitError};
use ampoule_tools::{CallContext, CallOutcome, CallState, FailureKind, Form, ResolvedTool};
use ampoule_untrusted::json;
use futures::FutureExt;
use futures::future::BoxFuture;
use tracing::{Instrument, Span};

use super::answers::CallLimitError;
use super::ends::{EndedCall, HeldOutcome};
use super::{CallId, Calls};
use crate::host_memory::{HeldText, Hold};
use crate::under_way::{AwaitedCall, Progress, Repetition, StartedCall};
use crate::usage::{CallEnd, CallUsage};

impl Calls {
    /// Starts a call that was [admitted](Self::admit). `arguments` is the JSON that the guest sent.
    pub(crate) fn start(
        &mut self,
        tool: &ResolvedTool,
        arguments: String,
        form: Form,
    ) -> Result<CallId, LimitError> {
        let (started, carried_out) = self.begin(tool, arguments, form)?;
        let looks_at = self.looks_at(tool);
        Ok(self.go(started, carried_out, looks_at))
    }

    /// Has a call be carried out; by the run itself if it `looks_at` the call.
    pub(super) fn go(
        &mut self,
        mut started: StartedCall,
        mut carried_out: BoxFuture<'static, EndedCall>,
        looks_at: bool,
    ) -> CallId {
        let call = started.context.call().number;
        // Many calls end at once: Rust functions that compute, arguments that the schema does not
        // allow. They need no task.
        match carried_out
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        {
            Poll::Ready(ended) => self.ended.push_back(ended),
            Poll::Pending => started.progress = self.keep(&started, carried_out, looks_at),
        }
        self.started.insert(call, started);
        call
    }

    /// Ends a call at once whose tool is not there any more.
    pub(crate) fn fail(
        &mut self,
        server: &str,
        tool: &str,
        arguments: &str,
        why: String,
    ) -> Result<CallId, LimitError> {
        let call = CallId::try_from(self.usage.len())
            .map_err(|_| Limit::Calls.hit(u64::from(CallId::MAX), &self.limits))?;
        let (server, tool): (Arc<str>, Arc<str>) = (server.into(), tool.into());
        self.count(&server, &tool, CallEnd::Failed, arguments.len() as u64, 0);
        let result_bytes = self.limits.result_bytes;
        let context = self.calling.context(call, &server, &tool, result_bytes);
        self.end(context, CallOutcome::failed(FailureKind::NotReached, why))?;
        Ok(call)
    }

    /// A call that has ended already.
    pub(super) fn end(
        &mut self,
        context: CallContext,
        outcome: CallOutcome,
    ) -> Result<(), LimitError> {
        let call = context.call().number;
        let held = self.held.hold(outcome.bytes())?;
        self.ended.push_back(EndedCall {
            call,
            result: Ok(HeldOutcome { outcome, held }),
        });
        self.started.insert(call, StartedCall::now(context));
        Ok(())
    }

    /// Starts a typed call, to be awaited, and then [settled](Self::settle).
    pub(crate) fn start_awaited(
        &mut self,
        tool: &ResolvedTool,
        arguments: String,
        values: Hold,
    ) -> Result<(CallId, AwaitedCall), LimitError> {
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

    /// Counts a call that could not be started: its arguments can't be sent, or the run was not
    /// granted the tool.
    pub(crate) fn refuse(
        &mut self,
        server: &Arc<str>,
        tool: &Arc<str>,
        reason: &str,
    ) -> Result<(), LimitError> {
        self.admit(0)?;
        let reason_bytes = reason.len() as u64;
        self.count(server, tool, CallEnd::Failed, 0, reason_bytes);
        Ok(())
    }

    fn count(
        &mut self,
        server: &Arc<str>,
        tool: &Arc<str>,
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
    ) -> Result<(StartedCall, BoxFuture<'static, EndedCall>), LimitError> {
        let argument_bytes = arguments.len() as u64;
        self.admit(argument_bytes)?;
        let hold = self.held.hold(argument_bytes)?;
        let call = CallId::try_from(self.usage.len())
            .map_err(|_| Limit::Calls.hit(u64::from(CallId::MAX), &self.limits))?;
        let (server, name) = (tool.server(), tool.name());
        self.count(server, name, CallEnd::Cancelled, argument_bytes, 0);
        self.repeats.count(tool, &arguments);
        self.notes.begun(call, tool, &arguments);
        let result_bytes = self.limits.result_bytes;
        let context = self.calling.context(call, server, name, result_bytes);
        let mut started = StartedCall::now(context.clone());
        if self.calling.gate.is_some() && form != Form::Typed {
            started.again = Repetition::of(tool, &arguments, form, &self.held);
        }
        let text = arguments;
        let arguments = HeldText { text, hold };
        let carried_out = self.carry_out(context, &started.again, tool, arguments, form);
        Ok((started, carried_out))
    }

    /// Calls the tool when it is the call's turn. Its arguments count among what the host holds
    /// until it ends, as text and as the values that they are parsed to; its result counts from the
    /// moment that it is there.
    pub(super) fn carry_out(
        &self,
        context: CallContext,
        again: &Repetition,
        tool: &ResolvedTool,
        arguments: HeldText,
        form: Form,
    ) -> BoxFuture<'static, EndedCall> {
        let HeldText {
            text: arguments,
            hold,
        } = arguments;
        let text_bytes = arguments.len() as u64;
        let (limits, held, turns) = (self.limits, Arc::clone(&self.held), Arc::clone(&self.turns));
        let (tool, effort) = (tool.clone(), self.effort.clone());
        let gate = self.calling.gate.as_ref().filter(|_| form != Form::Typed);
        let layers = match gate {
            None => self.calling.layers.clone(),
            Some(gate) => self.calling.layers.with(gate.layer(again)),
        };
        let (call, passed) = (context.call().number, context.clone());
        let run = Span::current();
        let ended = async move {
            let _hold = hold;
            // The semaphore is never closed.
            let _turn = turns.acquire_owned().await;
            let carried_out = async {
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
                    Ok(held) => Ok(HeldOutcome { outcome, held }),
                    Err(hit) => Err(CallLimitError::after(hit, &outcome)),
                }
            };
            // What the log's events in the call are within, beside their run. A call that waits for
            // its turn has none: the log keeps memory for as many spans as were ever open at once.
            let span = tracing::error_span!(parent: &run, "call", call);
            carried_out.instrument(span).await
        };
        Box::pin(ended.map(move |result| EndedCall { call, result }))
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
