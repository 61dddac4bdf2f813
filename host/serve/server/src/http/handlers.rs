//! What answers the requests of clients, and of those who watch the server.

use std::sync::Arc;

use ampoule_telemetry::Telemetry;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{Request, StatusCode, header};

use super::endpoint::MCP;
use super::gate::Gate;
use super::refusal::HttpRefusal;

/// MCP at its addresses. Telemetry reports each request.
pub(super) async fn mcp(State(gate): State<Arc<Gate>>, mut request: Request<Body>) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, MCP, headers);
    if let Some(trace) = told.trace() {
        request.extensions_mut().insert(trace);
    }
    let response = gate.answer(request).await;
    told.answered(response.status());
    response
}

/// How clients sign in: the metadata of the protected resource.
pub(super) async fn metadata(State(gate): State<Arc<Gate>>, request: Request<Body>) -> Response {
    if let Err(denied) = gate.check_names(&request) {
        return denied.into_response();
    }
    let endpoint = match gate.endpoints.at(request.uri()) {
        Ok(endpoint) => endpoint,
        Err(missing) => return missing.into_response(),
    };
    match endpoint.access.metadata() {
        Some(metadata) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (json, metadata.to_string()).into_response()
        }
        None => {
            HttpRefusal::plain(StatusCode::NOT_FOUND, "this server has no sign-in").into_response()
        }
    }
}

/// Metrics, for clients that may use the server.
pub(super) async fn metrics(State(gate): State<Arc<Gate>>, request: Request<Body>) -> Response {
    match gate.may_read_metrics(request).await {
        Ok(()) => {
            let kind = [(header::CONTENT_TYPE, Telemetry::METRICS_TYPE)];
            if let Some(asking) = &gate.asking {
                gate.telemetry.asked(asking.asked());
            }
            (kind, gate.telemetry.metrics()).into_response()
        }
        Err(denied) => denied.into_response(),
    }
}

/// Whether it can take requests.
pub(super) async fn ready(State(gate): State<Arc<Gate>>) -> (StatusCode, String) {
    let not_yet = |why: &str| (StatusCode::SERVICE_UNAVAILABLE, why.to_owned());
    match gate.ready.get() {
        _ if gate.closing.is_cancelled() => not_yet("stopping\n"),
        Some(ready) => (StatusCode::OK, ready.clone()),
        None => not_yet("starting\n"),
    }
}
