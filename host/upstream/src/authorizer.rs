//! Who signs requests to a remote server.

use std::fmt;

use futures::future::BoxFuture;
use http::HeaderValue;

/// What authorizes the requests to one remote server: a kept sign-in, or a client's own secret.
///
/// Never asks a person, and never registers a client: where either is needed, that is the error.
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// The value of `Authorization` for the next request, refreshed ahead of its end. `None` where
    /// nothing is kept: the request is sent without, and the server says whether it needs any.
    ///
    /// # Errors
    ///
    /// [`NeedsSignIn`], where what was kept is no longer accepted.
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, NeedsSignIn>>;

    /// The server refused a request with this status (401 or 403), and said this in
    /// `WWW-Authenticate`. Whether it is to be sent once more, with what
    /// [`authorization`](Self::authorization) gives then.
    ///
    /// # Errors
    ///
    /// [`NeedsSignIn`], where a person has to sign in.
    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, NeedsSignIn>>;
}

/// A person has to sign in: why, and the command for it, as a sentence without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedsSignIn(pub String);

impl fmt::Display for NeedsSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NeedsSignIn {}
