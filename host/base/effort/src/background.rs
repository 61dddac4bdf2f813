//! Threads in the background: for work of the host's that takes long, and is done for runs.
//!
//! They are one fewer than there are cores, and work on one of them takes a [turn](ampoule_fair::turns),
//! like a run that computes: all in all no more threads compute than there are cores. A thread that is
//! woken to serve somebody may still find them all taken, and the system would let it stand behind
//! one of them for milliseconds, priorities or not. So what computes [breathes](breathe).

use std::cell::Cell;
use std::io;
use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, LazyLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use ampoule_fair::{Places, Principal, turns};
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// How much the system prefers other threads, in steps of its priorities. They get on beside other
/// programs that use all cores, which they would not with `SCHED_IDLE`.
const NICENESS: i32 = 10;

static POOL: LazyLock<Pool> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    Pool::new((cores - 1).max(1), start_thread)
});

/// How long a thread computes before it lets another have its core.
const BREATH: Duration = Duration::from_micros(150);
/// How much is computed between two looks at the clock, in units of fuel: some ten microseconds.
const BETWEEN_LOOKS: u64 = 20_000;

thread_local! {
    /// When this thread breathed last. Only those in the background do.
    static BREATHED: Cell<Option<Instant>> = const { Cell::new(None) };
    static UNTIL_LOOK: Cell<u64> = const { Cell::new(BETWEEN_LOOKS) };
}

