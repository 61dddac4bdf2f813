//! Runs of schedules.

use std::time::Duration;

use ampoule::RunId;
use ampoule_schedules::{Claim, Tick};
use jiff::Timestamp;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::follow::Launch;
use super::{ScheduledJob, UnattendedRuns};
use crate::runs::handle::RunHandle;

/// The longest pause between two looks at a schedule: the clock may be set, and the machine may sleep.
const LONGEST: Duration = Duration::from_secs(30);
/// The same while a time waits for a run to end.
const WAITING: Duration = Duration::from_secs(1);

/// Why a schedule's run is not started now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartError {
    /// The schedule is unknown.
    Unknown,
    /// As many of its runs are under way as may be.
    Busy,
    /// It was not started, for this reason.
    Host(String),
}

impl UnattendedRuns {
    /// Whether the states of its schedules are in this folder.
    pub(crate) fn is_of(&self, folder: &str) -> bool {
        self.0.store.path().as_os_str() == folder
    }

    /// Starts a run of a schedule now, besides those that its clock starts.
    ///
    /// # Errors
    ///
    /// [`StartError`].
    pub async fn start(&self, name: &str) -> Result<RunId, StartError> {
        let scheduled = self.0.schedules.get(name).ok_or(StartError::Unknown)?;
        let at_once = scheduled.schedule.overlap.at_once();
        let (store, fate, of) = (self.0.store.clone(), self.fate(), name.to_owned());
        let begun = spawn_blocking(move || store.begin(&of, at_once, Timestamp::now(), fate)).await;
        match begun {
            Ok(Ok(Some(claim))) => match self.begin(name, claim).await {
                Ok(started) => started.map_err(StartError::Host),
                Err(_) => Err(StartError::Host("the server is stopping".to_owned())),
            },
            Ok(Ok(None)) => Err(StartError::Busy),
            Ok(Err(error)) => Err(StartError::Host(error.to_string())),
            Err(error) => Err(StartError::Host(error.to_string())),
        }
    }

    /// Starts the runs of a schedule as their times come.
    pub(super) async fn watch(&self, name: &str) {
        loop {
            let Some(ScheduledJob { schedule, .. }) = self.0.schedules.get(name) else {
                return;
            };
            let (store, fate, schedule) = (self.0.store.clone(), self.fate(), schedule.clone());
            let looked =
                spawn_blocking(move || store.look(&schedule, Timestamp::now(), fate)).await;
            let pause = match looked {
                Ok(Ok(tick)) => {
                    let pause = pause(&tick, Timestamp::now());
                    for claim in tick.claims {
                        match claim.run {
                            Some(_) => self.follow_resumed(name, claim),
                            None => drop(self.begin(name, claim)),
                        }
                    }
                    pause
                }
                Ok(Err(error)) => {
                    tracing::error!(name, %error, "a schedule starts no run: its state can't be read or written");
                    LONGEST
                }
                Err(error) if error.is_panic() => {
                    tracing::error!(name, %error, "a schedule starts no run: this is a fault of Ampoule");
                    LONGEST
                }
                // The host is about to stop.
                Err(_) => return,
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// Starts a run. Gives its id, or why it did not start.
    fn begin(&self, name: &str, claim: Claim) -> oneshot::Receiver<Result<RunId, String>> {
        let (told, tells) = oneshot::channel();
        let (all, name) = (self.clone(), name.to_owned());
        self.spawn(async move {
            let Some(ScheduledJob { job, .. }) = all.0.schedules.get(&name) else {
                return;
            };
            let input = json!({
                "schedule": name,
                "due": claim.due.to_string(),
                "missed": claim.missed,
            });
            let launch = Launch {
                name: &name,
                by: format!("schedule {name}"),
                job,
                env: vec![("input", input)],
            };
            let started = all.launch(launch, &claim).await;
            let known = started.as_ref().map(RunHandle::id);
            let _ = told.send(known.map_err(ToString::to_string));
            all.follow(&name, claim, started).await;
        });
        tells
    }
}

/// How long it takes until the schedule is to be looked at again.
fn pause(tick: &Tick, now: Timestamp) -> Duration {
    let next = tick.next.map(|next| next.duration_since(now));
    // Times that are past are looked at at once.
    let next = next.map(|next| Duration::try_from(next).unwrap_or_default());
    let longest = if tick.waits { WAITING } else { LONGEST };
    next.map_or(longest, |next| next.min(longest))
}
