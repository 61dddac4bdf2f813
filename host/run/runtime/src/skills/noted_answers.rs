//! Tools that answer as they did: nothing leaves.

use std::sync::Arc;

use ampoule_tools::{CallContext, CallError, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::notes::Note;

/// How much of the arguments is shown of a call that has no answer, in bytes.
const TOLD: usize = 200;

/// Answers calls as others like them were answered, and notes which.
pub(super) struct NotedAnswers {
    notes: Vec<Note>,
    used: Mutex<Vec<usize>>,
}

impl NotedAnswers {
    pub(super) fn with(notes: Vec<Note>) -> Arc<Self> {
        let used = Mutex::default();
        Arc::new(Self { notes, used })
    }

    /// The answers that were given, in the order in which they were first.
    pub(super) fn used(&self) -> Vec<Note> {
        let used = self.used.lock();
        used.iter()
            .map(|&place| self.notes[place].clone())
            .collect()
    }

    fn answer(&self, arguments: &Map<String, Value>, context: &CallContext) -> Option<ToolResult> {
        let call = context.call();
        let is_it = |note: &Note| {
            note.tool == *call.tool && note.server == *call.server && note.arguments == *arguments
        };
        // What it was answered last is what holds.
        let place = self.notes.iter().rposition(is_it)?;
        let mut used = self.used.lock();
        if !used.contains(&place) {
            used.push(place);
        }
        Some(self.notes[place].result.clone())
    }
}

/// The layer of one run that is answered so.
pub(super) struct NotedAnswerLayer(pub(super) Arc<NotedAnswers>);

impl Layer for NotedAnswerLayer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        _: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let answer = self.0.answer(&arguments, &context);
        let answer = answer.ok_or_else(|| {
            let call = context.call();
            let mut said = Value::Object(arguments).to_string();
            if said.len() > TOLD {
                said.truncate(said.floor_char_boundary(TOLD));
                said.push('…');
            }
            CallError::Denied(format!(
                "an example calls no tools, and no answer of {}.{} to {said} is known: make this call in the script that saves the skill, before it saves",
                call.server, call.tool
            ))
        });
        ready(answer).boxed()
    }
}
