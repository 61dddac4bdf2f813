//! What is at which address.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use http::Request;
use http::header::{HeaderName, HeaderValue};

use super::endpoint::{MCP, METADATA};
use super::gate::Gate;
use super::handlers;
use super::hooks::HOOK;
use super::page::{ANSWERS, PAGE, SIGN_INS};
use super::side_service;

/// The server's own routes, and what it serves beside them.
pub(super) fn router(gate: &Arc<Gate>, routes_beside: Router) -> Router {
    let nosniff = |mut response: axum::response::Response| async move {
        let name = HeaderName::from_static("x-content-type-options");
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static("nosniff"));
        response
    };
    Router::new()
        .route(MCP, any(handlers::mcp))
        .route(&format!("{MCP}/{{*toolkit}}"), any(handlers::mcp))
        .route(METADATA, get(handlers::metadata))
        .route(&format!("{METADATA}{MCP}"), get(handlers::metadata))
        .route(
            &format!("{METADATA}{MCP}/{{*toolkit}}"),
            get(handlers::metadata),
        )
        .route(PAGE, any(browser))
        .route(ANSWERS, post(answers))
        .route(SIGN_INS, any(sign_ins))
        .route(HOOK, any(hooks))
        .route("/metrics", get(handlers::metrics))
        .route("/readyz", get(handlers::ready))
        .route("/healthz", get(async || "ok\n"))
        .merge(side_service::behind(gate, routes_beside))
        .fallback(async || (http::StatusCode::NOT_FOUND, "MCP is at /mcp\n"))
        .layer(axum::middleware::map_response(nosniff))
        .with_state(Arc::clone(gate))
}

/// A browser of a server that has the page.
async fn browser(
    State(gate): State<Arc<Gate>>,
    Path(address): Path<String>,
    request: Request<Body>,
) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, "/approvals", headers);
    let response = gate.people.shown(address, request).await;
    told.answered(response.status());
    response
}

/// A browser in which a principal signs in to a server.
async fn sign_ins(
    State(gate): State<Arc<Gate>>,
    Path(path): Path<String>,
    request: Request<Body>,
) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, "/auth", headers);
    let response = gate.people.signs_in(&path, request).await;
    told.answered(response.status());
    response
}

/// Another system, whose message starts a run.
async fn hooks(
    State(gate): State<Arc<Gate>>,
    Path(name): Path<String>,
    request: Request<Body>,
) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, "/hooks", headers);
    let response = match gate.check_names(&request) {
        Ok(()) => gate.hooks.answer(&name, request).await,
        Err(denied) => denied.into_response(),
    };
    told.answered(response.status());
    response
}

/// An operator's system, which answers.
async fn answers(State(gate): State<Arc<Gate>>, request: Request<Body>) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, ANSWERS, headers);
    let response = gate.people.told(request).await;
    told.answered(response.status());
    response
}
