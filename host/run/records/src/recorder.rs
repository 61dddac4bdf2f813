//! One run, being recorded.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ampoule_isolate::{
    DivergenceError, Ending, FileObserver, Outcome, Pass, Recording, UndoOffer, World,
};
use ampoule_projection::Tool;
use ampoule_store::commit::Decision;
use ampoule_tools::{Binding, Catalog, Layer};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::binding_recorder::BindingRecorder;
use crate::call_recorder::CallRecorder;
use crate::entry::{
    BindingReply, Entry, Head, List, ListedTool, Program, Question, RecordEnd, Reply,
};
use crate::files::FileRecorder;
use crate::limits::Keep;
use crate::shelf::Shelf;
use crate::writer::Writer;

/// How much of a world is written at once: so many times, random bytes or waits.
const PART: usize = 4096;

/// Records one run. Clones record the same one. Where it is not [kept](Self::finish), nothing is
/// left.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

/// What all that listens to a run writes to.
pub(crate) struct Shared {
    pub(crate) writer: Writer,
    /// The servers of calls that are under way.
    pub(crate) calls: Mutex<HashMap<u32, String>>,
    began: Instant,
    bindings: Mutex<Vec<Arc<dyn Binding>>>,
    lists: Mutex<Vec<Arc<[Tool]>>>,
    told: Mutex<BTreeMap<(u32, Question), Reply>>,
    asked: Mutex<BTreeMap<(u32, Question), u64>>,
    world: OnceLock<Recording>,
}

impl Recorder {
    /// For the run of that id. These texts are redacted, and what its bindings know of secrets.
    pub fn new(shelf: Arc<Shelf>, run: String, secrets: &[String]) -> Self {
        let writer = Writer::new(shelf, run);
        writer.blot(secrets.iter().cloned());
        Self(Arc::new(Shared {
            writer,
            calls: Mutex::default(),
            began: Instant::now(),
            bindings: Mutex::default(),
            lists: Mutex::default(),
            told: Mutex::default(),
            asked: Mutex::default(),
            world: OnceLock::new(),
        }))
    }

    /// The catalog as the run is to see it. What it sees is written down.
    pub fn watch(&self, catalog: &Catalog) -> Catalog {
        let bindings = catalog.servers().iter();
        let bindings: Vec<_> = bindings.map(|it| Arc::clone(it.binding())).collect();
        for binding in &bindings {
            self.0.writer.blot(binding.secrets());
        }
        *self.0.bindings.lock() = bindings;
        let watched = |place: usize, binding| {
            let watched = BindingRecorder {
                binding,
                server: u32::try_from(place).unwrap_or(u32::MAX),
                recorder: Arc::clone(&self.0),
            };
            Arc::new(watched) as Arc<dyn Binding>
        };
        // The names are those of before, which can be distinguished.
        catalog.through(watched).unwrap_or_else(|_| catalog.clone())
    }

    /// What the run's calls are to pass first.
    pub fn layer(&self) -> impl Layer {
        CallRecorder(Arc::clone(&self.0))
    }

    /// The world that the run is to have: this one, or the system's.
    pub fn world(&self, world: Option<Arc<dyn World>>) -> Arc<dyn World> {
        let recording = self.0.world.get_or_init(|| Recording::of_given(world));
        Arc::new(RecordedWorld {
            recording: recording.clone(),
            recorder: Arc::clone(&self.0),
        })
    }

    /// Who hears what the run learns of its files.
    pub fn files(&self) -> Arc<dyn FileObserver> {
        Arc::new(FileRecorder(Arc::clone(&self.0)))
    }

    /// The run begins. Opens the file.
    pub fn begin(&self, head: Head, mut program: Program) {
        let Shared {
            writer, bindings, ..
        } = &*self.0;
        let bindings = bindings.lock();
        program.servers = bindings.iter().map(|it| it.name().to_owned()).collect();
        let defaults = bindings.iter().filter(|it| it.is_default_account());
        program.default_accounts = defaults.map(|it| it.name().to_owned()).collect();
        writer.open();
        writer.write(&Entry::Head(head));
        writer.write(&Entry::Program(Box::new(program)));
    }

    /// The run is over, and had read that by then, as far as policies care. Whether its record is
    /// there.
    pub fn finish(&self, outcome: &Outcome, carried: Option<Value>, keep: Keep) -> bool {
        let last = self.last(outcome, carried, keep);
        last.is_some_and(|last| self.0.writer.keep(last))
    }

    /// The same, but whether the record is there is decided elsewhere. Gives the file of the
    /// promise; none if no record will be kept.
    pub fn promise(
        &self,
        outcome: &Outcome,
        carried: Option<Value>,
        keep: Keep,
        decision: &Decision,
    ) -> Option<PathBuf> {
        let last = self.last(outcome, carried, keep)?;
        self.0.writer.promise(last, decision)
    }

