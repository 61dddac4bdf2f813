//! Browsers that are signed in. They are forgotten when the process ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_access::{Access, IssuerAnswer};
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use parking_lot::Mutex;

use super::browser_token::{BrowserToken, IssuedToken, bearer};
use super::cookie::Scheme;
use super::issuer::{Arrival, IssuerSignIn};
use super::opening::{OneTimeCodes, secret};
use super::sign_in_error::SignInError;
use super::visitor::{Credential, Visitor};
use crate::ConsoleError;
use crate::model::Viewer;

/// How many browsers may be signed in.
const MOST: usize = 1024;
/// How many of one principal: of more, the least recent one has to sign in again.
const EACH: usize = 16;
/// How long a browser is signed in that does nothing.
const IDLE: Duration = Duration::from_hours(8);
/// How long a browser is signed in at most.
const LONGEST: Duration = Duration::from_hours(24);
/// How often the sign-in behind a live stream is looked at again.
const RECHECKED: Duration = Duration::from_secs(30);

/// Who is let in.
#[derive(Debug, Clone)]
pub enum Admission {
    /// The user of this machine alone, by a one-time address.
    Local,
    /// Principals, by their tokens, and by the company's issuer where the browsers have one.
    Principals {
        /// Says whose a token is.
        access: Access,
        /// The principals who see everything.
        operators: Vec<String>,
        /// The groups whose members see everything.
        operator_groups: Vec<String>,
    },
}

/// The browsers that are signed in, and how others get in.
pub struct Browsers {
    pub(super) admission: Admission,
    pub(super) scheme: Scheme,
    pub(super) issuer: Option<IssuerSignIn>,
    codes: OneTimeCodes,
    sessions: Mutex<HashMap<blake3::Hash, BrowserSession>>,
    recheck: Duration,
}

/// A browser that is signed in.
struct BrowserSession {
    csrf: Arc<str>,
    began: Instant,
    used: Instant,
    /// It is checked again for each request, so that a token that was revoked, or has expired, ends
    /// this.
    token: BrowserToken,
    principal: Option<Arc<str>>,
}

/// A sign-in that was made.
pub(crate) struct NewSession {
    /// The value of the browser's cookie.
    pub(crate) cookie: String,
    /// Who signed in.
    pub(crate) principal: Option<Arc<str>>,
}

impl BrowserSession {
    fn is_over(&self) -> bool {
        self.used.elapsed() >= IDLE || self.began.elapsed() >= LONGEST
    }
}

impl Browsers {
    /// No browser is signed in yet. `tls`: whether browsers reach the console with TLS.
    pub fn new(admission: Admission, tls: bool) -> Self {
        // A server that asks nobody has only its user.
        let admission = match admission {
            Admission::Principals { access, .. } if access.is_open() => Admission::Local,
            other => other,
        };
        Self {
            admission,
            scheme: match tls {
                true => Scheme::Https,
                false => Scheme::Http,
            },
            issuer: None,
            codes: OneTimeCodes::default(),
            sessions: Mutex::default(),
            recheck: RECHECKED,
        }
    }

    /// Principals also sign in at the company's issuer, which leads their browsers back here. Where
    /// nobody is asked who they are, they do not.
    #[must_use]
    pub fn by_issuer(mut self, issuer: IssuerSignIn) -> Self {
        if !self.is_local() {
            self.scheme = issuer.scheme();
            self.issuer = Some(issuer);
        }
        self
    }

    /// Looks at the sign-ins behind live streams so often.
    #[cfg(test)]
    pub(crate) fn recheck_every(mut self, time: Duration) -> Self {
        self.recheck = time;
        self
    }

    /// Whether the user of this machine comes by a one-time address, and there are no tokens.
    pub fn is_local(&self) -> bool {
        matches!(self.admission, Admission::Local)
    }

    /// The path and query of a new one-time address, which is valid for ten minutes and for one
    /// browser: the user of this machine comes by it.
    ///
    /// # Errors
    ///
    /// Principals come by tokens here; or the system has no random bytes.
    pub fn one_time_path(&self) -> Result<String, ConsoleError> {
        if !self.is_local() {
            return Err(ConsoleError::NotSetUp(
                "one-time addresses are for the user of this machine: sign in with a token",
            ));
        }
        let code = self
            .codes
            .make()
            .map_err(|error| ConsoleError::host(&error))?;
        Ok(format!("/console/open?code={code}"))
    }

    /// Signs in the browser of the user of this machine; the value of its cookie, if the code is one
    /// that nobody has used.
    pub(crate) fn open(&self, code: &str) -> Result<Option<String>, ConsoleError> {
        match self.is_local() && self.codes.take(code) {
            true => self.remember(BrowserToken::Local, None).map(Some),
            false => Ok(None),
        }
    }

