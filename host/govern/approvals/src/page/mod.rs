//! The page: a question in a browser, at an address that is given to one person.
//!
//! An address names a question, and is signed; nobody guesses one. The person who opens it first in
//! a browser, and presses its button, has it: a cookie says so from then on, and others are shown
//! nothing. A mere look does not count, since chats look at addresses to show what is behind them.
//! The form is bound to the cookie, and to exactly what the page showed.
//!
//! - `address`: what addresses, cookies and forms are; `html`: what is shown

mod address;
mod html;

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderMap, HeaderName, Method, Response, StatusCode};
use maud::Markup;

use crate::answer::{AnswerSource, Answerer, PersonAnswer};
use crate::dialogue;
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::page::address::{Address, Browser};
use crate::question::QuestionView;
use crate::store::{QuestionEntry, State, Store};

/// How large a form may be, in bytes.
const FORM_BYTES: usize = 64 << 10;
/// The cookie by which a browser is known.
const COOKIE_NAME: &str = "ampoule_approval";

/// Shows questions in browsers. It reads and writes files: call it where that may block.
#[derive(Debug, Clone)]
pub struct Page {
    store: Store,
    /// The address under which it is reached, without a slash at its end.
    base: String,
    /// The path of that.
    path: String,
    is_https: bool,
}

impl Page {
    /// The page, as it is reached at an address such as `https://ampoule.example/approvals`: that of
    /// a question is beneath it.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Refused`]: it is not an address of HTTP.
    pub fn new(store: &Store, base: &str) -> Result<Self, QuestionError> {
        let base = base.trim_end_matches('/');
        let parsed = url::Url::parse(base).ok();
        let parsed = parsed.filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.query().is_none()
                && url.fragment().is_none()
        });
        let no_address =
            "the page's address must begin with http:// or https://, and end with a path";
        let parsed = parsed.ok_or(QuestionError::Refused(no_address))?;
        Ok(Self {
            store: store.clone(),
            base: parsed.as_str().trim_end_matches('/').to_owned(),
            path: parsed.path().trim_end_matches('/').to_owned(),
            is_https: parsed.scheme() == "https",
        })
    }

    /// The name, and the port if there is one, by which it is reached.
    pub fn host(&self) -> Option<String> {
        let base = url::Url::parse(&self.base).ok()?;
        let host = base.host_str()?;
        Some(
            base.port()
                .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
        )
    }

    /// An address of a question, for one person. Each is another one.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`]: the system has no entropy.
    pub fn address(&self, question: QuestionId) -> Result<String, QuestionError> {
        let address = Address::new(question)?;
        Ok(format!(
            "{}/{}",
            self.base,
            address.token(&self.store.0.keys)
        ))
    }

    /// Answers a browser: `token` is the last part of the path, `body` the whole body.
    pub fn handle(
        &self,
        method: &Method,
        token: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Response<String> {
        let Some(address) = Address::read(token, &self.store.0.keys) else {
            let none = html::said("Unknown question", "The address is not right.");
            return respond(StatusCode::NOT_FOUND, none);
        };
        let at = At {
            page: self,
            address,
            token,
            browser: browser(headers),
        };
        let response = match *method {
            Method::GET => at.show(),
            Method::POST if !is_from_here(headers) => {
                let why = "The form was not sent from this page. Open the address anew.";
                Ok(respond(
                    StatusCode::FORBIDDEN,
                    html::said("Not accepted", why),
                ))
            }
            Method::POST if body.len() > FORM_BYTES => {
                let why = "The form is too large.";
                Ok(respond(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    html::said("Not accepted", why),
                ))
            }
            Method::POST => at.posted(body),
            _ => Ok(not_allowed()),
        };
        response.unwrap_or_else(|problem| refused(&problem))
    }
}

/// One address, as one browser asks for it.
struct At<'p> {
    page: &'p Page,
    address: Address,
    token: &'p str,
    browser: Option<Browser>,
}

/// Whose an address is.
enum Holder {
    Nobody,
    This(Browser),
    Another,
}

