//! Requests that are sent again. A model's answer has no effect before it is whole, so that each
//! request may be sent again, within reason.

use std::time::Duration;

use super::error::EndpointError;
use super::inquiry::Request;
use super::reply::{Piece, Reply};
use super::request::Endpoint;

/// How long a request is tried.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How often a request is sent again.
    pub retries: u32,
    /// The wait before the first retry; each further one is twice as long.
    pub first_wait: Duration,
    /// A longer wait than this, which an endpoint asks for, is left to the person.
    pub longest_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 3,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
        }
    }
}

impl Endpoint {
    /// Asks the model, again where that may help. The listener hears of each retry, and then what
    /// arrived before it does not count.
    ///
    /// # Errors
    ///
    /// Why the last request has no answer.
    pub async fn ask(
        &self,
        request: &Request<'_>,
        listener: &mut (dyn FnMut(Piece) + Send),
    ) -> Result<Reply, EndpointError> {
        let (patience, mut request) = (self.patience, *request);
        for retry in 0.. {
            let error = match self.ask_once(&request, listener).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            if request.wants_reasoning && error.to_string().contains("ncrypted") {
                // The model has no reasoning.
                request.wants_reasoning = false;
                continue;
            }
            let wait = error
                .retry_after
                .unwrap_or_else(|| patience.first_wait.saturating_mul(1 << retry.min(16)));
            if retry >= patience.retries || !error.is_passing {
                return Err(error);
            }
            if wait > patience.longest_wait {
                let seconds = wait.as_secs();
                let kind = error.kind;
                let message = format!("{error}: the endpoint asks for {seconds} s of patience");
                return Err(EndpointError::new(kind, message).lasting());
            }
            listener(Piece::Retry {
                why: error.to_string(),
                wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            });
            tokio::time::sleep(wait).await;
        }
        unreachable!("the last retry returns")
    }
}
