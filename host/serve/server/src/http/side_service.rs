//! What a program serves beside MCP: the console. Its requests pass the same checks of names, and
//! bodies are read within the same limits. Who is let in, the routes themselves decide.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::HOST;
use http::uri::Authority;

use super::alone;
use super::body::{self, BoundedBody, Reservation, Room};
use super::connection::{Arrival, Patience};
use super::gate::Gate;
use super::listen::Listener;
use super::names::Names;
use super::refusal::HttpRefusal;
use super::streams;

/// The largest body of a request, in bytes.
const BODY_BYTES: usize = 1 << 20;
/// How much is held for the bodies of all requests, in bytes.
const ROOM_BYTES: u64 = 32 << 20;
/// How many connections there may be to routes that are alone.
const CONNECTIONS: usize = 256;

/// The routes behind the checks of a server that has them beside MCP.
pub(super) fn behind(gate: &Arc<Gate>, routes: Router) -> Router<Arc<Gate>> {
    let counted = from_fn_with_state(Arc::clone(gate), counted);
    let limits = Limits::new(gate.names.clone(), gate.patience);
    let checked = from_fn_with_state(Arc::new(limits), checked);
    routes.layer(checked).layer(counted).with_state(())
}

/// What a request may take.
struct Limits {
    names: Names,
    patience: Patience,
    room: Room,
}

impl Limits {
    fn new(names: Names, patience: Patience) -> Self {
        Self {
            names,
            patience,
            room: Room::new(ROOM_BYTES),
        }
    }
}

/// Telemetry reports each request.
async fn counted(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, "/console", headers);
    let response = next.run(request).await;
    told.answered(response.status());
    response
}

/// Checks the names, and reads the body.
async fn checked(State(limits): State<Arc<Limits>>, mut request: Request, next: Next) -> Response {
    let arrival = request.extensions().get::<Arrival>().cloned();
    let local = arrival.as_ref().and_then(|arrival| arrival.local);
    if let Err(wrong) = limits.names.check_page(&request, local) {
        tracing::warn!(
            ?wrong,
            "refused a request because of its host name or origin"
        );
        return HttpRefusal::name(&wrong).into_response();
    }
    name_host(&mut request);
    // The connection is in use until the answer has been read, and the room for the body as well.
    let busy = arrival.map(|arrival| arrival.busy.began());
    let (request, room) = match read(&limits, request).await {
        Ok(read) => read,
        Err(refused) => return refused.into_response(),
    };
    streams::holding(next.run(request).await, (busy, room))
}

/// HTTP/2 names the host in the address alone. The routes look for it in the header.
fn name_host(request: &mut Request) {
    if request.headers().contains_key(HOST) {
        return;
    }
    let authority = request.uri().authority().map(Authority::as_str);
    let host = authority.map(HeaderValue::try_from);
    if let Some(Ok(host)) = host {
        request.headers_mut().insert(HOST, host);
    }
}

async fn read(limits: &Limits, request: Request) -> Result<(Request, Reservation), HttpRefusal> {
    let mut reservation = limits.room.take()?;
    let (parts, body) = request.into_parts();
    let bounded = BoundedBody {
        body,
        most: BODY_BYTES,
        patience: limits.patience,
    };
    let text = body::read(bounded, &limits.room, &mut reservation).await?;
    Ok((Request::from_parts(parts, Body::from(text)), reservation))
}

/// Serves routes alone, for browsers on this machine, until the future is dropped.
pub async fn serve_alone(listener: Listener, routes: Router) {
    alone::serve(listener, alone_behind(routes), CONNECTIONS).await;
}

/// The routes behind the checks of a server that has nothing else.
pub(super) fn alone_behind(routes: Router) -> Router {
    let limits = Limits::new(Names::default(), Patience::default());
    routes.layer(from_fn_with_state(Arc::new(limits), checked))
}
