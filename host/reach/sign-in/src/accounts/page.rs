//! What browsers are answered at the page.
//!
//! `start/ID` shows for whom the sign-in is; its form begins it. A mere look changes nothing: chats
//! look at addresses to show what is behind them. `callback` is where the browser comes back to.

use std::sync::Arc;

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, Method, Response, StatusCode};
use maud::Markup;
use url::Url;

use super::open::OpenInvitation;
use super::secret::{self, form_of, name_of, same};
use super::{AccountEvent, Accounts, VALID, html};
use crate::error::SignInError;

/// What is beneath the server's address.
const PATH: &str = "auth/";
/// The cookie of a browser that a page was shown in.
const SHOWN: &str = "ampoule_sign_in";
/// What the name of the cookie of a browser that is away begins with.
const AWAY: &str = "ampoule_away_";
/// No part of a request that is read here is longer, in bytes.
const MOST_BYTES: usize = 16 << 10;

/// A browser's request.
#[derive(Debug)]
pub struct PageRequest<'r> {
    /// Its method.
    pub method: &'r Method,
    /// The part of the path after `/auth/`.
    pub path: &'r str,
    /// The query, if there is one.
    pub query: Option<&'r str>,
    /// The headers.
    pub headers: &'r HeaderMap,
    /// The whole body.
    pub body: &'r [u8],
}

/// A browser that goes away to sign in.
struct Departure {
    address: Url,
    state: String,
    /// What its cookie holds.
    browser: String,
}

/// The address of the page, of a server at this address.
pub(super) fn base(server: &str) -> Result<Url, SignInError> {
    let unfit = || {
        SignInError::new(
            "the server's address must begin with https:// or http://, and have no query",
        )
    };
    let mut url = Url::parse(server.trim()).map_err(|_| unfit())?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if !fits {
        return Err(unfit());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{path}/{PATH}"));
    Ok(url)
}

impl Accounts {
    /// Answers a browser. What is sent back has no secret but in cookies.
    pub async fn handle(&self, request: PageRequest<'_>) -> Response<String> {
        let too_long = request.body.len() > MOST_BYTES
            || request.query.is_some_and(|query| query.len() > MOST_BYTES);
        let Some(base) = self.0.base.clone().filter(|_| !too_long) else {
            return gone();
        };
        match (request.path.split_once('/'), request.path) {
            (Some(("start", id)), _) => match *request.method {
                Method::GET => self.show(&base, id),
                Method::POST => self.begin(&base, id, &request).await,
                _ => not_allowed("GET, POST"),
            },
            (None, "callback") => match *request.method {
                Method::GET => self.come_back(&base, &request).await,
                _ => not_allowed("GET"),
            },
            _ => gone(),
        }
    }

    /// For whom the sign-in is. Each look is another browser's.
    fn show(&self, base: &Url, id: &str) -> Response<String> {
        let Ok(browser) = secret::random() else {
            return not_now("the system gives no random numbers");
        };
        let mut open = self.0.open.lock();
        let Some(invited) = open.invited(id) else {
            return gone();
        };
        let form = form_of(&browser, id);
        let shown = html::begin(&invited.principal, &invited.sign_in, &form);
        let mut response = respond(StatusCode::OK, shown);
        // No other site's form is sent with it.
        let path = format!("{}start/{id}", base.path());
        let shown = Cookie {
            name: SHOWN,
            value: &browser,
            path: &path,
            same_site: "Strict",
        };
        set_cookie(&mut response, base, &shown);
        response
    }

    /// The button was pressed.
    async fn begin(&self, base: &Url, id: &str, request: &PageRequest<'_>) -> Response<String> {
        let mut fields = url::form_urlencoded::parse(request.body);
        let form = fields.find(|(name, _)| name == "form");
        let form = form.map(|(_, form)| form.into_owned()).unwrap_or_default();
        let shown = cookie(request.headers, SHOWN);
        let is_from_here = shown.is_some_and(|browser| same(&form, &form_of(browser, id)));
        if !is_from_here || !is_same_origin(request.headers) {
            let why = "The form was not sent from the page that this browser was shown. Open the address anew.";
            return respond(StatusCode::FORBIDDEN, html::said("Not accepted", why));
        }
        let Some(invited) = self.0.open.lock().take(id) else {
            return gone();
        };
        let page = base.join("callback").unwrap_or_else(|_| base.clone());
        // To its end, even where the browser goes away: the invitation is in use until then.
        let (this, id, callback) = (self.clone(), id.to_owned(), page.clone());
        let leaving = tokio::spawn(async move { this.leave(&id, invited, &callback).await });
        let stopping = |_| Err(SignInError::new("the host is about to stop"));
        let Departure {
            address,
            state,
            browser,
        } = match leaving.await.unwrap_or_else(stopping) {
            Ok(departure) => departure,
            Err(why) => return not_now(&why.to_string()),
        };
        let name = away(&state);
        // A redirect after a form would be held to where forms may go.
        let mut response = respond(StatusCode::OK, html::onward(&address));
        let away = Cookie {
            name: &name,
            value: &browser,
            path: page.path(),
            same_site: "Lax",
        };
        set_cookie(&mut response, base, &away);
        response
    }

    /// Finds out where the browser is to go. Where that fails, the invitation can be used again.
    async fn leave(
        &self,
        id: &str,
        invited: OpenInvitation,
        page: &Url,
    ) -> Result<Departure, SignInError> {
        let begun = invited.sign_in.begin_at(page).await;
        let left = begun.and_then(|login| {
            let departure = Departure {
                address: login.address().clone(),
                state: login.state().to_owned(),
                browser: secret::random()?,
            };
            let mut open = self.0.open.lock();
            open.leave(login, &departure.browser)?;
            Ok(departure)
        });
        if let Err(why) = &left {
            self.told(&invited.principal, invited.sign_in.server(), Some(why));
            self.0.open.lock().put_back(id, invited);
        }
        left
    }

    /// The browser comes back.
    async fn come_back(&self, base: &Url, request: &PageRequest<'_>) -> Response<String> {
        let Ok(mut answer) = base.join("callback") else {
            return gone();
        };
        answer.set_query(request.query);
        let mut states = answer.query_pairs().filter(|(name, _)| name == "state");
        let state = match (states.next(), states.next()) {
            (Some((_, state)), None) => state.into_owned(),
            _ => return strange(),
        };
        let browser = cookie(request.headers, &away(&state));
        let found = browser.and_then(|browser| self.0.open.lock().come_back(&state, browser));
        let Some(found) = found else {
            return strange();
        };
        let (principal, server) = (found.principal, found.login.sign_in().server().to_owned());
        // To its end, even where the browser goes away: a code can be redeemed once.
        let (this, whose) = (self.clone(), (Arc::clone(&principal), server.clone()));
        let redeeming = tokio::spawn(async move {
            let done = found.login.finish(&answer).await;
            this.told(&whose.0, &whose.1, done.as_ref().err());
            if done.is_ok() {
                this.0.signed_in.send_replace(());
            }
            done
        });
        let stopping = |_| Err(SignInError::new("the host is about to stop"));
        let mut response = match redeeming.await.unwrap_or_else(stopping) {
            Ok(status) => respond(StatusCode::OK, html::done(&principal, &server, &status)),
            Err(why) => {
                let said = format!("{why}. Run the script again to get another address.");
                respond(StatusCode::BAD_REQUEST, html::said("Not signed in", &said))
            }
        };
        let over = format!(
            "{}=; Path={}callback; Max-Age=0; HttpOnly",
            away(&state),
            base.path()
        );
        insert(response.headers_mut(), SET_COOKIE, &over);
        response
    }

    fn told(&self, principal: &Arc<str>, server: &str, failed: Option<&SignInError>) {
        (self.0.hears)(AccountEvent {
            principal: Arc::clone(principal),
            server: server.to_owned(),
            failed: failed.map(ToString::to_string),
        });
    }
}

/// The name of the cookie of the browser that is away with this state.
fn away(state: &str) -> String {
    format!("{AWAY}{}", name_of(state))
}

/// Whether a form comes from this page, as far as the browser says so. Older ones say nothing.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| site == "same-origin")
}

