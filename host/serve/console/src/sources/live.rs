//! Events of runs, as they happen.

use ampoule_server::operator::client::OperatorAnswer;
use ampoule_server::operator::live::RunFollower;
use serde_json::{Value, json};
use tokio::net::UnixStream;

use super::find_run::{FoundRun, UNKNOWN, is_visible, is_whole};
use super::shares::Share;
use crate::model::{RunEvent, Viewer};
use crate::{Console, ConsoleError};

/// The events of a run, from the first that is kept to the end.
pub struct RunEvents {
    source: Source,
    _share: Share,
}

enum Source {
    Own(RunFollower),
    Other {
        first: Option<Value>,
        rest: Box<OperatorAnswer<UnixStream>>,
    },
    /// A run that has ended: the only event is its end.
    Ended(Option<Value>),
}

impl RunEvents {
    /// The next event; none after the last, which is `ended`.
    pub async fn next(&mut self) -> Option<RunEvent> {
        let next = match &mut self.source {
            Source::Own(events) => events.next().await,
            Source::Other { first, rest } => match first.take() {
                Some(first) => Some(first),
                None => rest.next().await.ok().flatten(),
            },
            Source::Ended(ended) => ended.take(),
        };
        next.map(RunEvent)
    }
}

impl Console {
    /// Follows a run.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Busy`] while too many streams are open.
    pub async fn follow(&self, viewer: &Viewer, id: &str) -> Result<RunEvents, ConsoleError> {
        if !is_whole(id) {
            return Err(UNKNOWN);
        }
        let sources = self.sources();
        let found = sources.find_run(viewer, id).await?;
        let share = self.streams().open(viewer)?;
        let source = match found {
            FoundRun::Live(row) if row["pid"].is_null() => {
                let events = sources.server.live_runs().follow(id);
                Source::Own(events.ok_or(UNKNOWN)?)
            }
            FoundRun::Live(row) => self.follow_elsewhere(viewer, id, &row).await?,
            FoundRun::Parked(_) => {
                return Err(ConsoleError::Conflict(
                    "no process owns the run, so nothing happens in it".to_owned(),
                ));
            }
            FoundRun::Recorded(record) => {
                let outcome = json!({
                    "ending": record.ended.ending,
                    "fuel": record.ended.fuel,
                    "calls": record.ended.calls,
                    "wallMs": record.ended.wall_ms,
                });
                Source::Ended(Some(json!({ "event": "ended", "outcome": outcome })))
            }
        };
        Ok(RunEvents {
            source,
            _share: share,
        })
    }

    /// Follows a run of another process.
    async fn follow_elsewhere(
        &self,
        viewer: &Viewer,
        id: &str,
        row: &Value,
    ) -> Result<Source, ConsoleError> {
        let pid = row["pid"].as_u64();
        let others = self.sources().others(viewer).await.into_iter();
        let mut others = others.filter(|other| Some(u64::from(other.pid)) == pid);
        let (Some(server), true) = (others.next(), is_visible(row, viewer, id)) else {
            return Err(UNKNOWN);
        };
        match OperatorAnswer::follow(id, server).await {
            Ok(Some((first, rest))) => Ok(Source::Other {
                first: Some(first),
                rest: Box::new(rest),
            }),
            Ok(None) | Err(_) => Err(UNKNOWN),
        }
    }
}
