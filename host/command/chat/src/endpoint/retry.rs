//! Requests that are sent again. A model's answer has no effect before it is whole, so that each
//! request may be sent again, within reason.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::address::Form;
use super::error::EndpointError;
use super::inquiry::Request;
use super::reply::{Piece, Reply};
use super::request::Endpoint;

/// How long a request is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// How often a request is sent again.
    pub(super) retries: u32,
    /// The wait before the first retry; each further one is twice as long.
    pub(super) first_wait: Duration,
    /// A longer wait than this, which an endpoint asks for, is left to the person.
    pub(super) longest_wait: Duration,
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
    /// Asks the model, again where that may help. The listener gets each retry: the texts and calls that
    /// arrived before a retry do not count.
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
        request.wants_reasoning &= !self.lacks_reasoning.load(Ordering::Relaxed);
        for retry in 0.. {
            let error = match self.ask_once(&request, listener).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            if request.wants_reasoning
                && self.form == Form::Responses
                && error.lacks_reasoning()
                && retry < patience.retries
            {
                // The next requests need not find it out again.
                self.lacks_reasoning.store(true, Ordering::Relaxed);
                request.wants_reasoning = false;
                listener(Piece::Retry {
                    why: error.to_string(),
                    wait_ms: 0,
                });
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
                let message = format!("{error} (the endpoint asks for a wait of {seconds} s)");
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
