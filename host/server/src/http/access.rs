//! Who a request is from.

use ampoule::Principal;
use http::{HeaderMap, HeaderValue, StatusCode};

/// Says who requests are from, and which are not let in.
#[derive(Debug, Clone, Default)]
pub struct Access;

/// Why a request is not let in.
#[derive(Debug)]
pub struct Refused {
    /// What it is answered with.
    pub status: StatusCode,
    /// What a client is told of how it could be let in.
    pub challenge: Option<HeaderValue>,
    /// The same for people.
    pub message: String,
}

impl Access {
    /// Whether anybody is told apart; if not, whoever reaches the server is its user.
    pub fn is_open(&self) -> bool {
        true
    }

    /// Who a request with these headers is from; none where nobody is told apart.
    ///
    /// # Errors
    ///
    /// [`Refused`] where it is not let in.
    pub async fn admit(&self, _: &HeaderMap) -> Result<Option<Principal>, Refused> {
        Ok(None)
    }

    /// What clients may read of how to be let in.
    pub fn metadata(&self) -> Option<serde_json::Value> {
        None
    }
}
