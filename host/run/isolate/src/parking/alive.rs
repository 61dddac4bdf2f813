//! Runs that wait for long and can't be parked: in the middle of a function of Python's, and in
//! components.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;

use super::backend::{ParkingBackend, Standing};

/// Reports that a run waits for long. Clones are of the same run.
#[derive(Clone)]
pub(crate) struct IdleWait {
    after: Duration,
    backend: Arc<dyn ParkingBackend>,
    /// How many of its calls are waited for that long.
    waits: Arc<Mutex<usize>>,
}

impl IdleWait {
    pub(crate) fn new(after: Duration, backend: Arc<dyn ParkingBackend>) -> Self {
        Self {
            after,
            backend,
            waits: Arc::default(),
        }
    }

    /// Waits, and reports it where that takes long.
    pub(crate) async fn waiting<T>(this: Option<&Self>, waiting: impl Future<Output = T>) -> T {
        let Some(this) = this else {
            return waiting.await;
        };
        let mut waiting = std::pin::pin!(waiting);
        if let Ok(done) = timeout(this.after, &mut waiting).await {
            return done;
        }
        let _standing = StandingGuard::of(this);
        waiting.await
    }
}

/// The run stands so until the last of these is dropped.
struct StandingGuard<'k>(&'k IdleWait);

impl<'k> StandingGuard<'k> {
    fn of(wait: &'k IdleWait) -> Self {
        let mut waits = wait.waits.lock();
        *waits += 1;
        if *waits == 1 {
            wait.backend.stands(Standing::KeptAlive);
        }
        Self(wait)
    }
}

impl Drop for StandingGuard<'_> {
    fn drop(&mut self) {
        let mut waits = self.0.waits.lock();
        *waits -= 1;
        if *waits == 0 {
            self.0.backend.stands(Standing::Running);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use futures::future::BoxFuture;

    use super::*;
    use crate::memory::Snapshot;
    use crate::parking::{Journal, Note, ParkingError};

    /// What a run was said to be.
    #[derive(Default)]
    struct Standings(Mutex<Vec<Standing>>);

    impl ParkingBackend for Standings {
        fn keep(&self, _: Journal, _: Snapshot) -> BoxFuture<'_, Result<(), ParkingError>> {
            Box::pin(pending())
        }

        fn note(&self, _: Note) -> BoxFuture<'_, Result<(), ParkingError>> {
            Box::pin(pending())
        }

        fn mark(&self) -> BoxFuture<'_, Result<std::path::PathBuf, ParkingError>> {
            Box::pin(pending())
        }

        fn memory(&self) -> BoxFuture<'_, Result<Snapshot, ParkingError>> {
            Box::pin(pending())
        }

        fn forget(&self) -> BoxFuture<'_, Result<(), ParkingError>> {
            Box::pin(pending())
        }

        fn place(&self) -> BoxFuture<'_, Result<ampoule_fair::Place, ampoule_tools::Error>> {
            Box::pin(pending())
        }

        fn stands(&self, standing: Standing) {
            self.0.lock().push(standing);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_is_kept_alive_until_the_last_of_its_calls_has_ended() {
        let standings = Arc::new(Standings::default());
        let backend: Arc<dyn ParkingBackend> = Arc::clone(&standings) as _;
        let wait = IdleWait::new(Duration::from_secs(1), backend);
        let other = wait.clone();
        let call = |seconds| tokio::time::sleep(Duration::from_secs(seconds));
        let (short, long) = (
            IdleWait::waiting(Some(&wait), call(2)),
            IdleWait::waiting(Some(&other), call(5)),
        );
        let seen_between = async {
            call(3).await;
            standings.0.lock().clone()
        };
        let ((), (), between) = tokio::join!(short, long, seen_between);
        assert_eq!(between, [Standing::KeptAlive]);
        assert_eq!(
            *standings.0.lock(),
            [Standing::KeptAlive, Standing::Running]
        );
    }
}
