//! Who signs requests to a remote server.

use std::fmt;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use url::Url;

use super::pending::Fault;

/// What authorizes the requests to one remote server: a kept sign-in, or a client's own secret.
///
/// Never asks a person, and never registers a client: where either is needed, that is the error.
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// The value of `Authorization` for the next request, refreshed ahead of its end. `None` where
    /// nothing is kept: the request is sent without, and the server says whether it needs any.
    ///
    /// # Errors
    ///
    /// What was kept is no longer accepted, or there is no token at the moment.
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>>;

    /// The server refused a request with this status (401 or 403), and said this in
    /// `WWW-Authenticate`. Whether it is to be sent once more, with what
    /// [`authorization`](Self::authorization) gives then.
    ///
    /// # Errors
    ///
    /// A person has to sign in, or there is no other token at the moment.
    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>>;

    /// What goes in the header `DPoP` of one request to the server itself, beside this value of
    /// `Authorization`: a proof that the token is its sender's (RFC 9449). Default: nothing.
    ///
    /// # Errors
    ///
    /// There is no proof at the moment, and the request is not sent.
    fn proof<'a>(
        &'a self,
        _authorization: &'a HeaderValue,
        _method: &'a Method,
        _url: &'a Url,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthorizationError>> {
        futures::future::ready(Ok(None)).boxed()
    }

    /// The server itself answered with these headers. Whether the next proof is another one for them,
    /// so that a request that was refused for its proof may be sent once more. Default: no.
    fn answered(&self, _headers: &HeaderMap) -> bool {
        false
    }

    /// What else must not be seen, such as a refresh token or the client's secret, even where the
    /// server itself says it. Asked for whenever there is a new token. Default: nothing.
    fn secrets(&self) -> BoxFuture<'_, Vec<String>> {
        futures::future::ready(Vec::new()).boxed()
    }
}

/// The header with the proof of a token that is bound to a key.
pub const DPOP: HeaderName = HeaderName::from_static("dpop");

/// Whether a server did not take a request because its proof has to repeat what this response says
/// (RFC 9449, 9).
pub fn wants_another_proof(status: StatusCode, challenges: &[HeaderValue]) -> bool {
    let asks = |value: &HeaderValue| {
        let text = value.to_str().unwrap_or_default();
        text.split_once("use_dpop_nonce").is_some()
    };
    status == StatusCode::UNAUTHORIZED && challenges.iter().any(asks)
}

/// Why a request is not authorized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthorizationError {
    /// Nothing but a sign-in helps.
    NeedsSignIn(SignInRequiredError),
    /// It may work later, such as where the authorization server fails: why, without secrets.
    Unavailable(String),
}

impl From<SignInRequiredError> for AuthorizationError {
    fn from(needed: SignInRequiredError) -> Self {
        Self::NeedsSignIn(needed)
    }
}

impl From<AuthorizationError> for Fault {
    fn from(error: AuthorizationError) -> Self {
        match error {
            AuthorizationError::NeedsSignIn(needed) => Self::NeedsSignIn(needed),
            AuthorizationError::Unavailable(why) => {
                Self::NotReached(format!("can't be reached: {why}"))
            }
        }
    }
}

impl fmt::Display for AuthorizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeedsSignIn(needed) => needed.fmt(f),
            Self::Unavailable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for AuthorizationError {}

/// A person has to sign in: why, and the command for it, as a sentence without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRequiredError(pub String);

impl fmt::Display for SignInRequiredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SignInRequiredError {}
