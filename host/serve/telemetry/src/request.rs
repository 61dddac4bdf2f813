//! A client's request, as its operator sees it.

use std::time::Instant;

use ampoule_tools::{Principal, Trace};
use http::{HeaderMap, Method, StatusCode};
use opentelemetry::trace::SpanKind;

use super::Telemetry;
use super::span::{Span, SpanPlace};

/// An HTTP request that is under way. Where it is in a trace is for whoever answers it.
#[must_use = "a request that is dropped has no answer"]
pub struct HttpRequest {
    telemetry: Telemetry,
    since: Instant,
    span: Span,
}

/// A request of MCP's that is under way. It ends when it is dropped.
#[must_use = "a request ends when this is dropped"]
pub struct Request(Span);

impl Telemetry {
    /// An HTTP request, to one of the server's own paths.
    pub fn http_request(
        &self,
        method: &Method,
        path: &'static str,
        headers: &HeaderMap,
    ) -> HttpRequest {
        let within = trace_in(headers);
        let method = known(method);
        let mut span = Span::begin(
            self.traces(),
            || format!("{method} {path}"),
            SpanPlace::new(SpanKind::Server, within.as_ref()),
        );
        span.tell("http.request.method", method);
        span.tell("url.path", path);
        HttpRequest {
            telemetry: self.clone(),
            since: Instant::now(),
            span,
        }
    }

    /// A request of MCP's, of this method and for one of the server's own tools, if it is for one.
    /// The client may have said where it belongs in a trace; else that is where its HTTP request
    /// does.
    pub fn request(
        &self,
        method: &'static str,
        tool: Option<&'static str>,
        principal: Option<&Principal>,
        told: Option<&Trace>,
        http: Option<&Trace>,
    ) -> Request {
        let name = || {
            [Some(method), tool]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        };
        // Where both say something, the one gets the other.
        let place = SpanPlace {
            kind: SpanKind::Server,
            within: told.or(http).cloned(),
            beside: told.and(http).cloned(),
        };
        let mut span = Span::begin(self.traces(), name, place);
        span.tell("mcp.method.name", method);
        if let Some(tool) = tool {
            span.tell("gen_ai.operation.name", "execute_tool");
            span.tell("gen_ai.tool.name", tool);
        }
        if let Some(principal) = principal {
            span.tell_text("ampoule.principal", principal.name());
        }
        Request(span)
    }
}

impl HttpRequest {
    /// Where what it asks for belongs in a trace.
    pub fn trace(&self) -> Option<Trace> {
        self.span.trace()
    }

    /// The answer begins.
    pub fn answered(mut self, status: StatusCode) {
        let status = status.as_u16();
        self.telemetry.told().answered(status, self.since.elapsed());
        self.span
            .tell("http.response.status_code", i64::from(status));
        if status >= 500 {
            self.span.fail(status.to_string());
        }
        self.span.end();
    }
}

impl Request {
    /// Where what it asks for belongs in a trace.
    pub fn trace(&self) -> Option<Trace> {
        self.0.trace()
    }

    /// It failed, for a reason in a fixed word.
    pub fn failed(&mut self, why: &'static str) {
        self.0.fail(why);
    }
}

/// Where headers say that a request belongs in a trace.
fn trace_in(headers: &HeaderMap) -> Option<Trace> {
    let mut parents = headers.get_all(Trace::PARENT).into_iter();
    let (Some(parent), None) = (parents.next(), parents.next()) else {
        return None;
    };
    let states = headers.get_all(Trace::STATE).into_iter();
    let states: Option<Vec<&str>> = states.map(|state| state.to_str().ok()).collect();
    let state = states
        .filter(|states| !states.is_empty())
        .map(|states| states.join(","));
    Trace::new(parent.to_str().ok()?, state.as_deref())
}

/// A method that everybody knows: others would be as many as there are clients' whims.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::HEAD => "HEAD",
        Method::PUT => "PUT",
        _ => "_OTHER",
    }
}