    /// Signs in the browser of a principal by a token that was pasted.
    ///
    /// # Errors
    ///
    /// The token is not one, or the issuer can't be reached; the host failed.
    pub(crate) async fn sign_in(&self, token: &str) -> Result<NewSession, SignInError> {
        let header = bearer(token)?;
        let viewer = self.viewer(&header).await?;
        self.begin(BrowserToken::Pasted(header), &viewer)
    }

    /// Signs in the browser of a principal by what the issuer gave. The token for access is one that a
    /// client could send, and is checked as that.
    ///
    /// # Errors
    ///
    /// What the issuer gave is not the answer to this sign-in, or is not taken; the issuer's keys
    /// can't be had; the host failed.
    pub(super) async fn sign_in_by(
        &self,
        issuer: &IssuerSignIn,
        arrival: Arrival,
    ) -> Result<NewSession, SignInError> {
        let Arrival { tokens, nonce, .. } = arrival;
        if issuer.client.asks_for_identity() {
            let identity = tokens.identity.as_ref().ok_or(SignInError::NoToken)?;
            let answer = IssuerAnswer {
                identity: identity.expose(),
                access: tokens.access.expose(),
                client: issuer.client.client_id(),
                nonce: &nonce,
            };
            self.access()?.check_sign_in(answer).await?;
        }
        let viewer = self.viewer(&bearer(tokens.access.expose())?).await?;
        let token = IssuedToken::new(tokens, Arc::clone(&issuer.client))?;
        self.begin(BrowserToken::Issued(token), &viewer)
    }

    fn begin(&self, token: BrowserToken, viewer: &Viewer) -> Result<NewSession, SignInError> {
        let principal = viewer.owner().map(|it| Arc::clone(it.name()));
        let cookie = self.remember(token, principal.clone());
        let cookie = cookie.map_err(SignInError::Console)?;
        Ok(NewSession { cookie, principal })
    }

    /// The cookie of a browser whose token was taken when it signed in.
    #[cfg(test)]
    pub(crate) fn with_token(&self, token: &str) -> String {
        let token = BrowserToken::Pasted(bearer(token).unwrap());
        self.remember(token, Some(Arc::from("ada"))).unwrap()
    }

    /// Ends the browser's sign-in: whose that was, if it was a principal's.
    pub(crate) fn sign_out(&self, cookie: &str) -> Option<Arc<str>> {
        self.end(&blake3::hash(cookie.as_bytes()))
    }

    /// Ends a sign-in, which the issuer forgets as well: whose that was, if it was a principal's.
    fn end(&self, hash: &blake3::Hash) -> Option<Arc<str>> {
        let browser = self.sessions.lock().remove(hash)?;
        browser.token.forget();
        browser.principal
    }

    /// The person at a browser with this cookie; none if the browser has to sign in.
    ///
    /// # Errors
    ///
    /// Why its token is not taken. A token that was refused ends the sign-in; an issuer that can't be
    /// reached does not.
    pub(crate) async fn visitor(&self, cookie: &str) -> Result<Option<Visitor>, SignInError> {
        let hash = blake3::hash(cookie.as_bytes());
        let (csrf, token, principal) = {
            let mut sessions = self.sessions.lock();
            let Some(browser) = sessions.get_mut(&hash) else {
                return Ok(None);
            };
            if browser.is_over() {
                drop(sessions);
                self.end(&hash);
                return Ok(None);
            }
            browser.used = Instant::now();
            let csrf = Arc::clone(&browser.csrf);
            (csrf, browser.token.clone(), browser.principal.clone())
        };
        let viewer = match self.viewer_of(&token, principal.as_deref()).await {
            Ok(viewer) => viewer,
            Err(problem) => {
                if problem.ends_sign_in() {
                    self.end(&hash);
                }
                return Err(problem);
            }
        };
        Ok(Some(Visitor {
            viewer,
            csrf: csrf.to_string(),
            credential: Credential::Browser(hash),
        }))
    }

    /// Waits until a viewer is no longer let in as this one: the sign-in has ended, the token was
    /// refused or can't be checked, or the viewer's rights are others.
    pub(crate) async fn until_over(&self, credential: Credential, viewer: Viewer) {
        loop {
            tokio::time::sleep(self.recheck).await;
            if !self.stands(&credential, &viewer).await {
                return;
            }
        }
    }

