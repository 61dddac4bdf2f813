//! Effort: what the host computes for a run, counted as it goes, paid with the run's fuel, and
//! interrupted where the run is over.
//!
//! Effort is counted in units of fuel, by what is looked at and never by the clock, so that a run's
//! fuel is the same on every machine: about two units for each nanosecond.

mod background;

use std::future::{Ready, poll_fn, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use ampoule_fair::Principal;
use futures::future::{BoxFuture, Either};
use tokio::runtime::Handle;

pub use self::background::{breathe, giving_way, thread_that_gives_way};

/// For each time that a guest asks the host for something.
pub const REQUEST: u64 = 256;
/// For each name, value or tool that is looked at.
pub const ITEM: u64 = 64;
/// For each byte of JSON or of a schema that is read or written.
pub const BYTE: u64 = 8;
/// For each pair of letters that are compared, where it is measured how alike two words are.
pub const LETTERS: u64 = 8;

/// What may be done where other tasks wait for the thread, in units: about 100 µs.
pub const MOST_IN_PLACE: u64 = 200_000;
/// What may be done for a caller without fuel, in units: about ten seconds.
const MOST_WITHOUT_A_RUN: u64 = 20_000_000_000;

/// What the host has computed for one run, and may yet. Clones count together.
#[derive(Debug, Clone)]
pub struct Effort(Arc<Account>);

#[derive(Debug)]
struct Account {
    spent: AtomicU64,
    allowed: AtomicU64,
    over: AtomicBool,
    /// On whose behalf the run happens.
    principal: Option<Principal>,
}

/// The caller that waits for work, which is over when this is dropped.
pub struct EffortGuard(Effort);

impl Drop for EffortGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Why work was interrupted: there is no fuel left for it, or no caller waits for it any more; or
/// the system gives no thread to do it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this took too much computation")]
pub struct EffortError;

impl Default for Effort {
    fn default() -> Self {
        Self::without_a_run(None)
    }
}

impl Effort {
    /// As much as that.
    pub fn of(units: u64) -> Self {
        Self::on_behalf_of(None, units)
    }

    /// The same for somebody: work that is done elsewhere takes turns with that of others.
    pub fn on_behalf_of(principal: Option<Principal>, units: u64) -> Self {
        Self(Arc::new(Account {
            spent: AtomicU64::new(0),
            allowed: AtomicU64::new(units),
            over: AtomicBool::new(false),
            principal,
        }))
    }

    /// As much as may be done for somebody who has no run, such as a client that searches.
    pub fn without_a_run(principal: Option<Principal>) -> Self {
        Self::on_behalf_of(principal, MOST_WITHOUT_A_RUN)
    }

    /// On whose behalf it is done.
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal.as_ref()
    }

    /// Counts work that is about to be done, or has been. To be called often: it is also where work
    /// ends whose run is over.
    pub fn spend(&self, units: u64) -> Result<(), EffortError> {
        breathe(units);
        let spent = self.0.spent.fetch_add(units, Relaxed).saturating_add(units);
        if spent > self.0.allowed.load(Relaxed) || self.0.over.load(Relaxed) {
            return Err(EffortError);
        }
        Ok(())
    }

    /// What was spent since this was last asked.
    pub fn take_spent(&self) -> u64 {
        self.0.spent.swap(0, Relaxed)
    }

    /// Says how much may be spent from here on.
    pub fn allow(&self, units: u64) {
        self.0.allowed.store(units, Relaxed);
    }

    /// Says that the run is over: work for it that is still under way ends.
    pub fn end(&self) {
        self.0.over.store(true, Relaxed);
    }

    /// Says so when what this gives is dropped.
    #[must_use = "it is over when this is dropped"]
    pub fn until_dropped(&self) -> EffortGuard {
        EffortGuard(self.clone())
    }

    /// Pays for work of a known price, and does it: here where that is little, or else
    /// [elsewhere](Self::elsewhere).
    pub async fn work<T: Send + 'static>(
        &self,
        price: u64,
        work: impl FnOnce(&Self) -> Result<T, EffortError> + Send + 'static,
    ) -> Result<T, EffortError> {
        self.spend(price)?;
        if price <= MOST_IN_PLACE {
            return work(self);
        }
        self.elsewhere(work).await
    }

    /// Does work on a thread that keeps nobody waiting. Dropping the future does not end it; that
    /// the run is [over](Self::end) does, where it [spends](Self::spend). Work that panics does so
    /// here. The future is in a box: most calls hold room for several such works, and do none of
    /// them.
    pub fn elsewhere<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, EffortError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, EffortError>> {
        let effort = self.clone();
        Box::pin(async move {
            let principal = effort.principal().cloned();
            let working = background::run(principal.as_ref(), move || {
                // The run may have ended while this waited.
                effort.spend(0)?;
                work(&effort)
            });
            working.await.unwrap_or(Err(EffortError))
        })
    }

    /// Drives a future whose first step may take long: that is done on a thread that keeps nobody
    /// waiting, and what follows here.
    pub async fn begin_elsewhere<T: Send + 'static>(
        &self,
        mut future: BoxFuture<'static, T>,
    ) -> Result<T, EffortError> {
        let task = poll_fn(|context| Poll::Ready(context.waker().clone())).await;
        let tokio = Handle::try_current();
        let begun = self.elsewhere(move |_| {
            let _entered = tokio.as_ref().map(Handle::enter);
            let polled = future.as_mut().poll(&mut Context::from_waker(&task));
            Ok(match polled {
                Poll::Ready(done) => Either::Left(ready(done)),
                Poll::Pending => Either::Right(future),
            })
        });
        let begun: Either<Ready<T>, BoxFuture<'static, T>> = begun.await?;
        Ok(begun.await)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_is_spent_is_counted_up_to_what_is_allowed() {
        let effort = Effort::of(100);
        assert_eq!(effort.spend(100), Ok(()));
        assert_eq!(effort.spend(1), Err(EffortError));
        assert_eq!(effort.take_spent(), 101);
        effort.allow(10);
        assert_eq!(effort.spend(10), Ok(()));
        effort.end();
        assert_eq!(effort.spend(0), Err(EffortError));
    }

    #[test]
    fn work_is_over_when_its_caller_is_gone() {
        let effort = Effort::without_a_run(Some(Principal::new("ada")));
        assert_eq!(
            effort.principal().map(ToString::to_string),
            Some("ada".into())
        );
        let waits = effort.until_dropped();
        assert_eq!(effort.spend(1), Ok(()));
        drop(waits);
        assert_eq!(effort.spend(0), Err(EffortError));
    }

    #[tokio::test]
    async fn little_work_is_done_in_place_and_much_elsewhere() {
        let effort = Effort::default();
        let thread = async |about| {
            effort
                .work(about, |_| Ok(thread::current().id()))
                .await
                .unwrap()
        };
        assert_eq!(thread(MOST_IN_PLACE).await, thread::current().id());
        assert_ne!(thread(MOST_IN_PLACE + 1).await, thread::current().id());
    }

    #[tokio::test]
    async fn only_the_first_step_of_a_future_is_done_elsewhere() {
        let effort = Effort::default();
        let (answer, answered) = tokio::sync::oneshot::channel::<u32>();
        let future = Box::pin(async move {
            let begun = thread::current().id();
            // There is Tokio's clock on that thread too.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            let answer = answered.await.unwrap();
            (begun, thread::current().id(), answer)
        });
        tokio::spawn(async move { answer.send(7).unwrap() });
        let (begun, ended, answer) = effort.begin_elsewhere(future).await.unwrap();
        assert_ne!(begun, thread::current().id());
        assert_eq!((ended, answer), (thread::current().id(), 7));
        let at_once = effort.begin_elsewhere(Box::pin(ready(7)));
        assert_eq!(at_once.await, Ok(7));
    }

    #[tokio::test]
    async fn work_ends_when_the_run_is_over() {
        let effort = Effort::default();
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let (ended, has_ended) = tokio::sync::oneshot::channel();
        let work = tokio::spawn({
            let effort = effort.clone();
            async move {
                let work = effort.elsewhere(move |effort| {
                    let _ = begun.send(());
                    while effort.spend(0).is_ok() {}
                    let _ = ended.send(());
                    Ok(())
                });
                work.await
            }
        });
        has_begun.await.expect("it begins");
        work.abort();
        effort.end();
        has_ended.await.expect("it ends");
    }

    #[tokio::test]
    async fn what_can_not_be_paid_is_not_begun() {
        let effort = Effort::of(MOST_IN_PLACE);
        let work = effort.work(MOST_IN_PLACE + 1, |_| -> Result<(), _> { panic!("begun") });
        assert_eq!(work.await, Err(EffortError));
    }
}
