//! A record as all that a run needs: its bindings, its answers, its world; and what it is held
//! against in the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use ampoule_isolate::{DivergenceError, Outcome, Replay, RunFiles, World};
use ampoule_tools::{Binding, CallContext, CallError, Layer, Next, ToolResult};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answers::Answers;
use crate::difference::{CallRequest, Difference, Findings, is_same};
use crate::entry::there;
use crate::files::FileAnswers;
use crate::record::Record;
use crate::recorded_binding::RecordedBinding;
use crate::simulated_time::SimulatedTime;

/// How a record is run again.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayOptions {
    /// It stops before this call, counted from 0.
    pub until: Option<u32>,
    /// The code is not the recorded one.
    pub edited: bool,
    /// The code is a component, which waits for its calls by itself.
    pub component: bool,
}

/// What a run is given that is a recorded one again.
pub struct ReplaySetup {
    record: Arc<Record>,
    answers: Arc<Answers>,
    found: Arc<Findings>,
    world: Arc<dyn World>,
    how: ReplayOptions,
}

/// What came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReplayReport {
    /// How the run ended.
    pub outcome: Outcome,
    /// The first thing that is not as it was recorded; none if all is, to the last byte, as far as
    /// nothing was redacted.
    pub difference: Option<Difference>,
    /// The call before which it stopped, if that was requested.
    pub stopped: Option<(u32, CallRequest)>,
    /// How many calls were answered from the record.
    pub answered: usize,
    /// The recorded run was cut short from outside, and so was this one where the record ends.
    pub cut_short: bool,
    /// What else there is to say, a sentence each.
    pub notes: Vec<String>,
}

impl ReplayReport {
    /// The same, where what calls and outcomes have in them must not be shown.
    #[must_use]
    pub fn without_texts(self) -> Self {
        let stopped = self.stopped;
        Self {
            difference: self.difference.map(Difference::without_texts),
            stopped: stopped.map(|(call, asked)| (call, asked.without_arguments())),
            ..self
        }
    }
}

impl ReplaySetup {
    /// Of that record.
    pub fn of(record: Record, how: ReplayOptions) -> Self {
        let (record, found) = (Arc::new(record), Arc::<Findings>::default());
        let simulated = Arc::new(SimulatedTime::of(Arc::clone(&record)));
        let answers = Arc::new(Answers {
            record: Arc::clone(&record),
            found: Arc::clone(&found),
            until: how.until,
            is_edited: how.edited,
            time: (how.edited && !how.component).then(|| Arc::clone(&simulated)),
            given: Mutex::default(),
        });
        let world: Arc<dyn World> = match how.edited {
            true => simulated,
            false => Arc::new(ReplayWorld {
                replay: Replay::new(record.tape.clone()),
                found: Arc::clone(&found),
                last: AtomicU64::new(0),
                ends_early: record.was_cut_short(),
            }),
        };
        Self {
            record,
            answers,
            found,
            world,
            how,
        }
    }

    /// What is run again.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The bindings, in their order.
    pub fn bindings(&self) -> Vec<Arc<dyn Binding>> {
        RecordedBinding::all(&self.record)
    }

    /// What the run's calls are to pass; they do not get any further.
    pub fn layer(&self) -> impl Layer {
        AnswerLayer(Arc::clone(&self.answers))
    }

    /// The world that the run is to have.
    pub fn world(&self) -> Arc<dyn World> {
        Arc::clone(&self.world)
    }

    /// What the run is to have of files.
    pub fn files(&self) -> RunFiles {
        match self.record.program.files {
            false => RunFiles::None,
            true => RunFiles::Replayed(Arc::new(FileAnswers {
                record: Arc::clone(&self.record),
                found: Arc::clone(&self.found),
                is_edited: self.how.edited,
                given: Mutex::default(),
            })),
        }
    }

    /// Waits until continuing is useless: whether at once, or when the script has had the time to
    /// say where it is.
    pub async fn stops(&self) -> bool {
        self.found.stops.notified().await;
        self.found.has_stopped()
    }

    /// What came of it.
    pub fn judged(self, outcome: Outcome, notes: Vec<String>) -> ReplayReport {
        let (difference, stopped) = self.found.take();
        let cut_short = self.record.was_cut_short() && !self.how.edited;
        let difference = match (difference, &stopped) {
            (Some(difference), _) => Some(difference),
            (None, Some(_)) => None,
            (None, None) => self.held_against(&outcome, cut_short),
        };
        ReplayReport {
            outcome,
            difference,
            stopped,
            answered: self.answers.given.lock().len(),
            cut_short,
            notes,
        }
    }

