//! Signing in: by a one-time address, or by a token that a person pastes.

use axum::extract::{Query, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Form, Router};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;

use super::browsers::SignInError;
use super::cookie;
use crate::{Console, ConsoleError};

/// The page on which a person signs in.
pub(crate) const PATH: &str = "/console/sign-in";
/// Where a one-time address leads.
const OPEN: &str = "/console/open";
/// The first page.
const FIRST: &str = "/console";
/// Scripts, styles and images.
const ASSETS: &str = "/console/assets/";

/// Whether anybody may ask for it.
pub(crate) fn is_public(path: &str) -> bool {
    path == PATH || path == OPEN || path.starts_with(ASSETS)
}

/// The address of the style of these pages.
#[derive(Clone, Copy)]
struct Style(&'static str);

/// The pages for signing in and out, which look like this style says.
pub(crate) fn routes(style: &'static str) -> Router<Console> {
    Router::new()
        .route(PATH, get(form).post(sign_in))
        .route(OPEN, get(open))
        .route("/console/sign-out", post(sign_out))
        .layer(Extension(Style(style)))
}

/// The query of a one-time address.
#[derive(Deserialize)]
struct OpeningQuery {
    code: String,
}

/// The form with the token that a person pasted.
#[derive(Deserialize)]
struct TokenForm {
    token: String,
}

async fn form(State(console): State<Console>, Extension(style): Extension<Style>) -> Response {
    page(&console, style, StatusCode::OK, None)
}

async fn open(
    State(console): State<Console>,
    Extension(style): Extension<Style>,
    headers: HeaderMap,
    Query(opening): Query<OpeningQuery>,
) -> Response {
    // A browser that only looks ahead must not use up the address.
    if headers.contains_key("sec-purpose") || headers.contains_key("purpose") {
        return StatusCode::NO_CONTENT.into_response();
    }
    match console.browsers().open(&opening.code) {
        Ok(Some(cookie)) => {
            // A page, and not a redirect: the browser would leave out the cookie if another page
            // led here.
            let shown = document(
                style,
                "Ampoule",
                html! {
                    meta http-equiv="refresh" content=(format!("0; url={FIRST}"));
                    p { a href=(FIRST) { "Open the console" } }
                },
            );
            signed_in(&console, &headers, &cookie, shown.into_response())
        }
        Ok(None) => {
            let why =
                "This address is not valid: it was used already, or is older than ten minutes.";
            page(&console, style, StatusCode::FORBIDDEN, Some(why))
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
        Ok(cookie) => {
            let first = Redirect::to(FIRST).into_response();
            signed_in(&console, &headers, &cookie, first)
        }
        Err(SignInError::Console(problem)) => failed(style, &problem),
        Err(SignInError::NoToken) => {
            let why = "This is not a token.";
            page(&console, style, StatusCode::FORBIDDEN, Some(why))
        }
        Err(SignInError::Refused(refused)) => {
            let why = refused.message().to_string();
            page(&console, style, refused.status(), Some(&why))
        }
    }
}

async fn sign_out(State(console): State<Console>, headers: HeaderMap) -> Response {
    let browsers = console.browsers();
    if let Some(cookie) = cookie::read(&headers, browsers.scheme) {
        browsers.sign_out(cookie);
    }
    let mut response = Redirect::to(PATH).into_response();
    let removed = cookie::removed(&headers, browsers.scheme);
    set(&mut response, &removed);
    response
}

fn signed_in(
    console: &Console,
    headers: &HeaderMap,
    cookie: &str,
    mut response: Response,
) -> Response {
    let given = cookie::given(headers, console.browsers().scheme, cookie);
    set(&mut response, &given);
    response
}

fn set(response: &mut Response, cookie: &str) {
    // A cookie is made of letters, digits and punctuation alone.
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}

fn failed(style: Style, problem: &ConsoleError) -> Response {
    let shown = document(style, "Ampoule", html! { p { (problem) } });
    (problem.status(), shown).into_response()
}

/// The page on which a person pastes a token; for the user of this machine, where the address is.
fn page(console: &Console, style: Style, status: StatusCode, why: Option<&str>) -> Response {
    let body = html! {
        h1 { "Sign in to Ampoule" }
        @if let Some(why) = why {
            p role="alert" { (why) }
        }
        @if console.browsers().is_local() {
            p {
                "Open the address that Ampoule printed in its terminal. "
                "Each address signs in one browser. For another one, start "
                code { "ampoule console" } " again."
            }
        } @else {
            form method="post" action=(PATH) {
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
    };
    (status, document(style, "Sign in · Ampoule", body)).into_response()
}

fn document(style: Style, title: &str, body: Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="stylesheet" href=(style.0);
            }
            body { main .sign-in { (body) } }
        }
    };
    Html(page.into_string())
}
