//! The checks of a request before `rmcp` reads it: the host name, the principal, the limits, and
//! whether it is valid.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use ampoule::Principal;
use ampoule_approvals::Approvals;
use ampoule_telemetry::Telemetry;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{Method, Request, StatusCode};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::accept::AcceptedForms;
use super::body::{self, BoundedBody, Reservation, Room};
use super::connection::{Arrival, Patience};
use super::endpoint::{self, Endpoint, Endpoints};
use super::hooks::HookDoor;
use super::message::{ArrivedMessage, PassedMessage};
use super::names::Names;
use super::page::People;
use super::refusal::HttpRefusal;
use super::sessions::AllSessions;
use super::streams;
use crate::mcp::watching::shares::{Share, Shares};

/// What a page may read of an answer.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate");
/// A longer message is read on a thread of its own, in bytes.
const READ_HERE_BYTES: usize = 64 << 10;

/// What all requests pass.
pub(super) struct Gate {
    pub(super) names: Names,
    pub(super) endpoints: Endpoints,
    pub(super) sessions: Arc<AllSessions>,
    pub(super) room: Room,
    /// How long a message may be, in bytes.
    pub(super) most: usize,
    pub(super) patience: Patience,
    /// The active requests of each principal.
    pub(super) at_once: Arc<Shares>,
    /// The active requests.
    pub(super) under_way: TaskTracker,
    /// Cancelled when the server takes no further requests.
    pub(super) closing: CancellationToken,
    /// The languages that the server is ready for.
    pub(super) ready: OnceLock<String>,
    pub(super) telemetry: Telemetry,
    /// The page for approvals, if there is one.
    pub(super) asking: Option<Approvals>,
    /// The page and the operator's system, which answer by HTTP.
    pub(super) people: People,
    /// What takes messages of other systems.
    pub(super) hooks: HookDoor,
}

/// What a request holds until its answer has been read.
struct Admission {
    _turn: Option<Share>,
    reserved: Reservation,
    _under_way: Option<TaskTrackerToken>,
}

impl Admission {
    /// The request stays open: it has a share of streams, and the server does not wait for it.
    fn stays_open(&mut self) {
        (self._turn, self._under_way) = (None, None);
    }
}

