//! Signing in to remote MCP servers, by OAuth 2.1 as MCP has it.
//!
//! A [`SignIn`] authorizes the requests to one server: with the token that is kept, refreshed ahead
//! of its end, by one process at a time. It asks no person, and registers nothing: that is what
//! [`SignIn::begin`] is for, which `ampoule auth login` calls. rmcp does the protocol; kept, locked,
//! judged and said is here.
//!
//! - `options`: what is configured; `secret`: texts that are not to be seen; `error`: why there is
//!   no sign-in
//! - `address`: where a server's metadata may lead; `client`: the HTTP client that goes nowhere else
//! - `discovery`: which authorization server it is; `login`: a person's sign-in; `callback`: where
//!   the browser comes back to; `machine`: a client's own; `assertion`: what it signs; `logout`
//! - `form`, `answer`: what token endpoints are asked, what they answer, and what is done about it
//! - `authorize`: what the requests to the server ask for; `refresh`: a new token for an old one
//! - `stored_sign_in`: what is kept; `store`: where; `keyring`: the system's

mod address;
mod answer;
mod assertion;
mod authorize;
mod callback;
mod client;
mod discovery;
mod error;
mod form;
mod keyring;
mod login;
mod logout;
mod machine;
mod options;
mod refresh;
mod secret;
mod store;
mod stored_sign_in;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::SystemTime;

pub use self::error::SignInError;
pub use self::login::Login;
pub use self::logout::SignOutOutcome;
pub use self::options::{Endpoints, Grant, SignInOptions};
pub use self::secret::Secret;
pub use self::store::Store;

use self::authorize::State;
use self::client::Client;
use self::stored_sign_in::StoredSignIn;

/// The sign-in to one server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SignIn(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: SignInOptions,
    store: Store,
    client: Arc<Client>,
    state: tokio::sync::Mutex<State>,
}

/// Whose a sign-in is, and until when. The texts are the authorization server's: what shows them
/// escapes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInStatus {
    /// Who signed in, where the server tells.
    pub who: Option<String>,
    /// The authorization server.
    pub issuer: String,
    /// When the token ends. It is refreshed before that, where the server allows it.
    pub until: Option<SystemTime>,
    /// Whether it can be refreshed then, without anybody being asked.
    pub refreshed: bool,
    /// What was granted.
    pub scopes: Vec<String>,
}

impl SignIn {
    /// Signs in as configured, with what is kept in this store. `http` may bring certificates and
    /// proxies; redirects, time limits and names are this crate's.
    ///
    /// # Errors
    ///
    /// The configuration can't be used, or no HTTP client can be made.
    pub fn new(
        options: SignInOptions,
        store: Store,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, SignInError> {
        machine::check(&options)?;
        let client = Arc::new(Client::new(&options, http)?);
        Ok(Self(Arc::new(Inner {
            options,
            store,
            client,
            state: tokio::sync::Mutex::default(),
        })))
    }

    /// Whose sign-in is kept, if there is one. Nobody is asked, and no server.
    ///
    /// # Errors
    ///
    /// The store can't be read.
    pub async fn signed_in(&self) -> Result<Option<SignInStatus>, SignInError> {
        let mut state = self.0.state.lock().await;
        self.0.look(&mut state).await?;
        Ok(state.kept.as_ref().and_then(SignInStatus::of))
    }
}

impl SignInStatus {
    fn of(kept: &StoredSignIn) -> Option<Self> {
        let (_, until) = kept.access()?;
        Some(Self {
            who: kept.who.clone(),
            issuer: kept.issuer.clone(),
            until,
            refreshed: kept.can_be_refreshed(),
            scopes: kept.granted().to_vec(),
        })
    }
}