    /// The record that was promised will be there.
    pub fn decided(&self) {
        self.0.writer.decided();
    }

    /// The record that was promised is there from now on. Whether it is.
    pub fn fulfil(&self) -> bool {
        self.0.writer.fulfil()
    }

    /// Writes what is known at the end. Gives the last line, if there is to be a record.
    fn last(&self, outcome: &Outcome, carried: Option<Value>, keep: Keep) -> Option<RecordEnd> {
        let returned = matches!(outcome.ending, Ending::Returned(_));
        let is_kept = match keep {
            Keep::None => false,
            Keep::Failures => !returned,
            Keep::All => true,
        };
        if !is_kept {
            return None;
        }
        if let Some(tape) = self.0.world.get().and_then(|world| world.take(1)) {
            self.0.writer.write(&Entry::World(tape));
        }
        let document = to_raw_value(outcome).ok()?;
        self.0.writer.write(&Entry::Outcome(document));
        if let Some(offer) = &outcome.undo {
            self.write_undo(offer.clone());
        }
        Some(RecordEnd {
            ending: outcome.ending.name().to_owned(),
            calls: outcome.usage.calls.len() as u64,
            wall_ms: outcome.usage.wall_time.as_secs_f64() * 1e3,
            fuel: outcome.usage.fuel,
            parked: outcome.usage.parked,
            carried,
            blotted: 0,
            hash: String::new(),
        })
    }
}

impl Recorder {
    /// Writes what takes calls back. A call whose arguments have a secret could not be made by what is
    /// written of it.
    fn write_undo(&self, mut offer: UndoOffer) {
        let writer = &self.0.writer;
        let (redacted, calls) = (offer.calls.into_iter())
            .partition::<Vec<_>, _>(|call| writer.would_blot(&call.arguments));
        offer.calls = calls;
        let why = "a secret is among the arguments, which records don't keep";
        let lost = redacted.iter().map(|call| call.irreversible(why));
        offer.irreversible.extend(lost);
        writer.write(&Entry::Undo(Box::new(offer)));
    }
}

impl Shared {
    /// When it is, in microseconds since the run began.
    pub(crate) fn at(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// How often a binding was asked this before.
    pub(crate) fn asked(&self, server: u32, question: Question) -> u64 {
        let mut asked = self.asked.lock();
        let times = asked.entry((server, question)).or_default();
        *times += 1;
        *times - 1
    }

    /// What it told, from that question on: written where it is not what it told before.
    pub(crate) fn told(&self, server: u32, question: Question, from: u64, told: Reply) {
        let of = (server, question);
        let mut last = self.told.lock();
        if last.get(&of) == Some(&told) {
            return;
        }
        last.insert(of, told.clone());
        drop(last);
        self.writer.write(&Entry::Told(BindingReply {
            server,
            asked: question,
            from,
            told,
        }));
    }

    /// The number of a list of tools, which is written when it is first seen.
    pub(crate) fn list(&self, tools: &Arc<[Tool]>) -> u32 {
        let mut lists = self.lists.lock();
        let known = lists.iter().position(|list| Arc::ptr_eq(list, tools));
        let place = known.unwrap_or_else(|| {
            let list = u32::try_from(lists.len()).unwrap_or(u32::MAX);
            // A definition that came as JSON can be written as JSON.
            let tools_of = tools.iter().filter_map(|tool| ListedTool::of(tool).ok());
            let tools_of = tools_of.collect();
            self.writer.write(&Entry::List(List {
                list,
                tools: tools_of,
            }));
            lists.push(Arc::clone(tools));
            lists.len() - 1
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// Redacts what a server knows of secrets by now.
    pub(crate) fn learn_secrets_of(&self, server: &str) {
        let binding = {
            let bindings = self.bindings.lock();
            bindings.iter().find(|it| it.name() == server).cloned()
        };
        if let Some(binding) = binding {
            self.writer.blot(binding.secrets());
        }
    }
}

/// A world whose tape is written down while it grows.
struct RecordedWorld {
    recording: Recording,
    recorder: Arc<Shared>,
}

impl RecordedWorld {
    fn written<T>(&self, told: T) -> T {
        if let Some(tape) = self.recording.take(PART) {
            self.recorder.writer.write(&Entry::World(tape));
        }
        told
    }
}

impl World for RecordedWorld {
    fn now(&self) -> Result<u64, DivergenceError> {
        self.written(self.recording.now())
    }

    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError> {
        self.written(self.recording.elapsed(began))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        self.written(self.recording.fill(bytes))
    }

    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        self.recording.expected()
    }

    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        self.recording.turn(call)
    }

    fn taken(&self, calls: &[u32]) {
        self.recording.taken(calls);
        self.written(());
    }

    fn pass(&self, most: Option<Duration>) -> Pass {
        self.recording.pass(most)
    }
}