impl At<'_> {
    fn listed(&self) -> Result<QuestionEntry, QuestionError> {
        self.page.store.get(self.address.question)
    }

    fn holder(&self, run: &str) -> Result<Holder, QuestionError> {
        let claim = self.address.claim(&self.page.store, run)?;
        Ok(match (claim, self.browser) {
            (None, _) => Holder::Nobody,
            (Some(claim), Some(browser)) if claim == browser.hash(&self.page.store.0.keys) => {
                Holder::This(browser)
            }
            (Some(_), _) => Holder::Another,
        })
    }

    fn show(&self) -> Result<Response<String>, QuestionError> {
        let listed = self.listed()?;
        let question = &listed.question;
        Ok(match (self.holder(&question.caller.run)?, &listed.state) {
            (Holder::This(browser), State::Open) => {
                let seen = listed.seen(&self.page.store)?;
                let form = browser.form(&self.address, &seen, &self.page.store.0.keys);
                respond(StatusCode::OK, html::question(question, &seen, &form))
            }
            (Holder::This(_), State::Answered(given)) => {
                let said = crate::text::answered(given);
                respond(
                    StatusCode::OK,
                    html::said("Answered", &format!("These calls were {said}.")),
                )
            }
            (Holder::Nobody, State::Open) => respond(StatusCode::OK, html::closed()),
            (Holder::Another, State::Open) => another(),
            _ => gone(),
        })
    }

    fn posted(&self, body: &[u8]) -> Result<Response<String>, QuestionError> {
        let form: Vec<_> = url::form_urlencoded::parse(body).collect();
        let field = |name: &str| {
            let found = form.iter().find(|(key, _)| key == name);
            found.map_or("", |(_, value)| value.as_ref())
        };
        let listed = self.listed()?;
        let run = &listed.question.caller.run;
        if !field("open").is_empty() {
            return self.claim(&listed, run);
        }
        let Holder::This(browser) = self.holder(run)? else {
            return Ok(another());
        };
        let calls = field("seen-calls").parse();
        let digest = field("seen-digest").parse();
        let (Ok(calls), Ok(digest)) = (calls, digest) else {
            return Err(QuestionError::Changed);
        };
        let (keys, seen) = (&self.page.store.0.keys, QuestionView { calls, digest });
        if !browser.is_form(field("form"), &self.address, &seen, keys) {
            return Err(QuestionError::Changed);
        }
        let now = self.page.store.now();
        let answer = dialogue::named(field("answer"), field("reason"), now);
        let answer =
            answer.ok_or_else(|| QuestionError::NotOffered("choose an answer".to_owned()))?;
        let mut only: Vec<u32> = Vec::new();
        for (key, value) in &form {
            if key == "call" {
                only.push(value.parse().map_err(|_| QuestionError::Changed)?);
            }
        }
        only.sort_unstable();
        only.dedup();
        let only = (only.len() != calls).then_some(only);
        let by = Answerer::new(
            &format!("the holder of the address {}", self.address.short()),
            AnswerSource::Page,
        );
        let given = PersonAnswer { seen, answer, only };
        self.page.store.answer(self.address.question, given, by)?;
        Ok(self.onward(None))
    }

    /// The address becomes this browser's, if it is nobody's.
    fn claim(&self, listed: &QuestionEntry, run: &str) -> Result<Response<String>, QuestionError> {
        if listed.state != State::Open {
            return Ok(gone());
        }
        if let Holder::This(_) = self.holder(run)? {
            return Ok(self.onward(None));
        }
        // A new one: a cookie that is there already may be known to the program that put it there.
        let browser = Browser::new()?;
        let hash = browser.hash(&self.page.store.0.keys);
        match self.address.claim_for(&self.page.store, run, hash)? {
            true => Ok(self.onward(Some(browser))),
            false => Ok(another()),
        }
    }

    /// To the same address, with a cookie.
    fn onward(&self, browser: Option<Browser>) -> Response<String> {
        let mut response = respond(StatusCode::SEE_OTHER, html::said("Answered", ""));
        let path = format!("{}/{}", self.page.path, self.token);
        if let Some(browser) = browser {
            let secure = if self.page.is_https { "; Secure" } else { "" };
            let seconds = self.page.store.limits().expires.as_secs();
            let cookie = format!(
                "{COOKIE_NAME}={browser}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
            );
            insert(response.headers_mut(), SET_COOKIE, &cookie);
        }
        insert(response.headers_mut(), LOCATION, &path);
        response
    }
}

/// Whether a form comes from this page, as far as the browser says so. Older ones say nothing; the
/// cookie and what is in the form must be right in any case.
fn is_from_here(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| site == "same-origin")
}

fn browser(headers: &HeaderMap) -> Option<Browser> {
    let cookies = headers.get_all(COOKIE).into_iter();
    let mut cookies = cookies
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='));
    let (_, value) = cookies.find(|(name, _)| *name == COOKIE_NAME)?;
    Browser::read(value)
}

fn another() -> Response<String> {
    let why = "Another browser has opened this address, and only that one can use it. Ask for another address if you should answer.";
    respond(StatusCode::FORBIDDEN, html::said("Not yours", why))
}

fn gone() -> Response<String> {
    let why = "The question has been answered, was withdrawn, or has expired.";
    respond(StatusCode::GONE, html::said("This question is closed", why))
}

fn not_allowed() -> Response<String> {
    let said = html::said("Not accepted", "");
    let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, said);
    insert(response.headers_mut(), ALLOW, "GET, POST");
    response
}

fn refused(problem: &QuestionError) -> Response<String> {
    let status = match problem {
        QuestionError::Missing(_) | QuestionError::Expired(_) => return gone(),
        QuestionError::Answered(_) => StatusCode::CONFLICT,
        QuestionError::Changed => StatusCode::FORBIDDEN,
        QuestionError::NotOffered(_) => StatusCode::UNPROCESSABLE_ENTITY,
        _ => {
            let id = ampoule_untrusted::log_id();
            tracing::warn!(id, %problem, "a question can't be shown");
            let said = format!("The host can't do this now ({id}, in its log).");
            return respond(
                StatusCode::INTERNAL_SERVER_ERROR,
                html::said("Not now", &said),
            );
        }
    };
    let said = format!("{problem}. Go back, and load the page anew.");
    respond(status, html::said("Not accepted", &said))
}

fn respond(status: StatusCode, body: Markup) -> Response<String> {
    let mut response = Response::new(body.into_string());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let always: [(HeaderName, &str); 9] = [
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
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
    ];
    for (name, value) in always {
        insert(headers, name, value);
    }
    response
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // All values are written here, from what the token and the cookie are made of.
    if let Ok(value) = value.try_into() {
        headers.insert(name, value);
    }
}
