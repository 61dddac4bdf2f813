//! What a run's calls were answered, while it is under way: the examples of skills that it saves
//! are tried with that.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use ampoule_isolate::Language;
use ampoule_persistence::skills::Answer;
use ampoule_tools::{CallContext, CallError, GrantedTools, Layer, Next, RunId, ToolResult};
use ampoule_untrusted::json;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

/// How much is kept of one run's answers, in bytes, and how many.
const MOST_BYTES: u64 = 4 << 20;
const MOST: usize = 1_000;
/// How many skills one run may save, or try to.
const SAVES: u32 = 20;

/// A call, and what it was answered.
#[derive(Clone)]
pub(super) struct Note {
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) result: ToolResult,
}

/// The runs under way whose calls are noted.
pub(crate) type Registry = Mutex<HashMap<RunId, Weak<Notes>>>;

/// What one run's calls were answered, and with which tools.
pub(crate) struct Notes {
    run: RunId,
    registry: Arc<Registry>,
    /// What the run's script is in.
    pub(super) language: Language,
    pub(super) tools: GrantedTools,
    taken: Mutex<NoteList>,
}

#[derive(Default)]
struct NoteList {
    notes: Vec<Note>,
    bytes: u64,
    saves: u32,
}

impl Notes {
    /// Of a run that may call these tools.
    pub(crate) fn of(
        run: RunId,
        registry: &Arc<Registry>,
        language: Language,
        tools: GrantedTools,
    ) -> Arc<Self> {
        let notes = Arc::new(Self {
            run,
            registry: Arc::clone(registry),
            language,
            tools,
            taken: Mutex::default(),
        });
        registry.lock().insert(run, Arc::downgrade(&notes));
        notes
    }

    /// All so far.
    pub(super) fn all(&self) -> Vec<Note> {
        self.taken.lock().notes.clone()
    }

    /// Counts a skill that is about to be saved: each takes runs of its own.
    pub(super) fn count_save(&self) -> Result<(), String> {
        let mut taken = self.taken.lock();
        taken.saves += 1;
        match taken.saves > SAVES {
            true => Err(format!("one run saves at most {SAVES} skills")),
            false => Ok(()),
        }
    }

    fn take(&self, context: &CallContext, arguments: Map<String, Value>, result: &ToolResult) {
        let bytes = bytes_of(&arguments, result);
        let mut taken = self.taken.lock();
        if taken.notes.len() >= MOST || taken.bytes + bytes > MOST_BYTES {
            return;
        }
        taken.bytes += bytes;
        let call = context.call();
        taken.notes.push(Note {
            server: call.server.to_string(),
            tool: call.tool.to_string(),
            arguments,
            result: result.clone(),
        });
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        self.registry.lock().remove(&self.run);
    }
}

fn bytes_of(arguments: &Map<String, Value>, result: &ToolResult) -> u64 {
    result.unparsed_bytes()
        + json::bytes_of(arguments.values(), MOST_BYTES)
        + json::bytes_of(&result.content, MOST_BYTES)
}

/// Notes what calls are answered, as the script sees it.
pub(crate) struct NoteTaker(pub(crate) Arc<Notes>);

impl Layer for NoteTaker {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        if *context.call().server == *super::SKILLS_SERVER {
            return next.call(arguments, context);
        }
        async move {
            let answer = next.call(arguments.clone(), context.clone()).await;
            if let Ok(result) = &answer {
                self.0.take(&context, arguments, result);
            }
            answer
        }
        .boxed()
    }
}

impl Note {
    /// As it is kept.
    pub(super) fn kept(&self) -> Option<Answer> {
        Some(Answer {
            server: self.server.clone(),
            tool: self.tool.clone(),
            arguments: to_raw_value(&self.arguments).ok()?,
            result: to_raw_value(&self.result).ok()?,
        })
    }

    /// As it was kept.
    pub(super) fn of(answer: &Answer) -> Option<Self> {
        Some(Self {
            server: answer.server.clone(),
            tool: answer.tool.clone(),
            arguments: serde_json::from_str(answer.arguments.get()).ok()?,
            result: serde_json::from_str(answer.result.get()).ok()?,
        })
    }
}
