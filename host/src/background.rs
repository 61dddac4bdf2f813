//! Threads in the background: for work of the host's that takes long, and is done for runs.
//!
//! They are as many as there are cores, and give way to the threads that serve what arrives: the system runs those first. What they do is not done in slices, so
//! it takes no turns from runs.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::thread;

use tokio::sync::oneshot;

/// How much the system prefers other threads, in steps of its priorities: enough that one that wakes need not wait.
const NICENESS: i32 = 10;

type Job = Box<dyn FnOnce() + Send>;

static JOBS: LazyLock<mpsc::Sender<Job>> = LazyLock::new(|| {
    let (sender, jobs) = mpsc::channel();
    let jobs: &'static Mutex<mpsc::Receiver<Job>> = Box::leak(Box::new(Mutex::new(jobs)));
    for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
        let started = thread::Builder::new()
            .name("ampoule-background".into())
            .spawn(|| work_off(jobs));
        if let Err(error) = started {
            tracing::error!(%error, "a thread in the background can't be started");
        }
    }
    sender
});

fn work_off(jobs: &Mutex<mpsc::Receiver<Job>>) {
    give_way();
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(),
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

/// Does work there. Dropping the future does not end it; a panic of the work goes on here. None where no thread could be had.
pub(crate) async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, worked) = oneshot::channel();
    let job = move || {
        // Where nobody waits any more, the result is nobody's.
        let _ = done.send(panic::catch_unwind(AssertUnwindSafe(work)));
    };
    JOBS.send(Box::new(job)).ok()?;
    match worked.await.ok()? {
        Ok(result) => Some(result),
        Err(panic) => panic::resume_unwind(panic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_on_a_thread_that_gives_way() {
        let here = rustix::process::getpriority_process(None).unwrap();
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let there = run(priority).await.unwrap();
        assert_eq!(there, (here + NICENESS).min(19));
        assert_eq!(priority(), here);
    }

    #[tokio::test]
    async fn a_panic_arrives_and_the_thread_goes_on() {
        for _ in 0..2 * thread::available_parallelism().map_or(1, NonZero::get) {
            let panics = tokio::spawn(run(|| panic!("on purpose")));
            assert!(panics.await.unwrap_err().is_panic());
        }
        assert_eq!(run(|| 7).await, Some(7));
    }
}
