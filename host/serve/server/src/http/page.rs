//! Answers of people that come by HTTP: from the browsers that look at pages, and from an
//! operator's system. Neither is a client.
//!
//! There is no sign-in here: an address of a page is a capability for one browser, and the operator's
//! system signs its answers.

use std::sync::Arc;

use ampoule_approvals::{Page, QuestionError, Webhook};
use ampoule_sign_in::accounts::{Accounts, PageRequest};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use http::uri::Authority;
use http::{HeaderMap, Method, Request, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;

use super::alone;
use super::body::{self, BoundedBody, Reservation, Room};
use super::connection::{Arrival, Patience, UseGuard};
use super::listen::Listener;
use super::names::Names;
use super::refusal::HttpRefusal;

/// Where it is.
pub(super) const PAGE: &str = "/approvals/{address}";
/// Where principals sign in to servers.
pub(super) const SIGN_INS: &str = "/auth/{*path}";
/// Where an operator's system answers.
pub(super) const ANSWERS: &str = "/approvals/answers";
/// How large a form may be, in bytes: a little more than the page takes, for it to say so.
const FORM_BYTES: usize = 80 << 10;
/// How many are answered at once.
const AT_ONCE: usize = 32;
/// How many connections there may be to a page that is alone.
const CONNECTIONS: usize = 64;

/// The page and the operator's system.
pub(super) struct People {
    page: Option<Page>,
    webhook: Option<Webhook>,
    accounts: Option<Accounts>,
    names: Names,
    room: Room,
    patience: Patience,
    at_once: Semaphore,
    /// Apart from the others: a sign-in waits for an authorization server.
    signing_in: Semaphore,
}

/// What of a request is held until it is answered.
struct HeldRoom<'p> {
    _one: SemaphorePermit<'p>,
    _busy: Option<UseGuard>,
    _reservation: Reservation,
}

