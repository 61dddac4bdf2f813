//! Turns: as much computes for runs at once as there are cores, so that what else arrives waits for
//! little.
//!
//! A run begins to compute without asking, and most are done or wait for something before their
//! first slice is over. One that goes on takes turns with the others that do: they stand here, and
//! not in Tokio's queues, where new requests, timers and results would stand behind them. What
//! waits has no turn.

use std::num::NonZero;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

static TURNS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    Arc::new(Semaphore::new(cores))
});

/// A turn, for what computes elsewhere and is no future. It lasts until it is dropped.
pub async fn take() -> Option<OwnedSemaphorePermit> {
    Arc::clone(&TURNS).acquire_owned().await.ok()
}

/// A future that computes in slices: between two of them it is pending, and has woken itself.
pub struct InTurns<F> {
    sliced: F,
    turns: PollSemaphore,
    turn: Turn,
    slice: Arc<Slice>,
}

/// Whether it may compute.
enum Turn {
    /// For a slice: it has just begun, or has waited for something.
    Begins,
    /// It has computed for a slice, and waits for its turn.
    Waits,
    /// For another slice.
    Has { _turn: Option<OwnedSemaphorePermit> },
}

/// Tells slices that are over from waiting.
struct Slice {
    under_way: AtomicBool,
    over: AtomicBool,
    task: Mutex<Waker>,
}

impl<F: Future + Unpin> InTurns<F> {
    /// Work that takes turns with others once it goes on for longer than a slice.
    pub fn new(sliced: F) -> Self {
        Self {
            sliced,
            turns: PollSemaphore::new(Arc::clone(&TURNS)),
            turn: Turn::Begins,
            slice: Arc::new(Slice {
                under_way: AtomicBool::new(false),
                over: AtomicBool::new(false),
                task: Mutex::new(Waker::noop().clone()),
            }),
        }
    }
}

impl<F: Future + Unpin> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let run = &mut *self;
        if let Turn::Waits = run.turn {
            let turn = ready!(run.turns.poll_acquire(context));
            run.turn = Turn::Has { _turn: turn };
        }
        let polled = run.slice.begin(context.waker(), |context| {
            Pin::new(&mut run.sliced).poll(context)
        });
        run.turn = match polled {
            Poll::Pending if run.slice.is_over() => {
                // Whoever has waited for longer goes first; and before that, whatever has arrived.
                context.waker().wake_by_ref();
                // A thread that was woken to serve somebody may stand behind this one.
                thread::yield_now();
                Turn::Waits
            }
            _ => Turn::Begins,
        };
        polled
    }
}

impl Slice {
    fn begin<T>(self: &Arc<Self>, task: &Waker, slice: impl FnOnce(&mut Context<'_>) -> T) -> T {
        self.task().clone_from(task);
        self.over.store(false, Ordering::SeqCst);
        self.under_way.store(true, Ordering::SeqCst);
        let ended = slice(&mut Context::from_waker(&Waker::from(Arc::clone(self))));
        self.under_way.store(false, Ordering::SeqCst);
        ended
    }

    /// Whether it was woken while it was under way, as by itself. A wake that comes later goes to
    /// the task.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn task(&self) -> MutexGuard<'_, Waker> {
        self.task.lock()
    }
}

impl Wake for Slice {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.over.store(true, Ordering::SeqCst);
        if !self.under_way.load(Ordering::SeqCst) {
            self.task().wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use tokio::sync::{Notify, oneshot};

    use super::*;

    /// Pending once, after it has woken itself: the end of a slice.
    async fn slice() {
        let mut is_over = false;
        std::future::poll_fn(|context| {
            if is_over {
                return Poll::Ready(());
            }
            is_over = true;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// All tests share the turns.
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    #[tokio::test]
    async fn what_computes_on_waits_for_its_turn_and_what_begins_does_not() {
        let _alone = ALONE.lock().await;
        let all = TURNS.available_permits() as u32;
        let taken = Arc::clone(&TURNS).acquire_many_owned(all).await.unwrap();
        InTurns::new(pin!(async {})).await;
        let (mut began, has_begun) = (Some(()), Arc::new(Notify::new()));
        let told = Arc::clone(&has_begun);
        let computing = tokio::spawn(async move {
            let work = pin!(async {
                if began.take().is_some() {
                    told.notify_one();
                }
                slice().await;
            });
            InTurns::new(work).await;
        });
        has_begun.notified().await;
        tokio::task::yield_now().await;
        assert!(!computing.is_finished());
        drop(taken);
        computing.await.unwrap();
        assert_eq!(TURNS.available_permits() as u32, all);
    }

    #[tokio::test]
    async fn what_waits_has_no_turn_and_hears_of_what_it_waits_for() {
        let _alone = ALONE.lock().await;
        let all = TURNS.available_permits();
        let (answer, answered) = oneshot::channel();
        let (waits, is_waiting) = oneshot::channel();
        let run = tokio::spawn(async move {
            let work = pin!(async {
                slice().await;
                slice().await;
                let _ = waits.send(());
                let answer: u32 = answered.await.unwrap();
                tokio::time::sleep(Duration::from_millis(1)).await;
                slice().await;
                answer
            });
            InTurns::new(work).await
        });
        is_waiting.await.unwrap();
        tokio::task::yield_now().await;
        assert_eq!(TURNS.available_permits(), all);
        answer.send(7).unwrap();
        assert_eq!(run.await.unwrap(), 7);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_wake_is_lost_between_slices() {
        for _ in 0..2000 {
            let (answer, answered) = oneshot::channel();
            let run = tokio::spawn(async move {
                let work = pin!(async {
                    slice().await;
                    answered.await.unwrap()
                });
                InTurns::new(work).await
            });
            answer.send(()).unwrap();
            run.await.unwrap();
        }
    }
}