    /// The first difference of what it came to.
    fn held_against(&self, outcome: &Outcome, cut_short: bool) -> Option<Difference> {
        let documents = [
            Document::of(self.record.outcome.get()),
            Document::of(&serde_json::to_string(outcome).unwrap_or_default()),
        ];
        let [recorded, got] = documents;
        let (recorded, got) = (recorded?, got?);
        if self.how.edited {
            return recorded.differs(&got);
        }
        let missing = self.answers.missing();
        if cut_short {
            return missing.or_else(|| recorded.output_differs(&got, true));
        }
        let fuel = (self.record.ended.fuel, outcome.usage.fuel);
        // Another text, though as long, is not always another's work.
        let is_blotted = self.record.ended.blotted > 0;
        let was_parked = self.record.ended.parked > 0;
        let fuel = (fuel.0 != fuel.1 && !is_blotted && !was_parked)
            .then(|| Difference::end("fuel", &fuel.0.to_string(), &fuel.1.to_string()));
        missing.or_else(|| recorded.differs(&got)).or(fuel)
    }
}

/// What two outcomes are compared by.
#[derive(Deserialize)]
struct Document {
    ending: String,
    #[serde(default, deserialize_with = "there")]
    value: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
    #[serde(default)]
    limit: Option<String>,
    output: Vec<Box<RawValue>>,
}

impl Document {
    fn of(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    fn differs(&self, got: &Self) -> Option<Difference> {
        let ending = |it: &Self| match &it.limit {
            Some(limit) => format!("{}: {limit}", it.ending),
            None => it.ending.clone(),
        };
        let raw = |part: &Option<Box<RawValue>>| {
            let text = part.as_deref().map(RawValue::get);
            text.unwrap_or("nothing").to_owned()
        };
        let compared = [
            ("ending", ending(self), ending(got)),
            ("error", raw(&self.error), raw(&got.error)),
            ("value", raw(&self.value), raw(&got.value)),
        ];
        let ends = || {
            let mut compared = compared.iter();
            let (what, recorded, got) =
                compared.find(|(_, recorded, got)| !is_same(recorded, got))?;
            Some(Difference::end(what, recorded, got))
        };
        self.output_differs(got, false).or_else(ends)
    }

    /// The first line of output that differs; where the run was cut short, of those that both have.
    fn output_differs(&self, got: &Self, cut_short: bool) -> Option<Difference> {
        let line = |it: &Self, at: usize| match it.output.get(at) {
            Some(line) => line.get().to_owned(),
            None => "nothing more".to_owned(),
        };
        let count = match cut_short {
            true => self.output.len().min(got.output.len()),
            false => self.output.len().max(got.output.len()),
        };
        let mut places = 0..count;
        let differs = places.find(|&at| !is_same(&line(self, at), &line(got, at)))?;
        let (recorded, got) = (line(self, differs), line(got, differs));
        Some(Difference::end("output", &recorded, &got))
    }
}

/// The answers, as a layer.
struct AnswerLayer(Arc<Answers>);

impl Layer for AnswerLayer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.call(arguments, context, next)
    }
}

/// The recorded world. Once the run is another than the recorded one, it tells anything: all that is
/// wanted then is where the script is.
struct ReplayWorld {
    replay: Replay,
    found: Arc<Findings>,
    last: AtomicU64,
    /// The record ends where the run was cut short.
    ends_early: bool,
}

impl ReplayWorld {
    fn told<T>(&self, told: Result<T, DivergenceError>) -> Result<T, DivergenceError> {
        if let (Err(diverged), false) = (&told, self.ends_early) {
            let what = format!(
                "the run continues where the recorded run ended: {}",
                diverged.0
            );
            self.found.difference(Difference::World { what });
        }
        told
    }

    fn time(
        &self,
        time: impl FnOnce() -> Result<u64, DivergenceError>,
    ) -> Result<u64, DivergenceError> {
        if self.found.any() {
            return Ok(self.last.load(Relaxed));
        }
        let time = self.told(time())?;
        self.last.store(time, Relaxed);
        Ok(time)
    }
}

impl World for ReplayWorld {
    fn now(&self) -> Result<u64, DivergenceError> {
        self.time(|| self.replay.now())
    }

    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError> {
        self.time(|| self.replay.elapsed(began))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        match self.found.any() {
            true => {
                bytes.fill(0);
                Ok(())
            }
            false => self.told(self.replay.fill(bytes)),
        }
    }

    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        match self.found.any() {
            true => Ok(None),
            false => self.told(self.replay.expected()),
        }
    }

    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        match self.found.any() {
            true => None,
            false => self.replay.turn(call),
        }
    }

    fn taken(&self, calls: &[u32]) {
        self.replay.taken(calls);
    }
}
