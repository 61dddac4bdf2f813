//! All runs of a server, as an operator sees them: `ampoule runs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, SystemTime};

use ampoule::{
    Cancel, Ending, Error, Event, Events, Gauge, Outcome, Principal, Run, RunEvent, RunId,
};
use futures::FutureExt;
use parking_lot::Mutex;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::watch;

/// What stands for the language of a run of one call, without a script.
pub(super) const CALL: &str = "call";
/// The same of calls that take back those of another run.
pub(super) const UNDO: &str = "undo";
/// How much is shown of a script, and of how it ended, in bytes.
const SHOWN_BYTES: usize = 4 << 10;
/// How large an outcome may be that is kept to be looked at, in bytes.
const OUTCOME_BYTES: usize = 256 << 10;

/// One run, as an operator sees it.
pub(crate) struct RunRecord {
    pub(crate) id: RunId,
    principal: Option<Principal>,
    client: Option<String>,
    /// The toolkit that it is within.
    toolkit: Option<Arc<str>>,
    language: &'static str,
    /// The script, as far as it is shown.
    pub(crate) code: String,
    pub(crate) since: SystemTime,
    pub(crate) cancel: Cancel,
    calls: Arc<AtomicU64>,
    pub(crate) gauge: Gauge,
    /// From the first that is kept on; none once the run is over.
    events: Mutex<Option<Events>>,
    /// How it ended.
    pub(crate) ended: watch::Sender<Option<Value>>,
    /// The whole outcome, as `ampoule run --json` has it, unless it is too large.
    outcome: OnceLock<Box<RawValue>>,
    /// When its calls began and ended, once it is over.
    call_events: OnceLock<Vec<Arc<RunEvent>>>,
    all: Weak<Mutex<HashMap<RunId, Weak<Self>>>>,
}

/// What a run printed so far.
pub(crate) struct PrintedOutput {
    pub(crate) text: String,
    /// Whether that is all.
    pub(crate) is_whole: bool,
}

/// Whose run it is, and what it runs.
pub(crate) struct RunDescription {
    pub(crate) principal: Option<Principal>,
    pub(crate) client: Option<String>,
    pub(crate) toolkit: Option<Arc<str>>,
    pub(crate) language: &'static str,
    pub(crate) code: String,
}

impl RunDescription {
    /// A run of this code, within no toolkit.
    pub(crate) fn new(
        principal: Option<Principal>,
        client: Option<String>,
        language: &'static str,
        code: &str,
    ) -> Self {
        let code = code[..code.floor_char_boundary(SHOWN_BYTES)].to_owned();
        Self {
            principal,
            client,
            toolkit: None,
            language,
            code,
        }
    }
}

/// Counts the calls of a run as it hears of them.
#[derive(Default)]
pub(crate) struct CallCount(Arc<AtomicU64>);

impl CallCount {
    /// What hears of them.
    pub(crate) fn listener(&self) -> impl FnMut(&Event) + Send + 'static {
        let calls = Arc::clone(&self.0);
        move |event| {
            if let Event::CallStarted { .. } = event {
                calls.fetch_add(1, Relaxed);
            }
        }
    }
}

/// The runs of a server: active, or kept for their clients. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct RunRegistry(Arc<Mutex<HashMap<RunId, Weak<RunRecord>>>>);

impl RunRegistry {
    /// Enters a run, for as long as what this gives is there.
    pub(crate) fn enter(
        &self,
        run: &Run,
        description: RunDescription,
        calls: &CallCount,
    ) -> Arc<RunRecord> {
        let RunDescription {
            principal,
            client,
            toolkit,
            language,
            code,
        } = description;
        let id = run.id();
        let record = Arc::new(RunRecord {
            id,
            principal: principal.as_ref().map(Principal::without_token),
            client,
            toolkit,
            language,
            code,
            since: SystemTime::now(),
            cancel: run.canceller(),
            calls: Arc::clone(&calls.0),
            gauge: run.gauge(),
            events: Mutex::new(Some(run.events())),
            ended: watch::Sender::new(None),
            outcome: OnceLock::new(),
            call_events: OnceLock::new(),
            all: Arc::downgrade(&self.0),
        });
        self.0.lock().insert(id, Arc::downgrade(&record));
        record
    }

