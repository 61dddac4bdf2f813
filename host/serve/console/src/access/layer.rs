//! The checks before each page and each answer of the API.

use ampoule_server::http::holding;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, StatusCode};

use super::cookie::{Cookies, Purpose};
use super::headers::with_headers;
use super::sign_in_error::SignInError;
use super::{CSRF_FIELD, CSRF_HEADER, Visitor, forgery, sign_in};
use crate::Console;
use crate::api::Problem;
use crate::sources::Share;

/// How large the body of a request may be, in bytes.
pub(crate) const BODY_BYTES: usize = 1 << 20;

/// Before each page.
pub(crate) async fn pages(
    State(console): State<Console>,
    mut request: Request,
    next: Next,
) -> Response {
    let public = sign_in::is_public(request.uri().path());
    let changes = forgery::changes(request.method());
    if changes && !forgery::is_own(request.headers()) {
        return with_headers(Problem::of(StatusCode::FORBIDDEN, FOREIGN).into_response());
    }
    if public {
        return with_headers(next.run(request).await);
    }
    let visitor = match visitor(&console, request.headers()).await {
        Ok(Some(visitor)) => visitor,
        // The browser stays signed in: the page may be there in a minute.
        Err(problem) if !problem.ends_sign_in() => {
            return with_headers(stranger(&console, &problem));
        }
        Ok(None) | Err(_) => return with_headers(to_sign_in(&console, &request)),
    };
    if changes {
        request = match own_form(request, &visitor).await {
            Ok(request) => request,
            Err(problem) => return with_headers(problem.into_response()),
        };
    }
    let share = match console.requests().open(&visitor.viewer) {
        Ok(share) => share,
        Err(busy) => return with_headers(Problem::from(&busy).into_response()),
    };
    request.extensions_mut().insert(visitor);
    with_headers(until_read(next.run(request).await, share))
}

/// What a browser gets that is not signed in, as far as this request tells.
fn to_sign_in(console: &Console, request: &Request) -> Response {
    let page = (request.method() == Method::GET).then(|| request.uri().path_and_query());
    let page = page.flatten().map_or("", PathAndQuery::as_str);
    let headers = request.headers();
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|it| it == value);
    let cookies = Cookies::of(headers, console.browsers().scheme);
    // A link of another site comes without the cookie. The page that it leads to asks once more, and
    // then the cookie is there.
    let is_led_here = is("sec-fetch-site", "cross-site") && is("sec-fetch-mode", "navigate");
    match is_led_here && cookies.read(Purpose::SignedIn).is_none() {
        true => sign_in::asks_again(page),
        false => Redirect::to(&sign_in::address(page)).into_response(),
    }
}

/// An answer that takes its share until it has been read. Live streams have shares of their own.
fn until_read(response: Response, share: Share) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(STREAM));
    match is_stream {
        true => response,
        false => holding(response, share),
    }
}

const STREAM: &[u8] = b"text/event-stream";

/// Before each answer of the API.
pub(crate) async fn api(
    State(console): State<Console>,
    mut request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let visitor = match headers.contains_key(AUTHORIZATION) {
        true => console.browsers().bearer(headers).await.map(Some),
        false => visitor(&console, headers).await,
    };
    let visitor = match visitor {
        Ok(Some(visitor)) => visitor,
        Ok(None) => return with_headers(stranger(&console, &SignInError::NoToken)),
        Err(problem) => return with_headers(stranger(&console, &problem)),
    };
    // A bearer token is sent by no browser on its own.
    if !visitor.csrf.is_empty() {
        let says_other = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site != "same-origin" && site != "none");
        let changes = forgery::changes(request.method());
        if says_other || (changes && !forgery::is_own(headers)) {
            return with_headers(Problem::of(StatusCode::FORBIDDEN, FOREIGN).into_response());
        }
        if changes && !has_header(headers, &visitor) {
            return with_headers(Problem::of(StatusCode::FORBIDDEN, NO_CSRF).into_response());
        }
    }
    let share = match console.requests().open(&visitor.viewer) {
        Ok(share) => share,
        Err(busy) => return with_headers(Problem::from(&busy).into_response()),
    };
    request.extensions_mut().insert(visitor);
    with_headers(until_read(next.run(request).await, share))
}

const FOREIGN: &str = "the request does not come from a page of this console";
const NO_CSRF: &str = "the request lacks the token of the page: load the page again, and repeat the action; programs send it in the header `x-ampoule-csrf`";

/// The person at the browser that sends a request.
async fn visitor(console: &Console, headers: &HeaderMap) -> Result<Option<Visitor>, SignInError> {
    let browsers = console.browsers();
    match Cookies::of(headers, browsers.scheme).read(Purpose::SignedIn) {
        Some(cookie) => browsers.visitor(cookie).await,
        None => Ok(None),
    }
}

fn has_header(headers: &HeaderMap, visitor: &Visitor) -> bool {
    let sent = headers.get(CSRF_HEADER).and_then(|it| it.to_str().ok());
    sent.is_some_and(|sent| forgery::is_same(sent, &visitor.csrf))
}

/// The request, if its header or its form has the token of the page.
async fn own_form(request: Request, visitor: &Visitor) -> Result<Request, Problem> {
    if has_header(request.headers(), visitor) {
        return Ok(request);
    }
    let kind = request.headers().get(CONTENT_TYPE);
    let is_form = kind.is_some_and(|kind| kind.as_bytes().starts_with(FORM));
    if !is_form {
        return Err(Problem::of(StatusCode::FORBIDDEN, NO_CSRF));
    }
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, BODY_BYTES).await.map_err(|_| {
        Problem::of(
            StatusCode::PAYLOAD_TOO_LARGE,
            "the form is too large, or ended early",
        )
    })?;
    let mut fields = url::form_urlencoded::parse(&body);
    let is_own =
        fields.any(|(name, sent)| name == CSRF_FIELD && forgery::is_same(&sent, &visitor.csrf));
    match is_own {
        true => Ok(Request::from_parts(parts, Body::from(body))),
        false => Err(Problem::of(StatusCode::FORBIDDEN, NO_CSRF)),
    }
}

const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// What a program is answered that does not say who it is.
fn stranger(console: &Console, problem: &SignInError) -> Response {
    let (status, said) = match problem {
        SignInError::Refused(refused) => (refused.status(), refused.message().to_string()),
        SignInError::IssuerDown => (StatusCode::SERVICE_UNAVAILABLE, problem.to_string()),
        SignInError::NoToken if console.browsers().is_local() => (
            StatusCode::UNAUTHORIZED,
            "sign in first: open the address that Ampoule printed".to_owned(),
        ),
        SignInError::NoToken => (
            StatusCode::UNAUTHORIZED,
            "send a token in the header `Authorization: Bearer …`".to_owned(),
        ),
        SignInError::Console(problem) => return Problem::from(problem).into_response(),
    };
    let mut response = Problem::of(status, said).into_response();
    if let Some(challenge) = console.browsers().refusal(problem) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}