/// The preflight request of a browser (CORS). The page is an allowed one.
fn preflight(request: &Request<Body>) -> Response {
    let methods = HeaderValue::from_static("POST, GET, DELETE");
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    if let Some(wanted) = request
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
    {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    response
}

/// The answer to the end of a session. Python's clients complain about any status but 200 or 204.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

impl Gate {
    /// What a request is answered.
    pub(super) async fn answer(&self, request: Request<Body>) -> Response {
        let origin = request.headers().get(header::ORIGIN).cloned();
        if let Err(denied) = self.check_names(&request) {
            return denied.into_response();
        }
        let mut response = match self.endpoints.at(request.uri()) {
            Ok(endpoint) => self.answer_at(&endpoint, request).await,
            Err(missing) => missing.into_response(),
        };
        if let Some(origin) = origin {
            let headers = response.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            headers.insert(header::VARY, HeaderValue::from_static("origin"));
        }
        response
    }

    async fn answer_at(&self, endpoint: &Endpoint, request: Request<Body>) -> Response {
        match *request.method() {
            Method::POST => self.admitted(endpoint, request).await.into_response(),
            Method::GET if endpoint::names_session(&request) => {
                let streamed = Box::pin(self.streamed(endpoint, request));
                streamed.await.into_response()
            }
            Method::DELETE => ended(self.admitted(endpoint, request).await.into_response()),
            Method::OPTIONS if request.headers().contains_key(header::ORIGIN) => {
                preflight(&request)
            }
            _ => HttpRefusal::method().into_response(),
        }
    }

    /// Every client that is let in may read the metrics.
    pub(super) async fn may_read_metrics(&self, request: Request<Body>) -> Result<(), HttpRefusal> {
        self.check_names(&request)?;
        let whole = self.endpoints.whole();
        whole.access.admit(request.headers()).await?;
        Ok(())
    }

    pub(super) fn check_names(&self, request: &Request<Body>) -> Result<(), HttpRefusal> {
        let arrival = request.extensions().get::<Arrival>();
        let local = arrival.and_then(|arrival| arrival.local);
        self.names.check(request, local).map_err(|wrong| {
            tracing::warn!(
                ?wrong,
                "refused a request because of its host name or origin"
            );
            HttpRefusal::name(&wrong)
        })
    }

    /// Passes a request on, if it is let in.
    async fn admitted(
        &self,
        endpoint: &Endpoint,
        mut request: Request<Body>,
    ) -> Result<Response, HttpRefusal> {
        let principal = endpoint.access.admit(request.headers()).await?;
        let takes = match *request.method() {
            Method::POST => AcceptedForms::asked(&mut request)?,
            // Its answer has no body.
            _ => AcceptedForms::BOTH,
        };
        request.extensions_mut().insert(takes);
        let mut admission = Admission {
            _turn: Some(self.turn(principal.as_ref())?),
            reserved: self.room.take()?,
            _under_way: Some(self.under_way.token()),
        };
        if let Some(principal) = &principal {
            request.extensions_mut().insert(principal.clone());
        }
        let busy = request
            .extensions()
            .get::<Arrival>()
            .map(|arrival| arrival.busy.began());
        let heavy;
        let mut called_by = None;
        let request = if request.method() == Method::POST {
            let (parts, body) = request.into_parts();
            let bounded = BoundedBody {
                body,
                most: self.most,
                patience: self.patience,
            };
            let text = body::read(bounded, &self.room, &mut admission.reserved).await?;
            heavy = text.len() > READ_HERE_BYTES;
            let request = Request::from_parts(parts, text);
            let session = endpoint.session(&request, principal.as_ref())?;
            let arrived = ArrivedMessage { session, heavy };
            let reserved = &mut admission.reserved;
            match self.looked_at(request, principal.as_ref(), arrived, reserved)? {
                Some(PassedMessage {
                    request,
                    listens: Some(asked),
                    ..
                }) => {
                    if !takes.takes_events() {
                        let said =
                            "changes are reported as `text/event-stream`; name that in `Accept`";
                        return Err(HttpRefusal::plain(StatusCode::NOT_ACCEPTABLE, said));
                    }
                    admission.stays_open();
                    let response = Box::pin(endpoint.streams.listen(asked, request)).await;
                    return Ok(streams::holding(response, (admission, busy)));
                }
                Some(PassedMessage {
                    request, caller, ..
                }) => {
                    called_by = caller;
                    request.map(Body::from)
                }
                None => return Ok(StatusCode::ACCEPTED.into_response()),
            }
        } else {
            heavy = false;
            endpoint.session(&request, principal.as_ref())?;
            request
        };
        let response = match called_by {
            Some(caller) => elsewhere(heavy, endpoint.of_caller(caller).handle(request)).await,
            None => elsewhere(heavy, endpoint.mcp.handle(request)).await,
        };
        let response = takes.fitted(response.map(Body::new)).await;
        Ok(streams::holding(response, (admission, busy)))
    }

    /// Opens the stream that tells the client of a session.
    async fn streamed(
        &self,
        endpoint: &Endpoint,
        request: Request<Body>,
    ) -> Result<Response, HttpRefusal> {
        let principal = endpoint.access.admit(request.headers()).await?;
        endpoint.session(&request, principal.as_ref())?;
        if self.closing.is_cancelled() {
            return Err(HttpRefusal::method());
        }
        let held = endpoint.streams.admitted(principal.as_ref(), &request)?;
        let response = endpoint.mcp.handle(request).await;
        Ok(streams::holding(response.map(Body::new), held))
    }

    /// A share of the active requests.
    fn turn(&self, principal: Option<&Principal>) -> Result<Share, HttpRefusal> {
        self.at_once.take(principal).ok_or_else(|| {
            HttpRefusal::busy(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "too many requests: {} of your requests are active; wait for one to be answered",
                    self.at_once.most()
                ),
            )
        })
    }
}

/// Does work on a thread where no other task waits for it.
pub(super) fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Waits for a future that does much before it first waits itself: it parses a large message.
async fn elsewhere<F: Future>(mut heavy: bool, future: F) -> F::Output {
    let mut future = pin!(future);
    poll_fn(|context| {
        if std::mem::take(&mut heavy) {
            in_place(|| future.as_mut().poll(context))
        } else {
            future.as_mut().poll(context)
        }
    })
    .await
}
