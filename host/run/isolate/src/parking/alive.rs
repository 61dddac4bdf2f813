//! Runs that wait for long and can't be parked: in the middle of a function of Python's, and in
//! components.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::backend::{ParkingBackend, Standing};

/// Tells of a run that it waits for long.
#[derive(Clone)]
pub(crate) struct IdleWait {
    after: Duration,
    backend: Arc<dyn ParkingBackend>,
}

impl IdleWait {
    pub(crate) fn new(after: Duration, backend: Arc<dyn ParkingBackend>) -> Self {
        Self { after, backend }
    }

    /// Waits, and tells of it where that takes long.
    pub(crate) async fn waiting<T>(this: Option<&Self>, waiting: impl Future<Output = T>) -> T {
        let Some(Self { after, backend }) = this else {
            return waiting.await;
        };
        let mut waiting = std::pin::pin!(waiting);
        if let Ok(done) = timeout(*after, &mut waiting).await {
            return done;
        }
        let _standing = StandingGuard::of(backend);
        waiting.await
    }
}

/// It stands so until this is dropped.
struct StandingGuard<'k>(&'k dyn ParkingBackend);

impl<'k> StandingGuard<'k> {
    fn of(backend: &'k Arc<dyn ParkingBackend>) -> Self {
        backend.stands(Standing::KeptAlive);
        Self(&**backend)
    }
}

impl Drop for StandingGuard<'_> {
    fn drop(&mut self) {
        self.0.stands(Standing::Running);
    }
}
