//! The sign-in to one server.

use std::sync::Arc;
use std::time::SystemTime;

use ampoule_fair::{CallerToken, WeakCallerToken};
use parking_lot::Mutex;
use url::Url;

use crate::authorize::State;
use crate::client::Client;
use crate::error::SignInError;
use crate::machine;
use crate::options::SignInOptions;
use crate::place::Owner;
use crate::provider::Provider;
use crate::store::{Stamp, Store};
use crate::stored_sign_in::StoredSignIn;

/// The sign-in to one server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SignIn(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) options: SignInOptions,
    pub(crate) store: Store,
    pub(crate) client: Arc<Client>,
    /// The issuer of callers' tokens, where those are exchanged.
    pub(crate) provider: Option<Provider>,
    /// The token of the caller who owns this sign-in.
    pub(crate) caller: Mutex<WeakCallerToken>,
    /// What the next proof for the server must repeat.
    pub(crate) nonce: Mutex<Option<String>>,
    pub(crate) state: tokio::sync::Mutex<State>,
}

/// Tells one state of what is kept of a sign-in from every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInVersion(Stamp);

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
        let exchange = options.exchange.as_ref();
        let provider = exchange.map(|exchange| Provider::of(&options, exchange));
        Ok(Self(Arc::new(Inner {
            provider: provider.transpose()?,
            options,
            store,
            client,
            caller: Mutex::default(),
            nonce: Mutex::default(),
            state: tokio::sync::Mutex::default(),
        })))
    }

    /// The sign-in to the same server of another owner. It shares nothing with this one but how the
    /// server is reached.
    #[must_use]
    pub fn owned_by(&self, owner: Owner) -> Self {
        let options = SignInOptions {
            owner,
            ..self.0.options.clone()
        };
        self.beside(options, self.0.store.clone())
    }

    /// The same sign-in, as another store keeps it.
    #[must_use]
    pub fn kept_in(&self, store: Store) -> Self {
        self.beside(self.0.options.clone(), store)
    }

    /// What begins a person's sign-in: a refresh that is under way meanwhile has its own answers and its
    /// own key.
    pub(crate) fn begun(&self) -> Self {
        self.kept_in(self.0.store.clone())
    }

    fn beside(&self, options: SignInOptions, store: Store) -> Self {
        let inner = &self.0;
        Self(Arc::new(Inner {
            options,
            store,
            client: Arc::new(inner.client.beside()),
            provider: inner.provider.as_ref().map(Provider::beside),
            caller: Mutex::default(),
            nonce: Mutex::default(),
            state: tokio::sync::Mutex::default(),
        }))
    }

    /// Whether nobody signs in by hand: there is no address to open.
    pub fn asks_nobody(&self) -> bool {
        !self.0.is_persons()
    }

    /// The owner came with this token, which may be exchanged as long as somebody acts for them.
    pub fn acts_for(&self, caller: &CallerToken) {
        *self.0.caller.lock() = caller.downgrade();
    }

    /// Whose it is.
    pub fn owner(&self) -> &Owner {
        &self.0.options.owner
    }

    /// The server's name.
    pub fn server(&self) -> &str {
        &self.0.options.name
    }

    /// The server's address.
    pub fn resource(&self) -> &Url {
        &self.0.options.resource
    }

    /// The state of what is kept: another one once somebody has signed in. None: nothing is kept.
    pub fn version(&self) -> Option<SignInVersion> {
        let stamp = self.0.store.stamp(&self.0.options.place());
        stamp.map(SignInVersion)
    }

    /// What a person did when they signed in, told from every other time: refreshed tokens are the
    /// same. None: nobody has signed in.
    pub async fn made(&self) -> Option<String> {
        let mut state = self.0.state.lock().await;
        self.0.look(&mut state).await.ok()?;
        state.kept.as_ref()?.made.clone()
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
    pub(crate) fn of(kept: &StoredSignIn) -> Option<Self> {
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
