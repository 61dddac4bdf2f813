//! Runs that wait for long and can't be parked: in the middle of a function of Python's, and in
//! components.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::{Keeper, Standing};

/// Tells of a run that it waits for long.
#[derive(Clone)]
pub(crate) struct KeptAlive {
    after: Duration,
    keeper: Arc<dyn Keeper>,
}

impl KeptAlive {
    pub(crate) fn new(after: Duration, keeper: Arc<dyn Keeper>) -> Self {
        Self { after, keeper }
    }

    /// Waits, and tells of it where that takes long.
    pub(crate) async fn waiting<T>(this: Option<&Self>, waiting: impl Future<Output = T>) -> T {
        let Some(Self { after, keeper }) = this else {
            return waiting.await;
        };
        let mut waiting = std::pin::pin!(waiting);
        if let Ok(done) = timeout(*after, &mut waiting).await {
            return done;
        }
        let _told = Told::of(keeper);
        waiting.await
    }
}

/// It stands so until this is dropped.
struct Told<'k>(&'k dyn Keeper);

impl<'k> Told<'k> {
    fn of(keeper: &'k Arc<dyn Keeper>) -> Self {
        keeper.stands(Standing::KeptAlive);
        Self(&**keeper)
    }
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.0.stands(Standing::Running);
    }
}
