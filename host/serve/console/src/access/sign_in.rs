//! Signing in: by a one-time address, by a token that a person pastes, or at the company's issuer; and
//! signing out.

use std::sync::Arc;

use ampoule_audit::{Event, SignIn};
use axum::extract::{Query, RawQuery, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Form, Router};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use super::browsers::NewSession;
use super::cookie::{Cookies, Purpose};
use super::issuer::{Departure, IssuerError, IssuerSignIn};
use super::return_page::{FIRST, own_page};
use super::sign_in_error::SignInError;
use crate::download::encoded;
use crate::{Console, ConsoleError};

/// The page on which a person signs in.
pub(crate) const PATH: &str = "/console/sign-in";
/// What leads to the company's issuer, and where the issuer leads back to.
const ISSUER: &str = "/console/sign-in/issuer";
/// The path that the issuer leads browsers back to.
pub const CALLBACK: &str = "/console/sign-in/callback";
/// Where a one-time address leads.
const OPEN: &str = "/console/open";
/// Scripts, styles and images.
const ASSETS: &str = "/console/assets/";

/// Whether anybody may ask for it.
pub(crate) fn is_public(path: &str) -> bool {
    [PATH, ISSUER, CALLBACK, OPEN].contains(&path) || path.starts_with(ASSETS)
}

/// The address of the page on which a person signs in, who came for this page.
pub(super) fn address(page: &str) -> String {
    with_page(PATH, own_page(page))
}

fn with_page(path: &str, page: Option<&str>) -> String {
    match page.filter(|page| *page != FIRST) {
        Some(page) => format!("{path}?to={}", encoded(page)),
        None => path.to_owned(),
    }
}

/// A page that asks for the same page once more: another site led here, and its links come without
/// the cookie.
pub(super) fn asks_again(page: &str) -> Response {
    match own_page(page) {
        Some(page) => onward(None, page).into_response(),
        None => Redirect::to(PATH).into_response(),
    }
}

/// The address of the style of these pages.
#[derive(Clone, Copy)]
struct Style(&'static str);

/// The pages for signing in and out, which look like this style says.
pub(crate) fn routes(style: &'static str) -> Router<Console> {
    Router::new()
        .route(PATH, get(form).post(sign_in))
        .route(ISSUER, get(to_issuer))
        .route(CALLBACK, get(from_issuer))
        .route(OPEN, get(open))
        .route("/console/sign-out", post(sign_out))
        .layer(Extension(Style(style)))
}

/// The query of a one-time address.
#[derive(Deserialize)]
struct OpeningQuery {
    code: String,
}

/// The page that a person came for.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PageWanted {
    to: String,
}

/// The form with the token that a person pasted.
#[derive(Deserialize)]
struct TokenForm {
    token: String,
    #[serde(default)]
    to: String,
}

async fn form(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    Query(wanted): Query<PageWanted>,
) -> Response {
    page(&console, style, StatusCode::OK, None, &wanted.to)
}

/// Whether a browser only looks ahead: nothing is begun or used up for that.
fn looks_ahead(headers: &HeaderMap) -> bool {
    headers.contains_key("sec-purpose") || headers.contains_key("purpose")
}

async fn open(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    headers: HeaderMap,
    Query(opening): Query<OpeningQuery>,
) -> Response {
    if looks_ahead(&headers) {
        return StatusCode::NO_CONTENT.into_response();
    }
    match console.browsers().open(&opening.code) {
        Ok(Some(cookie)) => {
            let shown = onward(Some(style), FIRST).into_response();
            signed_in(&console, &headers, &cookie, shown)
        }
        Ok(None) => {
            let why =
                "This address is not valid: it was used already, or is older than ten minutes.";
            page(&console, style, StatusCode::FORBIDDEN, Some(why), "")
        }
        Err(problem) => failed(style, &problem),
    }
}

async fn sign_in(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    headers: HeaderMap,
    Form(form): Form<TokenForm>,
) -> Response {
    match console.browsers().sign_in(&form.token).await {
        Ok(NewSession { cookie, principal }) => {
            recorded(&console, principal, "signed-in", Some("token"));
            let to = Redirect::to(own_page(&form.to).unwrap_or(FIRST));
            signed_in(&console, &headers, &cookie, to.into_response())
        }
        Err(problem) => refused(&console, style, &problem, &form.to),
    }
}

