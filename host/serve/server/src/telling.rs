//! What the operator is told of requests and runs.

use ampoule::{Error, Outcome, Principal, Trace};
use ampoule_telemetry::{Ended, Request, Run, Telemetry};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::client::{self, principal};
use super::report::Ran;

/// A call of one of the two tools begins. What it leads to finds where that belongs in a trace
/// beside the request.
pub(super) fn request(
    telemetry: &Telemetry,
    tool: &str,
    context: &mut RequestContext<RoleServer>,
) -> Request {
    let known = ["execute_code", "search_tools"];
    let tool = known.into_iter().find(|known| *known == tool);
    let (told, http) = (trace_in_message(context), trace_of_http(context).cloned());
    let traces = (told.as_ref(), http.as_ref());
    let request = telemetry.request(("tools/call", tool), principal(context), traces);
    if let Some(trace) = request.trace() {
        context.extensions.insert(trace);
    }
    request
}

/// A run begins for a request.
pub(super) fn run(
    telemetry: &Telemetry,
    ran: Ran,
    principal: Option<&Principal>,
    context: &RequestContext<RoleServer>,
) -> Run {
    let language = match ran {
        Ran::Script { language, .. } => language.name(),
        Ran::Component => "component",
    };
    let client = client::name(context);
    let trace = context.extensions.get::<Trace>();
    telemetry.run(language, principal, client.as_deref(), trace)
}

/// A run's outcome, once it is there and was told of.
pub(super) async fn outcome(
    telemetry: &Telemetry,
    told: Run,
    run: ampoule::Run,
) -> Result<Outcome, Error> {
    let outcome = run.outcome().await;
    if outcome
        .as_ref()
        .is_ok_and(|outcome| outcome.withheld.is_some())
    {
        telemetry.withheld();
    }
    told.ended(match &outcome {
        Ok(outcome) => Ended {
            ending: outcome.ending.name(),
            fuel: outcome.usage.fuel,
            calls: outcome.usage.calls.len(),
        },
        Err(error) => not_run(telemetry, error),
    });
    outcome
}

/// What became of a run that there was not.
pub(super) fn not_run(telemetry: &Telemetry, error: &Error) -> Ended {
    if error.is_busy() {
        telemetry.busy();
    }
    Ended::with(match error {
        _ if error.is_busy() => "busy",
        _ if error.is_request() => "refused",
        _ => "failed",
    })
}

/// Where the client says in the message itself that it belongs in a trace (SEP-414).
fn trace_in_message(context: &RequestContext<RoleServer>) -> Option<Trace> {
    let meta = &context.meta;
    Trace::new(meta.get_traceparent()?, meta.get_tracestate())
}

/// Where the message's HTTP request belongs in a trace: whoever took that in knows.
fn trace_of_http(context: &RequestContext<RoleServer>) -> Option<&Trace> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Trace>()
}
