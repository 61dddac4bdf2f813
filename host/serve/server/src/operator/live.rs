//! The active runs of this process, and those whose outcome is still kept for their clients.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule::governance::Governance;
use ampoule::{Events, Gauge, Grant, Runtime};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::mcp::server::Server;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::registry::{RunRecord, RunRegistry, millis};

/// How long nothing happens in a followed run until its usage is reported.
const SILENCE: Duration = Duration::from_secs(5);

/// The runs of a server, as an operator sees them. Each run is an object of JSON.
#[derive(Clone)]
pub struct LiveRuns {
    runs: RunRegistry,
    runtime: Runtime,
}

impl Server {
    /// The runs of this server, for an operator.
    pub fn live_runs(&self) -> LiveRuns {
        LiveRuns {
            runs: self.runs.shared.registry.clone(),
            runtime: self.runs.shared.runtime.clone(),
        }
    }

    /// What its runs may call.
    pub fn grant(&self) -> &Grant {
        &self.runs.shared.grant
    }

    /// The runtime of its runs.
    pub fn runtime(&self) -> &Runtime {
        &self.runs.shared.runtime
    }
}

impl LiveRuns {
    /// All of them, the oldest first.
    pub fn rows(&self) -> Vec<Value> {
        let rows = self.runs.all().into_iter();
        rows.map(|record| self.row(&record)).collect()
    }

    /// One run, named by its id or by the end of it, with its code, its output so far and, once it
    /// has ended, its outcome as far as it is kept.
    pub fn show(&self, id: &str) -> Option<Value> {
        let record = self.runs.find(id)?;
        let mut row = self.row(&record);
        let printed = record.printed();
        row["code"] = json!(record.code);
        row["printed"] = json!(printed.text);
        row["printedWhole"] = json!(printed.is_whole);
        row["ended"] = json!(*record.ended.borrow());
        row["callEvents"] = json!(record.call_events());
        if let Some(outcome) = record.outcome() {
            row["outcome"] = json!(outcome);
        }
        Some(row)
    }

    /// Cancels a run. Returns its row, or none if the run is unknown.
    pub fn cancel(&self, id: &str) -> Option<Value> {
        let record = self.runs.find(id)?;
        record.cancel.cancel();
        Some(record.row())
    }

    /// The events of a run, from the first that is kept to its end. This does not keep the run alive.
    pub fn follow(&self, id: &str) -> Option<RunFollower> {
        self.runs.find(id).map(|record| RunFollower::of(&record))
    }

    /// A run's row, with whether it waits for long, and for a person.
    fn row(&self, record: &RunRecord) -> Value {
        let mut row = record.row();
        if row["state"] != "running" {
            return row;
        }
        if let Some(standing) = self.runtime.standing(record.id) {
            row["state"] = json!(standing);
        }
        let approval = ApprovalWait::new(self.runtime.governance().and_then(Governance::asking));
        approval.set_run(record.id);
        if let Some(what) = approval.what() {
            row["asks"] = json!(what);
        }
        row
    }
}

/// The events of a run, as they happen.
pub struct RunFollower {
    events: Option<Events>,
    ended: watch::Receiver<Option<Value>>,
    since: SystemTime,
    gauge: Gauge,
    told: u64,
    over: bool,
}

impl RunFollower {
    fn of(record: &Arc<RunRecord>) -> Self {
        Self {
            events: record.events(),
            ended: record.ended.subscribe(),
            since: record.since,
            gauge: record.gauge.clone(),
            told: 0,
            over: false,
        }
    }

    /// The next event; at last `ended` with the outcome, and then none.
    pub async fn next(&mut self) -> Option<Value> {
        while let Some(events) = self.events.as_mut() {
            match timeout(SILENCE, events.next()).await {
                Ok(Some(happened)) => return Some(json!(*happened)),
                Ok(None) => self.events = None,
                Err(_) if self.gauge.fuel() == self.told => {}
                Err(_) => {
                    self.told = self.gauge.fuel();
                    return Some(self.used());
                }
            }
        }
        if std::mem::replace(&mut self.over, true) {
            return None;
        }
        let ending = outcome(&mut self.ended).await;
        Some(json!({ "event": "ended", "outcome": ending }))
    }

    /// What the run has used so far, as if that were an event in it.
    fn used(&self) -> Value {
        json!({
            "event": "used",
            "atMs": millis(self.since.elapsed().unwrap_or_default()),
            "fuel": self.gauge.fuel(),
            "memoryBytes": self.gauge.peak_memory_bytes(),
        })
    }
}

/// How a run ended; one whose client went away before that was cancelled.
async fn outcome(ended: &mut watch::Receiver<Option<Value>>) -> Value {
    match ended.wait_for(Option::is_some).await {
        Ok(ending) => json!(*ending),
        Err(_) => json!({ "ending": "cancelled", "said": "its client went away" }),
    }
}