/// To be called within work that may be done in the background, with how much has been done since,
/// in units of fuel: whatever waits for the core gets it, some 150 µs after it last did. Costs next
/// to nothing, there and elsewhere.
pub fn breathe(units: u64) {
    let left = UNTIL_LOOK.get().saturating_sub(units);
    UNTIL_LOOK.set(left);
    if left == 0 {
        UNTIL_LOOK.set(BETWEEN_LOOKS);
        if BREATHED.get().is_some_and(|at| at.elapsed() >= BREATH) {
            thread::yield_now();
            BREATHED.set(Some(Instant::now()));
        }
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Threads with one queue. They hold its other end together, so that without any, nothing can be
/// put into it.
struct Pool {
    jobs: mpsc::Sender<Job>,
    /// The threads, if any could be started.
    threads: Option<Places>,
}

impl Pool {
    /// So many threads, or as many of them as `start` can start.
    fn new(threads: usize, start: impl Fn(Job) -> io::Result<()>) -> Self {
        let (sender, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let mut started = 0;
        for _ in 0..threads {
            let jobs = Arc::clone(&jobs);
            match start(Box::new(move || work_off(&jobs))) {
                Ok(()) => started += 1,
                Err(error) => {
                    tracing::error!(%error, "a thread in the background can't be started")
                }
            }
        }
        Self {
            jobs: sender,
            threads: (started > 0).then(|| Places::by_time(started)),
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        whose: Option<&Principal>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        // The thread first: a turn is not for waiting.
        let thread = self.threads.as_ref()?.wait(whose).await.ok()?;
        let turn = turns::take(whose).await;
        let (done, worked) = oneshot::channel();
        let job = move || {
            let result = panic::catch_unwind(AssertUnwindSafe(work));
            drop((turn, thread));
            // Where no caller waits any more, the result is dropped.
            let _ = done.send(result);
        };
        self.jobs.send(Box::new(job)).ok()?;
        match worked.await.ok()? {
            Ok(result) => Some(result),
            Err(panic) => panic::resume_unwind(panic),
        }
    }
}

fn start_thread(work: Job) -> io::Result<()> {
    let thread = thread::Builder::new().name("ampoule-background".into());
    thread.spawn(work).map(drop)
}

fn work_off(jobs: &Mutex<mpsc::Receiver<Job>>) {
    give_way();
    loop {
        let job = jobs.lock().recv();
        match job {
            Ok(job) => {
                BREATHED.set(Some(Instant::now()));
                job();
            }
            Err(mpsc::RecvError) => return,
        }
    }
}

/// On Linux, priorities are those of threads. Lowering one's own is always allowed.
fn give_way() {
    let lowered = rustix::process::getpriority_process(None).and_then(|priority| {
        rustix::process::setpriority_process(None, priority.saturating_add(NICENESS))
    });
    if let Err(error) = lowered {
        tracing::debug!(%error, "a thread in the background has the priority of others");
    }
}

/// Does work that parts itself among threads by rayon, as compiling does, on threads of its own that
/// let all others have the cores; and waits for it.
pub fn giving_way<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let threads = rayon::ThreadPoolBuilder::new()
        .thread_name(|_| "ampoule-background".to_owned())
        .start_handler(|_| give_way());
    match threads.build() {
        Ok(threads) => threads.install(work),
        Err(error) => {
            tracing::warn!(%error, "no thread in the background can be started");
            work()
        }
    }
}

/// One thread that lets all others have the cores, and breathes: for work that would otherwise part
/// itself among threads by rayon. None where it can't be started.
pub fn thread_that_gives_way() -> Option<rayon::ThreadPool> {
    let thread = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .thread_name(|_| "ampoule-background".to_owned())
        .start_handler(|_| {
            give_way();
            BREATHED.set(Some(Instant::now()));
        });
    let thread = thread.build();
    thread
        .inspect_err(|error| tracing::error!(%error, "a thread in the background can't be started"))
        .ok()
}

/// Does work there. Dropping the future does not end it; a panic of the work continues here. None,
/// and at once, where no thread could be started.
pub(crate) async fn run<T: Send + 'static>(
    whose: Option<&Principal>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    POOL.run(whose, work).await
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use futures::FutureExt;
    use futures::future::{join_all, join3};

    use super::*;

    #[tokio::test]
    async fn work_is_done_on_a_thread_that_gives_way() {
        let here = rustix::process::getpriority_process(None).unwrap();
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let there = run(None, priority).await.unwrap();
        assert_eq!(giving_way(priority), there);
        let alone = thread_that_gives_way().unwrap();
        assert_eq!(alone.install(priority), there);
        assert_eq!(alone.current_num_threads(), 1);
        assert_eq!(there, (here + NICENESS).min(19));
        assert_eq!(priority(), here);
    }

    #[tokio::test]
    async fn work_breathes_there_and_nowhere_else() {
        let breathed = || {
            let begun = BREATHED.get();
            thread::sleep(BREATH);
            breathe(BETWEEN_LOOKS - 1);
            let early = BREATHED.get();
            breathe(1);
            (begun, early, BREATHED.get())
        };
        let (begun, early, then) = run(None, move || {
            UNTIL_LOOK.set(BETWEEN_LOOKS);
            breathed()
        })
        .await
        .unwrap();
        assert_eq!(begun, early);
        assert!(then > early);
        assert_eq!(breathed(), (None, None, None));
    }

    #[tokio::test]
    async fn a_panic_arrives_and_the_thread_continues() {
        for _ in 0..2 * thread::available_parallelism().map_or(1, NonZero::get) {
            let panics = tokio::spawn(run(None, || panic!("on purpose")));
            assert!(panics.await.unwrap_err().is_panic());
        }
        assert_eq!(run(None, || 7).await, Some(7));
    }

    #[tokio::test]
    async fn without_a_thread_nothing_waits_for_one() {
        let pool = Pool::new(2, |_| Err(io::ErrorKind::WouldBlock.into()));
        assert_eq!(pool.run(None, || 7).now_or_never(), Some(None));
    }

    #[tokio::test]
    async fn one_thread_does_the_work_of_those_that_could_not_be_started() {
        let refused = AtomicBool::new(true);
        let pool = Pool::new(2, |work| match refused.swap(false, Relaxed) {
            true => Err(io::ErrorKind::WouldBlock.into()),
            false => start_thread(work),
        });
        assert_eq!(pool.run(None, || 7).await, Some(7));
        assert_eq!(pool.run(None, || 8).await, Some(8));
    }

    #[tokio::test]
    async fn a_client_with_much_work_only_slows_itself_down() {
        let pool = Pool::new(1, start_thread);
        let (go_on, waits) = mpsc::channel::<()>();
        let order = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let order = Arc::clone(&order);
            move || order.lock().push(name)
        };
        let (ada, bob) = (Principal::new("ada"), Principal::new("bob"));
        let first = pool.run(Some(&bob), move || waits.recv());
        let flood = (0..5).map(|_| pool.run(Some(&bob), note("bob")));
        let other = pool.run(Some(&ada), note("ada"));
        let mut all = pin!(join3(first, join_all(flood), other));
        // All are in the line by then.
        assert!((&mut all).now_or_never().is_none());
        go_on.send(()).unwrap();
        all.await;
        assert_eq!(*order.lock(), ["ada", "bob", "bob", "bob", "bob", "bob"]);
    }
}