/// The value of a cookie; none where there are several of the name, which a neighbour may have put
/// there.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).into_iter();
    let mut found = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .filter(|(found, _)| *found == name);
    let (_, value) = found.next()?;
    found.next().is_none().then_some(value)
}

/// A cookie that a browser is given.
struct Cookie<'c> {
    name: &'c str,
    value: &'c str,
    /// Beneath which path it is sent.
    path: &'c str,
    /// Whether it is sent where another site leads here.
    same_site: &'static str,
}

fn set_cookie(response: &mut Response<String>, base: &Url, cookie: &Cookie<'_>) {
    let Cookie {
        name,
        value,
        path,
        same_site,
    } = cookie;
    let secure = match base.scheme() {
        "https" => "; Secure",
        _ => "",
    };
    let seconds = VALID.as_secs();
    let cookie = format!(
        "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}"
    );
    insert(response.headers_mut(), SET_COOKIE, &cookie);
}

fn gone() -> Response<String> {
    let why = "It was used already, or is older than ten minutes, or never was one. Run the script again to get another address.";
    respond(
        StatusCode::NOT_FOUND,
        html::said("This address is not valid", why),
    )
}

/// A browser that did not begin this, or an answer that was given before. Which of them is not said.
fn strange() -> Response<String> {
    let why = "This browser did not begin this sign-in, or the sign-in has ended. Nothing was changed. Run the script again to get another address.";
    respond(StatusCode::FORBIDDEN, html::said("Not signed in", why))
}

fn not_now(why: &str) -> Response<String> {
    let why = format!("{why}. Open the address again in a while, or tell the operator.");
    respond(StatusCode::SERVICE_UNAVAILABLE, html::said("Not now", &why))
}

fn not_allowed(methods: &str) -> Response<String> {
    let said = html::said("Not accepted", "");
    let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, said);
    insert(response.headers_mut(), ALLOW, methods);
    response
}

fn respond(status: StatusCode, body: Markup) -> Response<String> {
    let mut response = Response::new(body.into_string());
    *response.status_mut() = status;
    let always: [(HeaderName, &str); 7] = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, html::policy()),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in always {
        insert(response.headers_mut(), name, value);
    }
    response
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // All values are written here.
    if let Ok(value) = value.try_into() {
        headers.insert(name, value);
    }
}
