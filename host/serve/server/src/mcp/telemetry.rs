//! Traces and metrics of requests.

use ampoule::Trace;
use ampoule_telemetry::{Request, Telemetry};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::caller::principal;

/// A call of a tool begins. Those of servers have no name of their own here. What it leads to finds where that belongs in a trace
/// beside the request.
pub(super) fn request(
    telemetry: &Telemetry,
    tool: &str,
    context: &mut RequestContext<RoleServer>,
) -> Request {
    let known = ["execute_code", "search_tools", "call_tool"];
    let tool = known.into_iter().find(|known| *known == tool);
    let (told, http) = (trace_in_message(context), trace_of_http(context).cloned());
    let (told, http) = (told.as_ref(), http.as_ref());
    let request = telemetry.request("tools/call", tool, principal(context), told, http);
    if let Some(trace) = request.trace() {
        context.extensions.insert(trace);
    }
    request
}

/// Where the client says in the message itself that it belongs in a trace (SEP-414).
fn trace_in_message(context: &RequestContext<RoleServer>) -> Option<Trace> {
    let meta = &context.meta;
    Trace::new(meta.get_traceparent()?, meta.get_tracestate())
}

/// Where the message's HTTP request belongs in a trace, from the HTTP layer.
fn trace_of_http(context: &RequestContext<RoleServer>) -> Option<&Trace> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Trace>()
}
