//! What an operator sees of a server's runs, and can do about them: `ampoule runs`.
//!
//! - `Seen`: one run; `Watched`: all that are there
//! - [`socket`]: where a server can be asked; `serving`: its answers

mod serving;
pub mod socket;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use ampoule::{Cancel, Ending, Error, Event, Events, Gauge, Outcome, Principal, Run, RunId};
use futures::FutureExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

/// How much is shown of a script, and of how it ended, in bytes.
const SHOWN_BYTES: usize = 4 << 10;

/// One run, as an operator sees it.
pub(super) struct Seen {
    id: RunId,
    principal: Option<Principal>,
    client: Option<String>,
    language: &'static str,
    /// The script, as far as it is shown.
    code: String,
    since: SystemTime,
    cancel: Cancel,
    calls: Arc<AtomicU64>,
    gauge: Gauge,
    /// From the first that is kept on; none once the run is over.
    events: Mutex<Option<Events>>,
    ended: watch::Sender<Option<Value>>,
    all: Weak<Mutex<HashMap<RunId, Weak<Self>>>>,
}

/// Whose run it is, and what it runs.
pub(super) struct About {
    pub(super) principal: Option<Principal>,
    pub(super) client: Option<String>,
    pub(super) language: &'static str,
    pub(super) code: String,
}

impl About {
    /// A run of this code.
    pub(super) fn new(
        principal: Option<Principal>,
        client: Option<String>,
        language: &'static str,
        code: &str,
    ) -> Self {
        let code = code[..code.floor_char_boundary(SHOWN_BYTES)].to_owned();
        Self {
            principal,
            client,
            language,
            code,
        }
    }
}

/// Counts the calls of a run as it hears of them.
#[derive(Default)]
pub(super) struct Calls(Arc<AtomicU64>);

impl Calls {
    /// What hears of them.
    pub(super) fn listener(&self) -> impl FnMut(&Event) + Send + 'static {
        let calls = Arc::clone(&self.0);
        move |event| {
            if let Event::CallStarted { .. } = event {
                calls.fetch_add(1, Relaxed);
            }
        }
    }
}

/// The runs of a server that are there: under way, or kept for their clients. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct Watched(Arc<Mutex<HashMap<RunId, Weak<Seen>>>>);

impl Watched {
    /// Sees a run for as long as what this gives is there.
    pub(super) fn see(&self, run: &Run, about: About, calls: &Calls) -> Arc<Seen> {
        let About {
            principal,
            client,
            language,
            code,
        } = about;
        let id = run.id();
        let seen = Arc::new(Seen {
            id,
            principal,
            client,
            language,
            code,
            since: SystemTime::now(),
            cancel: run.canceller(),
            calls: Arc::clone(&calls.0),
            gauge: run.gauge(),
            events: Mutex::new(Some(run.events())),
            ended: watch::Sender::new(None),
            all: Arc::downgrade(&self.0),
        });
        self.0.lock().insert(id, Arc::downgrade(&seen));
        seen
    }

    /// All of them, the oldest first.
    fn list(&self) -> Vec<Value> {
        let seen: Vec<_> = self.0.lock().values().filter_map(Weak::upgrade).collect();
        let mut seen: Vec<_> = seen.iter().map(|seen| (seen.since, seen.row())).collect();
        seen.sort_by_key(|(since, _)| *since);
        seen.into_iter().map(|(_, row)| row).collect()
    }

    #[cfg(test)]
    pub(super) fn are_none_under_way(&self) -> bool {
        self.list().iter().all(|row| row["state"] != "running")
    }

    fn find(&self, name: &str) -> Option<Arc<Seen>> {
        let runs = self.0.lock();
        let found = runs.iter().find(|(id, _)| id.is_meant_by(name));
        found.and_then(|(_, seen)| seen.upgrade())
    }
}

impl Drop for Seen {
    fn drop(&mut self) {
        if let Some(all) = self.all.upgrade() {
            all.lock().remove(&self.id);
        }
    }
}

impl Seen {
    /// It is over. Of its events, nothing is kept.
    pub(super) fn end(&self, outcome: &Result<Outcome, Error>) {
        self.ended.send_replace(Some(ended(outcome)));
        *self.events.lock() = None;
    }

    /// Whether somebody cancelled it, once it is over.
    pub(super) fn was_cancelled(&self) -> bool {
        let ended = self.ended.borrow();
        ended
            .as_ref()
            .is_some_and(|ended| ended["ending"] == "cancelled")
    }

    /// When it began.
    pub(super) fn since(&self) -> SystemTime {
        self.since
    }

    /// What it printed so far, as far as that is kept, and whether that is all.
    pub(super) fn printed(&self) -> (String, bool) {
        let events = self.events.lock().clone();
        let Some(mut events) = events else {
            return (String::new(), true);
        };
        let mut printed = String::new();
        while let Some(Some(happened)) = events.next().now_or_never() {
            if let Event::Output(line) = &happened.event {
                printed += &line.text;
                printed.push('\n');
            }
        }
        (printed, events.missed() == 0)
    }

    fn row(&self) -> Value {
        let ended = self.ended.borrow().clone();
        let state = match &ended {
            None => json!("running"),
            Some(ended) => ended["ending"].clone(),
        };
        json!({
            "run": self.id,
            "principal": self.principal,
            "client": self.client,
            "language": self.language,
            "state": state,
            "since": humantime::format_rfc3339_millis(self.since).to_string(),
            "calls": self.calls.load(Relaxed),
            "fuel": self.gauge.fuel(),
            "memoryBytes": self.gauge.peak_memory_bytes(),
        })
    }
}

/// How a run ended, in few bytes.
fn ended(outcome: &Result<Outcome, Error>) -> Value {
    match outcome {
        Ok(outcome) => {
            let said = match &outcome.ending {
                Ending::Returned(Some(value)) => value.get().to_owned(),
                Ending::Returned(None) => String::new(),
                other => other.to_string(),
            };
            json!({
                "ending": outcome.ending.name(),
                "said": said[..said.floor_char_boundary(SHOWN_BYTES)],
                "fuel": outcome.usage.fuel,
                "memoryBytes": outcome.usage.peak_memory_bytes,
                "calls": outcome.usage.calls.len(),
                "wallMs": millis(outcome.usage.wall_time),
            })
        }
        Err(error) => json!({ "ending": "failed", "said": error.to_string() }),
    }
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
