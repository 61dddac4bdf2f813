//! Calls that are taken back: what a failed run offers, and what a run is that does it. `notes` is what a
//! run keeps of its answered calls meanwhile.

mod notes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ampoule_tools::{Account, RunId};
use ampoule_untrusted::text::one_line;
use serde::{Deserialize, Serialize};

pub(crate) use notes::UndoNotes;

/// The answered calls of a run that did not come to its end, as far as something takes them back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UndoOffer {
    /// The run.
    pub run: RunId,
    /// The calls that take calls of the run back, those of the newest first.
    pub calls: Vec<UndoCall>,
    /// Answered calls that can't be taken back, though something is there that should.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub irreversible: Vec<IrreversibleCall>,
    /// How many older calls there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

/// A call that takes another one back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UndoCall {
    /// The call that it takes back.
    pub takes_back: AnsweredCall,
    /// The name of the binding that is called.
    pub server: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The arguments, an object as JSON.
    pub arguments: String,
}

/// A call that can't be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct IrreversibleCall {
    /// The call.
    pub call: AnsweredCall,
    /// Why that is so.
    pub why: String,
}

/// A call that a run made, and that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AnsweredCall {
    /// Which of the run's calls it is, counted from 0: its place in the usage.
    pub call: u32,
    /// The binding's name.
    pub server: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// Whose account the server saw, if somebody signed in to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl UndoCall {
    /// The call can't be made, for this reason.
    #[doc(hidden)]
    pub fn irreversible(&self, why: impl Into<String>) -> IrreversibleCall {
        IrreversibleCall {
            call: self.takes_back.clone(),
            why: why.into(),
        }
    }

    /// The call in a line: `tracker.delete_issue({"id":7})`.
    pub fn text(&self) -> String {
        let Self {
            server,
            tool,
            arguments,
            ..
        } = self;
        one_line(&format!("{server}.{tool}({arguments})")).into_owned()
    }
}

impl AnsweredCall {
    /// The call in a few words: `tracker.create_issue (call 3)`.
    pub fn text(&self) -> String {
        let Self {
            call, server, tool, ..
        } = self;
        one_line(&format!("{server}.{tool} (call {call})")).into_owned()
    }
}

/// What a run is that takes calls of another one back, one after the other, until one fails.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Undo {
    pub(crate) run: RunId,
    pub(crate) calls: Vec<UndoCall>,
}

impl Undo {
    /// The undo of that run, by these calls, in this order.
    pub fn new(run: RunId, calls: Vec<UndoCall>) -> Self {
        Self { run, calls }
    }

    /// The run whose calls are taken back.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The calls that do that.
    pub fn calls(&self) -> &[UndoCall] {
        &self.calls
    }

    /// The calls in a line each: what stands for them in lists and digests.
    pub fn text(&self) -> String {
        let calls: Vec<String> = self.calls.iter().map(UndoCall::text).collect();
        calls.join("\n")
    }

    /// What is held for it, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |call: &UndoCall| call.server.len() + call.tool.len() + call.arguments.len();
        self.calls.iter().map(bytes).sum::<usize>() as u64
    }
}
