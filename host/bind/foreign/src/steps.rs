//! Steps: the thread that gives a run what it waits for does what the run does next, as long as that
//! is short. To wake another thread for it takes longer than most of these steps.
//!
//! A run's work belongs to nobody until something wakes it that is not such a thread; then it gets a
//! task of the runtime's. A step computes for no longer than a slice of any run does: the run takes
//! its turns as it does in a task. And all steps of one turn of the thread's loop together begin
//! within [`TOGETHER`]: what comes after that is for the runtime's threads.

use std::cell::RefCell;
use std::pin::Pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::runtime::Handle;

/// For how long, in a turn of its loop, a thread begins steps.
const TOGETHER: Duration = Duration::from_millis(1);

/// A thread with an event loop, which does steps of runs.
#[derive(Debug, Default)]
pub struct Stepper {
    /// When the loop's turn began, as far as steps are concerned.
    turn: Mutex<Option<Instant>>,
}

thread_local! {
    /// The stepper whose steps this thread does, and what it has woken.
    static HERE: RefCell<Option<Steps>> = const { RefCell::new(None) };
}

struct Steps {
    stepper: *const Stepper,
    /// While something is given, and not while steps are done.
    takes: bool,
    woken: Vec<Arc<Work>>,
}

impl Stepper {
    /// Gives runs something, such as the answer of a call, and does their next steps on this thread.
    pub fn step<T>(&self, give: impl FnOnce() -> T) -> T {
        let is_first = HERE.with_borrow_mut(|here| {
            let is_first = here.is_none();
            here.get_or_insert_with(|| Steps {
                stepper: ptr::from_ref(self),
                takes: true,
                woken: Vec::new(),
            });
            is_first
        });
        if !is_first {
            return give();
        }
        let _left = Left;
        let given = give();
        let woken = HERE.with_borrow_mut(|here| {
            let steps = here.as_mut()?;
            steps.takes = false;
            Some(std::mem::take(&mut steps.woken))
        });
        for work in woken.into_iter().flatten() {
            if self.may_begin() {
                // Where it is not done, something wakes it.
                let _ = work.step();
            } else {
                work.schedule();
            }
        }
        given
    }

    /// Whether this thread does its steps now: it looks for messages when they are done, and need
    /// not be woken for them.
    pub fn is_here(&self) -> bool {
        let is_here = |here: &RefCell<Option<Steps>>| {
            let here = here.borrow();
            here.as_ref().is_some_and(|it| ptr::eq(it.stepper, self))
        };
        HERE.try_with(is_here).unwrap_or(false)
    }

    /// To be called when another turn of the thread's loop has begun.
    pub fn next_turn(&self) {
        *self.turn.lock() = None;
    }

    fn may_begin(&self) -> bool {
        let mut turn = self.turn.lock();
        turn.get_or_insert_with(Instant::now).elapsed() < TOGETHER
    }
}

/// This thread does no more steps.
struct Left;

impl Drop for Left {
    fn drop(&mut self) {
        // Nothing is left there, unless what was to be given panicked.
        for work in HERE.take().into_iter().flat_map(|steps| steps.woken) {
            work.schedule();
        }
    }
}

/// Whether this thread does a step of a run now. What calls back into a program must not do that from
/// within its event loop.
pub fn is_stepping() -> bool {
    HERE.try_with(|here| here.borrow().is_some())
        .unwrap_or(false)
}

/// Starts work, with its first step here where the thread does steps now.
pub(crate) fn start(work: BoxFuture<'static, ()>, tokio: &Handle) {
    let state = State {
        doing: Doing::Nothing(work),
        is_woken: true,
        task: None,
    };
    let work = Arc::new(Work {
        state: Mutex::new(state),
        tokio: tokio.clone(),
    });
    work.offer();
}

/// What steps are of.
struct Work {
    state: Mutex<State>,
    tokio: Handle,
}

struct State {
    doing: Doing,
    /// Whether there is something to do since it was last polled.
    is_woken: bool,
    task: Option<Task>,
}

enum Doing {
    Nothing(BoxFuture<'static, ()>),
    /// A thread does a step.
    Step,
    /// It is done, or given up.
    Over,
}

/// The task that does what is not done in steps.
enum Task {
    /// It was not polled yet.
    Spawned,
    Waits(Waker),
}

impl Work {
    /// Has a thread do what there is to do: this one, if it takes that.
    fn offer(self: Arc<Self>) {
        let takes = |here: &RefCell<Option<Steps>>| {
            // While it is borrowed, nothing is given.
            if let Ok(mut here) = here.try_borrow_mut()
                && let Some(steps) = &mut *here
                && steps.takes
            {
                steps.woken.push(Arc::clone(&self));
                return true;
            }
            false
        };
        if !HERE.try_with(takes).unwrap_or(false) {
            self.schedule();
        }
    }

    /// Has one of the runtime's threads do what there is to do.
    fn schedule(self: &Arc<Self>) {
        let mut state = self.state.lock();
        if matches!(state.doing, Doing::Over) {
            return;
        }
        match &state.task {
            None => {
                state.task = Some(Task::Spawned);
                drop(state);
                self.tokio.spawn(WorkTask(Arc::clone(self)));
            }
            Some(Task::Spawned) => {}
            Some(Task::Waits(waker)) => {
                let waker = waker.clone();
                drop(state);
                waker.wake();
            }
        }
    }

    /// Does a step, if there is something to do and no other thread does it. Whether all is done.
    fn step(self: &Arc<Self>) -> Poll<()> {
        let mut state = self.state.lock();
        if !state.is_woken {
            return state.is_over();
        }
        let mut work = match std::mem::replace(&mut state.doing, Doing::Step) {
            Doing::Nothing(work) => work,
            // Who does the step looks whether there was more.
            other => {
                state.doing = other;
                return state.is_over();
            }
        };
        state.is_woken = false;
        drop(state);
        let polled = {
            let _entered = self.tokio.enter();
            let waker = Waker::from(Arc::clone(self));
            work.as_mut().poll(&mut Context::from_waker(&waker))
        };
        let mut state = self.state.lock();
        if polled.is_ready() || matches!(state.doing, Doing::Over) {
            state.doing = Doing::Over;
            let task = state.task.take();
            drop(state);
            drop(work);
            if let Some(Task::Waits(waker)) = task {
                waker.wake();
            }
            return Poll::Ready(());
        }
        state.doing = Doing::Nothing(work);
        let is_woken = state.is_woken;
        drop(state);
        if is_woken {
            self.schedule();
        }
        Poll::Pending
    }
}

impl State {
    fn is_over(&self) -> Poll<()> {
        match self.doing {
            Doing::Over => Poll::Ready(()),
            Doing::Nothing(_) | Doing::Step => Poll::Pending,
        }
    }
}

impl Wake for Work {
    fn wake(self: Arc<Self>) {
        let mut state = self.state.lock();
        let was_woken = std::mem::replace(&mut state.is_woken, true);
        let is_idle = matches!(state.doing, Doing::Nothing(_));
        drop(state);
        if is_idle && !was_woken {
            self.offer();
        }
    }
}

/// The task of work that is not done in steps alone.
struct WorkTask(Arc<Work>);

impl Future for WorkTask {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.state.lock().task = Some(Task::Waits(context.waker().clone()));
        self.0.step()
    }
}

impl Drop for WorkTask {
    /// The runtime's threads end, and with them what they do.
    fn drop(&mut self) {
        let doing = std::mem::replace(&mut self.0.state.lock().doing, Doing::Over);
        drop(doing);
    }
}