/// A request of one of them.
struct PersonRequest {
    method: Method,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl People {
    /// The page, reached by these names and its own; and an operator's system.
    pub(super) fn new(
        page: Option<Page>,
        webhook: Option<Webhook>,
        accounts: Option<Accounts>,
        mut names: Names,
        patience: Patience,
    ) -> Self {
        let own = page.as_ref().and_then(Page::host);
        let of_accounts = accounts.as_ref().and_then(Accounts::host);
        for own in [own, of_accounts] {
            names.allow(own.and_then(|host| host.parse::<Authority>().ok()));
        }
        Self {
            page,
            webhook,
            accounts,
            names,
            room: Room::new((FORM_BYTES * AT_ONCE) as u64 * 2),
            patience,
            at_once: Semaphore::new(AT_ONCE),
            signing_in: Semaphore::new(AT_ONCE),
        }
    }

    /// What a browser is shown at an address.
    pub(super) async fn shown(&self, address: String, request: Request<Body>) -> Response {
        let Some(page) = self.page.clone() else {
            return nobody();
        };
        let show = move |said: PersonRequest| {
            let shown = page.handle(&said.method, &address, &said.headers, &said.body);
            shown.map(Body::from)
        };
        let shown = self.said(request, show).await;
        shown.unwrap_or_else(IntoResponse::into_response)
    }

    /// What a browser is answered in which a principal signs in to a server.
    pub(super) async fn signs_in(&self, path: &str, request: Request<Body>) -> Response {
        let Some(accounts) = &self.accounts else {
            let said = "nobody signs in to servers here";
            return HttpRefusal::plain(StatusCode::NOT_FOUND, said).into_response();
        };
        let query = request.uri().query().map(str::to_owned);
        let (said, _held) = match self.read(request, &self.signing_in).await {
            Ok(read) => read,
            Err(refused) => return refused.into_response(),
        };
        let request = PageRequest {
            method: &said.method,
            path,
            query: query.as_deref(),
            headers: &said.headers,
            body: &said.body,
        };
        accounts.handle(request).await.map(Body::from)
    }

    /// The response to an operator's system that answers.
    pub(super) async fn told(&self, request: Request<Body>) -> Response {
        let Some(webhook) = self.webhook.clone() else {
            return nobody();
        };
        let answer = move |said: PersonRequest| match webhook.answer(&said.headers, &said.body) {
            Ok(_) => StatusCode::NO_CONTENT.into_response(),
            Err(problem) => refused(&problem).into_response(),
        };
        let told = self.said(request, answer).await;
        told.unwrap_or_else(IntoResponse::into_response)
    }

    /// Reads the request, and handles it with work that may block.
    async fn said(
        &self,
        request: Request<Body>,
        action: impl FnOnce(PersonRequest) -> Response + Send + 'static,
    ) -> Result<Response, HttpRefusal> {
        let (said, held) = self.read(request, &self.at_once).await?;
        let answer = spawn_blocking(move || action(said)).await;
        drop(held);
        answer.map_err(|_| HttpRefusal::plain(StatusCode::INTERNAL_SERVER_ERROR, "the host failed"))
    }

    /// Reads the request, as one of so many at once.
    async fn read<'p>(
        &'p self,
        request: Request<Body>,
        at_once: &'p Semaphore,
    ) -> Result<(PersonRequest, HeldRoom<'p>), HttpRefusal> {
        let arrival = request.extensions().get::<Arrival>().cloned();
        let local = arrival.as_ref().and_then(|arrival| arrival.local);
        self.names.check_page(&request, local).map_err(|wrong| {
            tracing::warn!(?wrong, "refused an answer because of its host name");
            HttpRefusal::name(&wrong)
        })?;
        let one = at_once.try_acquire().map_err(|_| {
            let said = "too many answers at once; try again";
            HttpRefusal::busy(StatusCode::SERVICE_UNAVAILABLE, said.to_owned())
        })?;
        let busy = arrival.map(|arrival| arrival.busy.began());
        let mut reservation = self.room.take()?;
        let (parts, body) = request.into_parts();
        let bounded = BoundedBody {
            body,
            most: FORM_BYTES,
            patience: self.patience,
        };
        let said = PersonRequest {
            method: parts.method,
            headers: parts.headers,
            body: body::read(bounded, &self.room, &mut reservation).await?,
        };
        let held = HeldRoom {
            _one: one,
            _busy: busy,
            _reservation: reservation,
        };
        Ok((said, held))
    }
}

fn nobody() -> Response {
    HttpRefusal::plain(StatusCode::NOT_FOUND, "approvals are not answered here").into_response()
}

/// Why an answer of an operator's system is refused.
fn refused(problem: &QuestionError) -> HttpRefusal {
    let status = match problem {
        QuestionError::Refused(_) => StatusCode::FORBIDDEN,
        QuestionError::Missing(_) => StatusCode::NOT_FOUND,
        QuestionError::Answered(_) | QuestionError::Changed => StatusCode::CONFLICT,
        QuestionError::Expired(_) => StatusCode::GONE,
        QuestionError::NotOffered(_) => StatusCode::UNPROCESSABLE_ENTITY,
        _ => {
            let id = ampoule_untrusted::log_id();
            tracing::warn!(id, %problem, "an answer can't be stored");
            let said = format!("the host can't store it ({id}, in its log)");
            return HttpRefusal::plain(StatusCode::INTERNAL_SERVER_ERROR, said);
        }
    };
    HttpRefusal::plain(status, problem.to_string())
}

/// Serves the page alone, until the future is dropped.
pub(crate) async fn serve(listener: Listener, page: Page) {
    let patience = Patience::default();
    let people = People::new(Some(page), None, None, Names::default(), patience);
    let shown = async |State(people): State<Arc<People>>, Path(address), request| {
        people.shown(address, request).await
    };
    let router = Router::new().route(PAGE, any(shown));
    let router = router.with_state(Arc::new(people));
    alone::serve(listener, router, CONNECTIONS).await;
}