    /// Whether a viewer is still let in as this one. To ask this does not use the sign-in.
    async fn stands(&self, credential: &Credential, viewer: &Viewer) -> bool {
        let now = match credential {
            Credential::Token(token) => self.viewer(token).await,
            Credential::Browser(hash) => {
                let found = match self.sessions.lock().get(hash) {
                    Some(browser) if !browser.is_over() => {
                        (browser.token.clone(), browser.principal.clone())
                    }
                    _ => return false,
                };
                let (token, principal) = found;
                self.viewer_of(&token, principal.as_deref()).await
            }
        };
        now.is_ok_and(|now| now == *viewer)
    }

    /// Whom a browser's token lets in now. It stays the browser of the same principal: a token that was
    /// renewed is for nobody else.
    async fn viewer_of(
        &self,
        token: &BrowserToken,
        principal: Option<&str>,
    ) -> Result<Viewer, SignInError> {
        let Some(header) = token.header().await? else {
            return Ok(Viewer::local());
        };
        let viewer = self.viewer(&header).await?;
        let is_same = viewer.owner().map(|it| &**it.name()) == principal;
        is_same.then_some(viewer).ok_or(SignInError::NoToken)
    }

    /// The sender of a request with a bearer token.
    ///
    /// # Errors
    ///
    /// The token is not taken.
    pub(crate) async fn bearer(&self, headers: &HeaderMap) -> Result<Visitor, SignInError> {
        let Some(token) = headers.get(AUTHORIZATION) else {
            return Err(SignInError::NoToken);
        };
        let several = headers.get_all(AUTHORIZATION).iter().count() > 1;
        if several {
            return Err(SignInError::NoToken);
        }
        let mut token = token.clone();
        token.set_sensitive(true);
        Ok(Visitor {
            viewer: self.viewer(&token).await?,
            csrf: String::new(),
            credential: Credential::Token(token),
        })
    }

    fn access(&self) -> Result<&Access, SignInError> {
        match &self.admission {
            Admission::Principals { access, .. } => Ok(access),
            Admission::Local => Err(SignInError::NoToken),
        }
    }

    async fn viewer(&self, token: &HeaderValue) -> Result<Viewer, SignInError> {
        let Admission::Principals {
            access,
            operators,
            operator_groups,
        } = &self.admission
        else {
            return Err(SignInError::NoToken);
        };
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, token.clone());
        let principal = access.admit(&headers).await?.ok_or(SignInError::NoToken)?;
        let has = |list: &[String], name: &str| list.iter().any(|one| one == name);
        let is_operator = has(operators, principal.name())
            || principal.groups().iter().any(|it| has(operator_groups, it));
        Ok(Viewer::principal(principal, is_operator))
    }

    /// What the refusal of a request says to a program.
    pub(crate) fn refusal(&self, problem: &SignInError) -> Option<HeaderValue> {
        match problem {
            SignInError::Refused(refused) => Some(refused.challenge()),
            _ => (!self.is_local()).then(|| HeaderValue::from_static("Bearer")),
        }
    }

    fn remember(
        &self,
        token: BrowserToken,
        principal: Option<Arc<str>>,
    ) -> Result<String, ConsoleError> {
        let random = || secret().map_err(|error| ConsoleError::host(&error));
        let (cookie, csrf) = (random()?, random()?);
        let mut sessions = self.sessions.lock();
        for gone in make_room(&mut sessions, principal.as_ref()) {
            gone.token.forget();
        }
        let now = Instant::now();
        let browser = BrowserSession {
            csrf: csrf.into(),
            began: now,
            used: now,
            token,
            principal,
        };
        sessions.insert(blake3::hash(cookie.as_bytes()), browser);
        Ok(cookie)
    }
}

/// Makes room for one more sign-in of a principal: those that are over go and, where there are too
/// many, the one that was used longest ago. What went.
fn make_room(
    sessions: &mut HashMap<blake3::Hash, BrowserSession>,
    principal: Option<&Arc<str>>,
) -> Vec<BrowserSession> {
    let over = sessions.extract_if(|_, browser| browser.is_over());
    let mut gone: Vec<BrowserSession> = over.map(|(_, browser)| browser).collect();
    let is_own = |browser: &BrowserSession| browser.principal.as_ref() == principal;
    let own = sessions.values().filter(|browser| is_own(browser)).count();
    if own >= EACH || sessions.len() >= MOST {
        let all = sessions.iter();
        let oldest = all
            .filter(|(_, browser)| own < EACH || is_own(browser))
            .min_by_key(|(_, browser)| browser.used)
            .map(|(hash, _)| *hash);
        gone.extend(oldest.and_then(|oldest| sessions.remove(&oldest)));
    }
    gone
}
