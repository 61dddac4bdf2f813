//! Signing in at the company's issuer: the browser goes there, and comes back with a code.
//!
//! What the second half of a sign-in needs of the first is made of the `state` and of a key of this
//! process, so nothing is held for browsers that only begin: nobody can fill it. A `state` is good for
//! one browser, whose cookie it is bound to, for ten minutes, and once.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ampoule_sign_in::Secret;
use ampoule_sign_in::issuer::{IssuedTokens, IssuerClient, Proof};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::cookie::{AWAY_SECONDS, Scheme};
use super::forgery::is_same;
use super::opening::secret;
use super::return_page::own_page;
use crate::ConsoleError;

/// How long a browser may take at the issuer.
const AWAY: Duration = Duration::from_secs(AWAY_SECONDS);
/// How many answers are remembered, so that none is used twice. Of more, the oldest is forgotten: the
/// issuer takes its code once, too.
const MOST_USED: usize = 16_384;
/// How many browsers are redeemed at once.
const AT_ONCE: usize = 32;

/// The company's issuer, at which people sign in.
pub struct IssuerSignIn {
    pub(super) client: Arc<IssuerClient>,
    key: [u8; blake3::KEY_LEN],
    used: Mutex<UsedStates>,
    at_once: Arc<Semaphore>,
}

/// What browsers came back with, the oldest first.
#[derive(Default)]
struct UsedStates {
    order: VecDeque<UsedState>,
    known: HashSet<blake3::Hash>,
}

/// A `state` that a browser came back with.
struct UsedState {
    hash: blake3::Hash,
    at: Instant,
}

/// A browser that goes to the issuer.
pub(super) struct Departure {
    /// Where it goes.
    pub(super) address: String,
    /// Its cookie.
    pub(super) cookie: String,
}

/// A browser that came back.
pub(super) struct Arrival {
    pub(super) tokens: IssuedTokens,
    /// What the token that says who signed in has to repeat.
    pub(super) nonce: String,
    /// The page that it came for.
    pub(super) page: Option<String>,
}

/// Why a browser is not signed in by the issuer.
#[derive(Debug, thiserror::Error)]
pub(super) enum IssuerError {
    /// It did not begin this sign-in, or has used the answer already.
    #[error(
        "this browser did not begin this sign-in, or the sign-in has ended; nothing was changed: begin again"
    )]
    Strange,
    /// As many sign-ins as may be are under way.
    #[error("too many people sign in at the moment; try again in a minute")]
    Busy,
    /// The issuer refused, or can't be reached.
    #[error("{0}")]
    Failed(String),
    /// The system has no random bytes.
    #[error(transparent)]
    Console(#[from] ConsoleError),
}

impl IssuerError {
    /// Whether the browser keeps its cookie: what it came back with is not what it went away for, or
    /// it can come back with the same once more.
    pub(super) fn keeps_cookie(&self) -> bool {
        match self {
            Self::Strange | Self::Busy => true,
            Self::Failed(_) | Self::Console(_) => false,
        }
    }
}

impl IssuerSignIn {
    /// By this client.
    ///
    /// # Errors
    ///
    /// The system has no random bytes.
    pub fn new(client: IssuerClient) -> Result<Self, ConsoleError> {
        let mut key = [0; blake3::KEY_LEN];
        getrandom::fill(&mut key).map_err(|error| ConsoleError::host(&error))?;
        Ok(Self {
            client: Arc::new(client),
            key,
            used: Mutex::default(),
            at_once: Arc::new(Semaphore::new(AT_ONCE)),
        })
    }

    /// Where the issuer leads browsers back to.
    pub fn redirect(&self) -> &url::Url {
        self.client.redirect()
    }

    /// How browsers reach the console, as the address says that they come back to.
    pub(super) fn scheme(&self) -> Scheme {
        match self.redirect().scheme() {
            "https" => Scheme::Https,
            _ => Scheme::Http,
        }
    }

    /// The console's origin, as browsers come back to it.
    pub(super) fn origin(&self) -> String {
        self.redirect().origin().ascii_serialization()
    }

    /// The console's host, with its port if that is not the usual one.
    pub(super) fn host(&self) -> String {
        let origin = self.origin();
        let (_, host) = origin.split_once("://").unwrap_or_default();
        host.to_owned()
    }

    /// Sends a browser to the issuer. `page`: what it came for.
    pub(super) async fn begin(&self, page: Option<&str>) -> Result<Departure, IssuerError> {
        let random = || secret().map_err(|error| ConsoleError::host(&error));
        let page = page.and_then(own_page).map(|it| URL_SAFE_NO_PAD.encode(it));
        let cookie = format!("{}.{}", random()?, page.unwrap_or_default());
        let state = self.state(&format!("{:x}.{}", now(), random()?), &cookie);
        let address = self.client.address(&self.proof(&state)).await;
        let address = address.map_err(|why| IssuerError::Failed(why.to_string()))?;
        Ok(Departure {
            address: address.to_string(),
            cookie,
        })
    }

    /// Redeems what a browser came back with.
    pub(super) async fn finish(
        &self,
        cookie: Option<&str>,
        query: &str,
    ) -> Result<Arrival, IssuerError> {
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        let mut states = pairs.filter(|(name, _)| name == "state");
        let (Some((_, state)), None, Some(cookie)) = (states.next(), states.next(), cookie) else {
            return Err(IssuerError::Strange);
        };
        if !self.is_of(&state, cookie) {
            return Err(IssuerError::Strange);
        }
        let turn = Arc::clone(&self.at_once).try_acquire_owned();
        let turn = turn.map_err(|_| IssuerError::Busy)?;
        if !self.is_first(&state) {
            return Err(IssuerError::Strange);
        }
        let proof = self.proof(&state);
        let nonce = proof.nonce.clone();
        let (client, query) = (Arc::clone(&self.client), query.to_owned());
        // To its end, even where the browser goes away: a code can be redeemed once.
        let redeeming = tokio::spawn(async move {
            let redeemed = client.redeem(&query, &proof).await;
            drop(turn);
            redeemed
        });
        let stopping = |_| IssuerError::Failed("the host is about to stop".to_owned());
        let tokens = redeeming.await.map_err(stopping)?;
        Ok(Arrival {
            tokens: tokens.map_err(|why| IssuerError::Failed(why.to_string()))?,
            nonce,
            page: page_of(cookie),
        })
    }

