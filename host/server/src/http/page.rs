//! The page on which people answer questions: its browsers, which are no clients.
//!
//! Nobody signs in here: an address is good for whoever was given it, and for one browser.

use std::sync::Arc;

use ampoule_approvals::Page;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http::uri::Authority;
use http::{Request, StatusCode};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::body::{self, Room};
use super::connection::{self, Busy, Patience};
use super::denied::Denied;
use super::gate::{Came, Gate};
use super::listen::{Accepted, Listener};
use super::names::Names;

/// Where it is.
pub(super) const ROUTE: &str = "/approvals/{address}";
/// How large a form may be, in bytes: a little more than the page takes, for it to say so.
const FORM_BYTES: usize = 80 << 10;
/// How many browsers are answered at once.
const AT_ONCE: usize = 32;
/// How many connections there may be to a page that is alone.
const CONNECTIONS: usize = 64;

/// The page, for browsers.
pub(super) struct Browsers {
    page: Page,
    names: Names,
    room: Room,
    patience: Patience,
    at_once: Semaphore,
}

impl Browsers {
    /// The page, reached by these names and its own.
    pub(super) fn new(page: Page, mut names: Names, patience: Patience) -> Self {
        let own = page.host().and_then(|host| host.parse::<Authority>().ok());
        names.allow(own);
        Self {
            page,
            names,
            room: Room::new((FORM_BYTES * AT_ONCE) as u64 * 2),
            patience,
            at_once: Semaphore::new(AT_ONCE),
        }
    }

    async fn answer(&self, address: String, request: Request<Body>) -> Response {
        let answered = self.answered(address, request).await;
        answered.unwrap_or_else(IntoResponse::into_response)
    }

    async fn answered(&self, address: String, request: Request<Body>) -> Result<Response, Denied> {
        let came = request.extensions().get::<Came>().cloned();
        let local = came.as_ref().and_then(|came| came.local);
        self.names.check_page(&request, local).map_err(|wrong| {
            tracing::warn!(?wrong, "a browser was refused because of a name");
            Denied::name(&wrong)
        })?;
        let _one = self.at_once.try_acquire().map_err(|_| {
            let said = "too many browsers are answered; try again";
            Denied::busy(StatusCode::SERVICE_UNAVAILABLE, said.to_owned())
        })?;
        let _busy = came.map(|came| came.busy.began());
        let mut taken = self.room.take()?;
        let (parts, body) = request.into_parts();
        let bounds = (FORM_BYTES, self.patience);
        let form = body::read(body, bounds, (&self.room, &mut taken)).await?;
        let page = self.page.clone();
        // It reads and writes files.
        let answer =
            spawn_blocking(move || page.handle(&parts.method, &address, &parts.headers, &form));
        match answer.await {
            Ok(answer) => Ok(answer.map(Body::from)),
            Err(_) => Err(Denied::plain(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the host failed",
            )),
        }
    }
}

/// A browser of a server that has the page.
pub(super) async fn of_gate(
    State(gate): State<Arc<Gate>>,
    Path(address): Path<String>,
    request: Request<Body>,
) -> Response {
    let Some(browsers) = &gate.browsers else {
        return Denied::plain(StatusCode::NOT_FOUND, "nobody is asked here").into_response();
    };
    let (method, headers) = (request.method(), request.headers());
    let told = gate.telemetry.http_request(method, "/approvals", headers);
    let response = browsers.answer(address, request).await;
    told.answered(response.status());
    response
}

/// Serves the page alone, until the future is dropped.
pub(crate) async fn serve(listener: Listener, page: Page) {
    let patience = Patience::default();
    let browsers = Arc::new(Browsers::new(page, Names::default(), patience));
    let answer = async |State(browsers): State<Arc<Browsers>>, Path(address), request| {
        browsers.answer(address, request).await
    };
    let router = Router::new().route(ROUTE, any(answer));
    let router = router.with_state(browsers);
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok(Accepted::Tcp(stream, _)) => stream,
            Ok(Accepted::Unix(_)) => continue,
            Err(error) => {
                tracing::warn!(%error, "a browser can't be answered");
                tokio::time::sleep(super::EXHAUSTED).await;
                continue;
            }
        };
        let local = stream.local_addr().ok().map(|it| it.ip().to_canonical());
        let came = Came {
            local,
            busy: Busy::new(patience),
        };
        let router = router.clone();
        tokio::spawn(async move {
            let _place = place;
            let closing = CancellationToken::new();
            connection::serve(stream, false, (router, came), closing).await;
        });
    }
}
