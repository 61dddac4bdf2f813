//! Why nobody is let in.

use ampoule_access::AccessDeniedError;
use http::StatusCode;

use crate::ConsoleError;

/// Why nobody is let in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    /// The token is missing, or does not have the form of one.
    #[error("no token that could be looked at")]
    NoToken,
    /// The token is not taken.
    #[error("{}", .0.message())]
    Refused(AccessDeniedError),
    /// The token is over, and its issuer can't be reached for another.
    #[error(
        "the company's issuer can't be reached, so the sign-in can't be renewed; try again in a minute"
    )]
    IssuerDown,
    /// The host failed.
    #[error(transparent)]
    Console(ConsoleError),
}

impl SignInError {
    /// Whether a browser has to sign in again: its token was refused, and not only left unchecked.
    pub(crate) fn ends_sign_in(&self) -> bool {
        match self {
            Self::NoToken => true,
            Self::Refused(refused) => matches!(
                refused.status(),
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
            ),
            Self::IssuerDown | Self::Console(_) => false,
        }
    }
}

impl From<AccessDeniedError> for SignInError {
    fn from(refused: AccessDeniedError) -> Self {
        Self::Refused(refused)
    }
}