    /// All of them, the oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<RunRecord>> {
        let mut records: Vec<_> = self.0.lock().values().filter_map(Weak::upgrade).collect();
        records.sort_by_key(|record| record.since);
        records
    }

    #[cfg(test)]
    pub(crate) fn are_none_under_way(&self) -> bool {
        self.all().iter().all(|it| it.ended.borrow().is_some())
    }

    /// The run with this id, or with an id that begins so.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<RunRecord>> {
        let runs = self.0.lock();
        let found = runs.iter().find(|(id, _)| id.is_meant_by(name));
        found.and_then(|(_, record)| record.upgrade())
    }
}

impl Drop for RunRecord {
    fn drop(&mut self) {
        if let Some(all) = self.all.upgrade() {
            all.lock().remove(&self.id);
        }
    }
}

impl RunRecord {
    /// It is over. Of its events, nothing is kept.
    pub(crate) fn end(&self, outcome: &Result<Outcome, Error>) {
        let whole = outcome.as_ref().ok().map(to_raw_value);
        if let Some(Ok(whole)) = whole
            && whole.get().len() <= OUTCOME_BYTES
        {
            // A run ends once.
            let _ = self.outcome.set(whole);
        }
        let _ = self.call_events.set(self.call_events());
        self.ended.send_replace(Some(ended(outcome)));
        *self.events.lock() = None;
    }

    /// The whole outcome, once it is over, unless it is too large to be kept.
    pub(crate) fn outcome(&self) -> Option<&RawValue> {
        self.outcome.get().map(|outcome| &**outcome)
    }

    /// When its calls began and ended, as far as that is kept.
    pub(crate) fn call_events(&self) -> Vec<Arc<RunEvent>> {
        if let Some(events) = self.call_events.get() {
            return events.clone();
        }
        let Some(mut events) = self.events() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        while let Some(Some(happened)) = events.next().now_or_never() {
            if let Event::CallStarted { .. } | Event::CallEnded { .. } = happened.event {
                found.push(happened);
            }
        }
        found
    }

    /// Whether it is one call, without a script.
    pub(crate) fn is_call(&self) -> bool {
        self.language == CALL
    }

    /// Whether it was cancelled, once it is over.
    pub(crate) fn was_cancelled(&self) -> bool {
        let ended = self.ended.borrow();
        ended
            .as_ref()
            .is_some_and(|ended| ended["ending"] == "cancelled")
    }

    /// The events of the run, from the first that is kept on; none once it is over.
    pub(crate) fn events(&self) -> Option<Events> {
        self.events.lock().clone()
    }

    /// What it printed so far, as far as that is kept.
    pub(crate) fn printed(&self) -> PrintedOutput {
        let Some(mut events) = self.events() else {
            return PrintedOutput {
                text: String::new(),
                is_whole: true,
            };
        };
        let mut text = String::new();
        while let Some(Some(happened)) = events.next().now_or_never() {
            if let Event::Output(line) = &happened.event {
                text += &line.text;
                text.push('\n');
            }
        }
        PrintedOutput {
            text,
            is_whole: events.missed() == 0,
        }
    }

    /// What an operator sees of it.
    pub(crate) fn row(&self) -> Value {
        let ended = self.ended.borrow().clone();
        let state = match &ended {
            None => json!("running"),
            Some(ended) => ended["ending"].clone(),
        };
        json!({
            "run": self.id,
            "principal": self.principal,
            "client": self.client,
            "toolkit": self.toolkit,
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
            let mut ended = json!({
                "ending": outcome.ending.name(),
                "said": said[..said.floor_char_boundary(SHOWN_BYTES)],
                "fuel": outcome.usage.fuel,
                "memoryBytes": outcome.usage.peak_memory_bytes,
                "calls": outcome.usage.calls.len(),
                "wallMs": millis(outcome.usage.wall_time),
            });
            if let Some(log) = &outcome.call_log {
                ended["callLog"] = json!(log);
                ended["callLog"]["text"] = json!(log.to_string());
            }
            ended
        }
        Err(error) => json!({ "ending": "failed", "said": error.to_string() }),
    }
}

pub(crate) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
