//! Calls that wait before they leave, while their run may be parked: for a person who signs in.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::{CallContext, CallError};

/// Keeps on record whether a call has left. A process that resumes the run of a killed one makes
/// those calls again that had not left.
#[doc(hidden)]
pub trait Departure: fmt::Debug + Send + Sync {
    /// Records that nothing of the call has left.
    fn hold_back(&self) -> BoxFuture<'_, ()>;

    /// Records that the call leaves. That is on record when this is done.
    ///
    /// # Errors
    ///
    /// It can't be recorded: the call must not leave.
    fn leave(&self) -> BoxFuture<'_, Result<(), CallError>>;
}

impl CallContext {
    /// The same call, which tells when it leaves.
    #[must_use]
    #[doc(hidden)]
    pub fn departing(mut self, departure: Arc<dyn Departure>) -> Self {
        self.departure = Some(departure);
        self
    }

    /// Waits for something that the call needs before it leaves, such as a sign-in. Nothing of the
    /// call may have left, or the server must have refused it unseen. The call may leave after this,
    /// if there is no error.
    ///
    /// # Errors
    ///
    /// Those of what is waited for; that the call leaves can't be recorded.
    pub async fn held_back<T>(
        &self,
        waiting: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        self.keep_back();
        let Some(departure) = &self.departure else {
            return waiting.await;
        };
        departure.hold_back().await;
        let waited = waiting.await?;
        departure.leave().await?;
        Ok(waited)
    }
}