    /// What the issuer's answer has to repeat: when and by whom the sign-in was begun, and a seal over
    /// that and the browser's cookie.
    fn state(&self, begun: &str, cookie: &str) -> String {
        format!("{begun}.{}", self.sealed("state", &[begun, cookie]))
    }

    /// Whether a state was made for the browser with this cookie, and lately.
    fn is_of(&self, state: &str, cookie: &str) -> bool {
        let Some((begun, _)) = state.rsplit_once('.') else {
            return false;
        };
        let since = begun.split('.').next();
        let since = since.and_then(|since| u64::from_str_radix(since, 16).ok());
        let is_recent = since.is_some_and(|since| {
            let now = now();
            since <= now && now - since < AWAY.as_secs()
        });
        is_same(state, &self.state(begun, cookie)) && is_recent
    }

    /// Whether nobody has come back with a state. Somebody has from now on.
    fn is_first(&self, state: &str) -> bool {
        self.used.lock().insert(blake3::hash(state.as_bytes()))
    }

    fn proof(&self, state: &str) -> Proof {
        Proof {
            state: state.to_owned(),
            verifier: Secret::new(self.sealed("verifier", &[state])),
            nonce: self.sealed("nonce", &[state]),
        }
    }

    /// A text of 43 characters that only this process can make of these parts.
    fn sealed(&self, what: &str, parts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for part in [what].iter().chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        URL_SAFE_NO_PAD.encode(hasher.finalize().as_bytes())
    }
}

impl UsedStates {
    /// Whether this is not there yet. It is from now on.
    fn insert(&mut self, hash: blake3::Hash) -> bool {
        let is_over = |used: &UsedState| used.at.elapsed() > AWAY;
        while self.order.front().is_some_and(is_over) || self.order.len() >= MOST_USED {
            if let Some(used) = self.order.pop_front() {
                self.known.remove(&used.hash);
            }
        }
        let is_first = self.known.insert(hash);
        if is_first {
            let at = Instant::now();
            self.order.push_back(UsedState { hash, at });
        }
        is_first
    }
}

/// The page that the browser with this cookie came for.
fn page_of(cookie: &str) -> Option<String> {
    let (_, page) = cookie.split_once('.')?;
    let page = String::from_utf8(URL_SAFE_NO_PAD.decode(page).ok()?).ok()?;
    own_page(&page).map(ToOwned::to_owned)
}

/// Seconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use ampoule_sign_in::issuer::IssuerClientOptions;

    use super::*;

    fn sign_in() -> IssuerSignIn {
        let options = IssuerClientOptions {
            issuer: "https://login.example.com".to_owned(),
            client_id: "console".to_owned(),
            client_secret: None,
            scopes: Vec::new(),
            resource: "https://ampoule.example/mcp".to_owned(),
            redirect: "https://ampoule.example/console/sign-in/callback"
                .parse()
                .unwrap(),
        };
        let http = reqwest::Client::builder().no_proxy();
        IssuerSignIn::new(IssuerClient::new(options, http).unwrap()).unwrap()
    }

    #[test]
    fn a_state_is_of_one_browser_and_one_process_and_of_the_last_ten_minutes() {
        let (here, elsewhere) = (sign_in(), sign_in());
        let begun = |ago: u64| format!("{:x}.random", now() - ago);
        let state = here.state(&begun(1), "cookie");
        assert!(here.is_of(&state, "cookie"));
        assert!(here.is_of(&here.state(&begun(590), "cookie"), "cookie"));
        assert!(!here.is_of(&here.state(&begun(600), "cookie"), "cookie"));
        let ahead = format!("{:x}.random", now() + 60);
        assert!(!here.is_of(&here.state(&ahead, "cookie"), "cookie"));
        assert!(!here.is_of(&state, "other"));
        assert!(!elsewhere.is_of(&state, "cookie"));
        // Where one part ends and the next begins counts.
        assert!(!here.is_of(&here.state("1.a", "b"), "ab"));
    }

    #[test]
    fn a_state_is_good_once_and_those_that_are_remembered_are_bounded() {
        let here = sign_in();
        assert!(here.is_first("one"));
        assert!(!here.is_first("one"));
        for number in 0..MOST_USED {
            assert!(here.is_first(&number.to_string()));
        }
        assert_eq!(here.used.lock().order.len(), MOST_USED);
    }

    #[test]
    fn what_a_sign_in_is_proven_by_is_its_own() {
        let here = sign_in();
        let (one, other) = (here.proof("one"), here.proof("other"));
        assert_ne!(one.nonce, other.nonce);
        assert_ne!(one.verifier, other.verifier);
        assert_ne!(one.nonce, one.verifier.expose());
        assert_eq!(one.verifier.expose().len(), 43);
        assert_eq!(
            page_of("cookie.L2NvbnNvbGUvcnVucw").as_deref(),
            Some("/console/runs")
        );
        for cookie in ["cookie", "cookie.", "cookie.L21jcA", "cookie.%%", ""] {
            assert_eq!(page_of(cookie), None, "{cookie}");
        }
    }
}
