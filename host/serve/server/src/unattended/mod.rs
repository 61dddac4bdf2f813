//! Runs that no client asks for: a clock starts them, or a message of another system. They are runs
//! like others, with a principal, a grant and limits of the operator's choice.
//!
//! - `job`: from what is configured to an active run; `follow`: its start and its end, on disk
//! - `clock`: runs of schedules; `messages`: runs of hooks

mod clock;
mod follow;
mod job;
mod messages;

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule_schedules::{Schedule, Store};
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::mcp::server::Server;

pub use self::clock::StartError;
pub use self::job::{Job, JobAccess, JobProgram};
pub use self::messages::Hook;
pub(crate) use self::messages::{Message, MessageRefusal};

/// Runs that a clock or a message of another system starts, in a server. Clones are the same.
#[derive(Clone)]
pub struct UnattendedRuns(Arc<Parts>);

struct Parts {
    server: Server,
    store: Store,
    schedules: BTreeMap<String, ScheduledJob>,
    hooks: BTreeMap<String, Hook>,
    /// What starts and follows runs. It ends with the future of [`UnattendedRuns::run`].
    tasks: Mutex<JoinSet<()>>,
}

/// A schedule, and what runs at its times.
pub struct ScheduledJob {
    /// When.
    pub schedule: Schedule,
    /// What.
    pub job: Job,
}

impl UnattendedRuns {
    /// Runs in this server, with what is known of them in this store. Nothing begins before
    /// [`run`](Self::run).
    pub fn new(
        server: Server,
        store: Store,
        schedules: Vec<ScheduledJob>,
        hooks: Vec<Hook>,
    ) -> Self {
        let schedules = schedules.into_iter();
        let hooks = hooks.into_iter();
        Self(Arc::new(Parts {
            server,
            store,
            schedules: schedules.map(|it| (it.schedule.name.clone(), it)).collect(),
            hooks: hooks.map(|hook| (hook.name.clone(), hook)).collect(),
            tasks: Mutex::default(),
        }))
    }

    /// Starts and follows runs until the future is dropped: they end with it, except those that are
    /// parked.
    pub async fn run(self) {
        let _end = EndTasks(self.clone());
        self.0.server.runs.resumed().await;
        for hook in self.0.hooks.keys() {
            self.adopt(&messages::state_name(hook)).await;
        }
        for name in self.0.schedules.keys() {
            let (all, name) = (self.clone(), name.clone());
            self.spawn(async move { all.watch(&name).await });
        }
        std::future::pending().await
    }

    /// Does something until the server stops.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.0.tasks.lock();
        // Nothing needs the tasks that have ended.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }
}

/// Ends what was begun.
struct EndTasks(UnattendedRuns);

impl Drop for EndTasks {
    fn drop(&mut self) {
        self.0.0.tasks.lock().abort_all();
    }
}