/// Sends a browser to the company's issuer.
async fn to_issuer(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    headers: HeaderMap,
    Query(wanted): Query<PageWanted>,
) -> Response {
    let Some(issuer) = &console.browsers().issuer else {
        return Redirect::to(PATH).into_response();
    };
    if looks_ahead(&headers) {
        return StatusCode::NO_CONTENT.into_response();
    }
    // Another site's page begins nothing: the person decides on the page here.
    let is_led_here = headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site" || site == "same-site");
    if is_led_here || !is_its_host(issuer, &headers) {
        return Redirect::to(&address(&wanted.to)).into_response();
    }
    match issuer.begin(own_page(&wanted.to)).await {
        Ok(Departure { address, cookie }) => {
            let mut response = Redirect::to(&address).into_response();
            let cookies = Cookies::of(&headers, console.browsers().scheme);
            set(&mut response, &cookies.given(Purpose::Away, &cookie));
            response
        }
        Err(problem) => not_signed_in(&console, style, &problem, &wanted.to),
    }
}

/// Whether a request came by the name that the issuer leads browsers back to: the cookie is only there.
fn is_its_host(issuer: &IssuerSignIn, headers: &HeaderMap) -> bool {
    let host = headers.get(http::header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    host.is_some_and(|host| host.eq_ignore_ascii_case(&issuer.host()))
}

/// Takes a browser back from the company's issuer.
async fn from_issuer(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let browsers = console.browsers();
    let Some(issuer) = &browsers.issuer else {
        return Redirect::to(PATH).into_response();
    };
    let cookies = Cookies::of(&headers, browsers.scheme);
    let away = cookies.read(Purpose::Away);
    let finished = issuer.finish(away, query.as_deref().unwrap_or_default());
    let arrival = match finished.await {
        Ok(arrival) => arrival,
        Err(problem) => {
            let mut response = not_signed_in(&console, style, &problem, "");
            if !problem.keeps_cookie() {
                set(&mut response, &cookies.removed(Purpose::Away));
            }
            return response;
        }
    };
    let to = arrival.page.clone();
    let mut response = match browsers.sign_in_by(issuer, arrival).await {
        Ok(NewSession { cookie, principal }) => {
            recorded(&console, principal, "signed-in", Some("oauth"));
            let shown = onward(Some(style), to.as_deref().unwrap_or(FIRST)).into_response();
            signed_in(&console, &headers, &cookie, shown)
        }
        Err(SignInError::NoToken) => {
            let to = to.as_deref().unwrap_or_default();
            page(&console, style, StatusCode::FORBIDDEN, Some(UNUSABLE), to)
        }
        Err(problem) => refused(&console, style, &problem, to.as_deref().unwrap_or_default()),
    };
    set(&mut response, &cookies.removed(Purpose::Away));
    response
}

/// The issuer's answer has no token that could be looked at.
const UNUSABLE: &str = "Not signed in: the issuer gave no token that this server can use.";

async fn sign_out(State(console): State<Console>, headers: HeaderMap) -> Response {
    let browsers = console.browsers();
    let cookies = Cookies::of(&headers, browsers.scheme);
    if let Some(cookie) = cookies.read(Purpose::SignedIn) {
        let principal = browsers.sign_out(cookie);
        if principal.is_some() {
            recorded(&console, principal, "signed-out", None);
        }
    }
    let mut response = Redirect::to(PATH).into_response();
    set(&mut response, &cookies.removed(Purpose::SignedIn));
    response
}

/// The audit log has who signed in to the console, and out.
fn recorded(console: &Console, principal: Option<Arc<str>>, outcome: &str, how: Option<&str>) {
    let event = Event::SignIn(SignIn {
        principal,
        outcome: outcome.into(),
        how: how.map(Into::into),
        ..SignIn::default()
    });
    if let Err(problem) = console.record(event) {
        tracing::error!(%problem, "a sign-in to the console is missing in the audit log");
    }
}

fn signed_in(
    console: &Console,
    headers: &HeaderMap,
    cookie: &str,
    mut response: Response,
) -> Response {
    let cookies = Cookies::of(headers, console.browsers().scheme);
    set(&mut response, &cookies.given(Purpose::SignedIn, cookie));
    response
}

fn set(response: &mut Response, cookie: &str) {
    // A cookie is made of letters, digits and punctuation alone.
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// The page that says why a token is not taken.
fn refused(console: &Console, style: Style, problem: &SignInError, to: &str) -> Response {
    let (status, why) = match problem {
        SignInError::Console(problem) => return failed(style, problem),
        SignInError::NoToken => (StatusCode::FORBIDDEN, "This is not a token.".to_owned()),
        SignInError::Refused(refused) => (refused.status(), refused.message().to_owned()),
        SignInError::IssuerDown => (StatusCode::SERVICE_UNAVAILABLE, problem.to_string()),
    };
    page(console, style, status, Some(&why), to)
}

/// The page that says why the issuer has signed nobody in.
fn not_signed_in(console: &Console, style: Style, problem: &IssuerError, to: &str) -> Response {
    let status = match problem {
        IssuerError::Console(problem) => return failed(style, problem),
        IssuerError::Strange | IssuerError::Failed(_) => StatusCode::FORBIDDEN,
        IssuerError::Busy => StatusCode::SERVICE_UNAVAILABLE,
    };
    if let IssuerError::Failed(why) = problem {
        tracing::warn!(why, "the issuer has signed nobody in to the console");
    }
    let why = format!("Not signed in: {problem}.");
    page(console, style, status, Some(&why), to)
}

fn failed(style: Style, problem: &ConsoleError) -> Response {
    let shown = document(Some(style), "Ampoule", html! { p { (problem) } });
    (problem.status(), shown).into_response()
}

/// The page on which a person signs in; for the user of this machine, where the address is.
fn page(
    console: &Console,
    style: Style,
    status: StatusCode,
    why: Option<&str>,
    to: &str,
) -> Response {
    let browsers = console.browsers();
    let body = html! {
        h1 { "Sign in to Ampoule" }
        @if let Some(why) = why {
            p role="alert" { (why) }
        }
        @if browsers.is_local() {
            p {
                "Open the address that Ampoule printed in its terminal. "
                "Each address signs in one browser. For another one, start "
                code { "ampoule console" } " again."
            }
        } @else {
            @if let Some(issuer) = &browsers.issuer { (by_issuer(issuer, to)) }
            (by_token(to))
        }
    };
    let shown = document(Some(style), "Sign in · Ampoule", body);
    (status, shown).into_response()
}

/// A link, and not a form: browsers hold what comes of a form to where forms may go. It leads to the
/// name that the issuer knows the console by.
fn by_issuer(issuer: &IssuerSignIn, to: &str) -> Markup {
    let address = with_page(&format!("{}{ISSUER}", issuer.origin()), own_page(to));
    html! {
        p { a.button.main href=(address) { "Sign in with your company’s account" } }
        h2 { "Or with a token" }
    }
}

fn by_token(to: &str) -> Markup {
    html! {
        form method="post" action=(PATH) {
            @if let Some(to) = own_page(to) { input type="hidden" name="to" value=(to); }
            p {
                label for="token" { "Token" } " "
                input #token name="token" type="password" required autocomplete="off"
                    aria-describedby="token-help";
            }
            p #token-help {
                "The token with which your clients reach this server, or one of your company's "
                "sign-in."
            }
            p { button type="submit" { "Sign in" } }
        }
    }
}

/// A page that leads to another one. It is not a redirect: the browser would leave out the cookie if
/// another site led here.
fn onward(style: Option<Style>, to: &str) -> Html<String> {
    let body = html! {
        meta http-equiv="refresh" content=(format!("0; url={to}"));
        p { a href=(to) { "Open the console" } }
    };
    document(style, "Ampoule", body)
}

fn document(style: Option<Style>, title: &str, body: Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                @if let Some(style) = style { link rel="stylesheet" href=(style.0); }
            }
            body { main .sign-in { (body) } }
        }
    };
    Html(page.into_string())
}
