//! A run that is under way.

use std::sync::Arc;

use ampoule_isolate::{EventLog, Events, Gauge, Outcome};
use ampoule_tools::{Deadline, Error, RunId};
use futures::future::{self, Abortable, BoxFuture};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle};

use crate::runtime::Runtime;

/// A run that is under way, from [`Isolate::start`](crate::Isolate::start) to its outcome. Dropping
/// it ends the run and its calls at once.
#[must_use = "a run ends when this is dropped"]
pub struct Run {
    id: RunId,
    log: Arc<EventLog>,
    deadline: Deadline,
    gauge: Gauge,
    cancel: Cancel,
    running: Running,
}

/// What carries a run out.
pub(crate) enum Running {
    /// A task.
    Task(JoinHandle<Result<Outcome, Error>>),
    /// Whoever waits for the outcome.
    Waiter {
        run: Abortable<BoxFuture<'static, Result<Outcome, Error>>>,
        abort: future::AbortHandle,
    },
}

impl Running {
    /// A run that whoever waits for the outcome carries out.
    pub(crate) fn by_waiter(run: BoxFuture<'static, Result<Outcome, Error>>) -> Self {
        let (abort, aborted) = future::AbortHandle::new_pair();
        let run = Abortable::new(run, aborted);
        Self::Waiter { run, abort }
    }

    fn abort_handle(&self) -> AnyAbortHandle {
        match self {
            Self::Task(task) => AnyAbortHandle::Task(task.abort_handle()),
            Self::Waiter { abort, .. } => AnyAbortHandle::Waiter(abort.clone()),
        }
    }
}

/// What ends a run at once.
#[derive(Clone)]
enum AnyAbortHandle {
    Task(AbortHandle),
    Waiter(future::AbortHandle),
}

/// Cancels a run, from anywhere: it may outlive the [`Run`]. Clones cancel the same run.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Sender<bool>);

impl Cancel {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Cancels the run, as [`Run::cancel`] does.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Waits until somebody cancels it.
    pub(crate) async fn cancelled(&self) {
        // There is a sender as long as this waits.
        let _ = self.0.subscribe().wait_for(|cancelled| *cancelled).await;
    }
}

/// Ends a run that is parked, and leaves what is kept of it for
/// [`Runtime::resume`], in this process or another: it may outlive the [`Run`].
#[derive(Clone)]
pub struct Suspender {
    id: RunId,
    runtime: Runtime,
    running: AnyAbortHandle,
}

impl Suspender {
    /// Ends the run here, if it is kept on disk; false if it is not, and nothing happens to it. Its
    /// [outcome](Run::outcome) is then an error, unless it came to its end before. Until it resumes,
    /// its clock stands still.
    pub fn suspend(&self) -> bool {
        let kept = self.runtime.suspend_run(self.id);
        if kept {
            match &self.running {
                AnyAbortHandle::Task(task) => task.abort(),
                AnyAbortHandle::Waiter(run) => run.abort(),
            }
        }
        kept
    }

    /// How many of its calls had not ended when it was last parked.
    pub fn under_way(&self) -> Option<usize> {
        self.runtime.under_way(self.id)
    }

    /// How the run stands: `running`, `parked` or `kept alive`; none if it is over, or may not be
    /// parked.
    pub fn standing(&self) -> Option<&'static str> {
        self.runtime.standing(self.id)
    }
}

impl Run {
    pub(crate) fn new(
        id: RunId,
        log: Arc<EventLog>,
        deadline: Deadline,
        gauge: Gauge,
        cancel: Cancel,
        running: Running,
    ) -> Self {
        Self {
            id,
            log,
            deadline,
            gauge,
            cancel,
            running,
        }
    }

    /// What tells it apart from all other runs.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What happens in it, from its start: as long as there are no more than a thousand events, or
    /// a mebibyte of output, nothing is missed. Each listener has its own pace, and the run waits
    /// for none.
    pub fn events(&self) -> Events {
        self.log.events()
    }

    /// Ends it: its outcome says [`Cancelled`](crate::Ending::Cancelled), with what it printed and
    /// used until then. One that is already over stays as it is.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// What cancels it, to hand to others.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }

    /// What suspends it where it is parked, in the runtime that it is of.
    pub fn suspender(&self, runtime: &Runtime) -> Suspender {
        Suspender {
            id: self.id,
            runtime: runtime.clone(),
            running: self.running.abort_handle(),
        }
    }

    /// When it must be over. It can be paused while a person is asked, and moved.
    pub fn deadline(&self) -> Deadline {
        self.deadline.clone()
    }

    /// What it has used so far, to be looked at as often as one likes, and from anywhere.
    pub fn gauge(&self) -> Gauge {
        self.gauge.clone()
    }

    /// Waits until it is over.
    ///
    /// # Errors
    ///
    /// As for [`Isolate::run`](crate::Isolate::run).
    pub async fn outcome(mut self) -> Result<Outcome, Error> {
        let ended = match &mut self.running {
            Running::Task(task) => task.await.map_err(interrupted),
            Running::Waiter { run, .. } => run.await.map_err(interrupted),
        };
        ended.and_then(|outcome| outcome)
    }
}

fn interrupted(why: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::host("the run was interrupted", why)
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Running::Task(task) = &self.running {
            task.abort();
        }
    }
}
