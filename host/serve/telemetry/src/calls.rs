//! Calls of tools: counted, and in spans of their own, which their servers see.

use std::time::Instant;

use ampoule_tools::{CallContext, CallError, CallState, Layer, Next, ToolResult};
use ampoule_untrusted::text;
use futures::future::BoxFuture;
use opentelemetry::trace::SpanKind;
use serde_json::{Map, Value};

use super::Telemetry;
use super::span::{Span, SpanPlace};

/// How much of a tool's name is shown, in bytes: as many as the protocol allows.
const MAX_NAME_BYTES: usize = 128;

/// What kind of failure it is that a call was not allowed.
const DENIED: &str = "denied";

/// Counts calls, and makes spans of them. Made by [`Telemetry::layer`].
pub struct Calls(Telemetry);

impl Calls {
    pub(crate) fn new(telemetry: Telemetry) -> Self {
        Self(telemetry)
    }
}

impl Layer for Calls {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let mut call = CallInProgress::new(&self.0, context.clone());
            let trace = call.span.trace();
            let ended = next.call(arguments, context.traced(trace)).await;
            call.ended(&ended);
            ended
        })
    }
}

/// A call that is under way. One that is dropped before it ended was given up.
struct CallInProgress<'a> {
    telemetry: &'a Telemetry,
    context: CallContext,
    since: Instant,
    span: Span,
    /// What is known of it, and why it failed, once it has ended.
    known: Option<(CallState, Option<&'static str>)>,
}

impl<'a> CallInProgress<'a> {
    fn new(telemetry: &'a Telemetry, context: CallContext) -> Self {
        Self {
            span: span_of(telemetry, &context),
            telemetry,
            context,
            since: Instant::now(),
            known: None,
        }
    }

    fn ended(&mut self, ended: &Result<ToolResult, CallError>) {
        self.known = Some(match ended {
            Ok(result) => (CallState::Answered, result.is_error.then_some("tool_error")),
            Err(error) => (error.state(), Some(reason(error))),
        });
    }
}

impl Drop for CallInProgress<'_> {
    fn drop(&mut self) {
        let given_up = || (self.context.state_if_given_up(), Some("given-up"));
        let (state, failure) = self.known.unwrap_or_else(given_up);
        let calls = self.telemetry.told().calls_of(&self.context.call().server);
        calls.ended(state, failure.is_some(), self.since.elapsed());
        if failure == Some(DENIED) {
            self.telemetry.told().denied.inc();
        }
        if let Some(failure) = failure {
            self.span.fail(failure);
        }
        self.span.end();
    }
}

fn span_of(telemetry: &Telemetry, context: &CallContext) -> Span {
    let call = context.call();
    let tool = || {
        let tool = &call.tool[..call.tool.floor_char_boundary(MAX_NAME_BYTES)];
        text::one_line(tool).into_owned()
    };
    let place = SpanPlace::new(SpanKind::Client, context.trace());
    let mut span = Span::begin(
        telemetry.traces(),
        || format!("tools/call {}", tool()),
        place,
    );
    if span.is_recorded() {
        span.tell("mcp.method.name", "tools/call");
        span.tell("gen_ai.operation.name", "execute_tool");
        span.tell("gen_ai.tool.name", tool());
        span.tell_text("ampoule.server", &call.server);
        span.tell("ampoule.run.id", call.run.to_string());
        span.tell("ampoule.call.number", i64::from(call.number));
    }
    span
}

/// What kind of failure it is: what the error says may hold anything.
fn reason(error: &CallError) -> &'static str {
    match error {
        CallError::NotReached(_) => "not-reached",
        CallError::NeedsSignIn(_) => "needs-sign-in",
        CallError::Denied(_) => DENIED,
        CallError::Arguments(_) => "arguments",
        CallError::Refused(_) => "refused",
        CallError::TimedOut(_) => "timed-out",
        CallError::Cancelled(_) => "cancelled",
        CallError::Lost(_) => "lost",
        CallError::Protocol(_) => "protocol",
        CallError::ResultTooLarge { .. } => "result-too-large",
        _ => "other",
    }
}
