//! Sign-ins of principals: each signs in to a server as themselves, on a page of the server that
//! they are clients of.
//!
//! An [`Invitation`] has an address, for one principal and one server, once. The page there says
//! for whom the sign-in is, and a button begins it. The browser that pressed the button is the only
//! one that can come back with the answer: a cookie says so. What comes of it is kept for that
//! principal, whoever sits at the browser: that is why the page says whose it will be.
//!
//! - `open`: what was begun, bounded in number and in time; `secret`: what addresses and cookies are
//!   made of
//! - `page`: what browsers are answered; `html`: what they show

mod html;
mod open;
mod page;
mod secret;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use url::Url;

use self::open::Open;
pub use self::page::PageRequest;
use crate::error::SignInError;
use crate::place::Owner;
use crate::sign_in::SignIn;

/// How long an address can be opened, and how long the browser may take after that.
pub const VALID: Duration = Duration::from_mins(10);

/// Sign-ins of principals, as one server's process makes them. Clones are the same.
#[derive(Clone)]
pub struct Accounts(Arc<Shared>);

struct Shared {
    /// The address of the page, if it is known; it ends with a slash.
    base: Option<Url>,
    open: Mutex<Open>,
    /// Changes with every sign-in.
    signed_in: watch::Sender<()>,
    hears: Hears,
}

/// Who hears of every sign-in.
type Hears = Box<dyn Fn(AccountEvent) + Send + Sync>;

/// A principal has signed in, or has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountEvent {
    /// Who.
    pub principal: Arc<str>,
    /// The server's name.
    pub server: String,
    /// Why it failed, if it did: a sentence without secrets.
    pub failed: Option<String>,
}

/// The address at which one principal signs in to one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// What the principal is to open in a browser. Whoever opens it signs in for that principal.
    pub address: String,
    /// Tells it from others, where that must not open anything.
    pub name: String,
}

impl Accounts {
    /// Sign-ins on the page beneath this address of a server, such as `https://ampoule.example.com`.
    /// Without an address, nobody is invited. `hears` gets every sign-in that was made or failed.
    ///
    /// # Errors
    ///
    /// It is not an address of HTTP.
    pub fn new(
        base: Option<&str>,
        hears: impl Fn(AccountEvent) + Send + Sync + 'static,
    ) -> Result<Self, SignInError> {
        let base = base.map(page::base).transpose()?;
        Ok(Self(Arc::new(Shared {
            base,
            open: Mutex::default(),
            signed_in: watch::Sender::new(()),
            hears: Box::new(hears),
        })))
    }

    /// The name, and the port if there is one, by which the page is reached.
    pub fn host(&self) -> Option<String> {
        let base = self.0.base.as_ref()?;
        let host = base.host_str()?;
        let with_port = |port| format!("{host}:{port}");
        Some(base.port().map_or_else(|| host.to_owned(), with_port))
    }

    /// Invites the owner of this sign-in to make it. As long as nobody has begun, the invitation of
    /// the same principal to the same server is the same.
    ///
    /// # Errors
    ///
    /// The page's address is not known; the sign-in is not a principal's; there are too many
    /// invitations, or no random numbers.
    pub fn invite(&self, sign_in: &SignIn) -> Result<Invitation, SignInError> {
        let Some(base) = &self.0.base else {
            return Err(SignInError::new(
                "nobody can sign in here, because Ampoule does not know how browsers reach this server; the operator sets `address` in `[serve]`, such as \"https://ampoule.example.com\"",
            ));
        };
        let Owner::Principal(principal) = sign_in.owner() else {
            return Err(SignInError::new("this sign-in is the host's"));
        };
        let id = self.0.open.lock().invite(principal, sign_in)?;
        let address = base.join(&format!("start/{id}"));
        let address = address.map_err(|_| SignInError::new("the page has no address"))?;
        Ok(Invitation {
            address: address.to_string(),
            name: secret::name_of(&id),
        })
    }

    /// As if so much time had passed since all that was begun.
    #[cfg(test)]
    pub(crate) fn age(&self, by: Duration) {
        self.0.open.lock().age(by);
    }

    /// Hears of sign-ins that are made here from now on.
    pub fn signed_in(&self) -> watch::Receiver<()> {
        self.0.signed_in.subscribe()
    }
}

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accounts")
            .field("base", &self.0.base.as_ref().map(Url::as_str))
            .finish_non_exhaustive()
    }
}
