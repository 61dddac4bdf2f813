//! What a run keeps of its calls as it goes: of those that may change something, the first and the
//! last ones. How they ended is in the usage.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_tools::{FailureKind, ResolvedTool};
use serde::{Deserialize, Serialize};

use super::arguments::shortened;
use super::{CallLog, CallResult, LeftOutCalls, LoggedCall};
use crate::held::{HeldBytes, Hold};
use crate::usage::CallUsage;

/// How many of the first calls have an entry.
const FIRST: usize = 5;
/// How many of the last calls have one.
const LAST: usize = 10;

/// The notes of a run on its calls.
#[derive(Default)]
pub(crate) struct CallNotes {
    notes: KeptNotes,
    /// The texts in them, for as long as the host has them.
    hold: Option<Hold>,
}

/// The notes, as a run that is parked keeps them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptNotes {
    /// The calls that may change something, in the order in which they were started.
    changes: Vec<u32>,
    first: Vec<CallNote>,
    last: VecDeque<CallNote>,
    /// How many others there are.
    reads: u32,
}

/// What is noted of one call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallNote {
    call: u32,
    arguments: String,
    /// A policy or a person did not allow it.
    denied: bool,
}

impl CallNotes {
    /// Notes a call that begins.
    pub(crate) fn begun(
        &mut self,
        call: u32,
        tool: &ResolvedTool,
        arguments: &str,
        held: &Arc<HeldBytes>,
    ) {
        if tool.is_read_only() {
            self.notes.reads += 1;
            return;
        }
        self.add(call, arguments);
        self.hold(held);
    }

    /// Adds a call of a tool that may change something.
    pub(super) fn add(&mut self, call: u32, arguments: &str) {
        self.notes.add(CallNote {
            call,
            arguments: shortened(arguments),
            denied: false,
        });
    }

    /// Notes that a call was not done, and why.
    pub(crate) fn failed(&mut self, call: u32, kind: FailureKind) {
        if kind != FailureKind::Denied {
            return;
        }
        let notes = self.notes.first.iter_mut().chain(&mut self.notes.last);
        for note in notes.filter(|note| note.call == call) {
            note.denied = true;
        }
    }

    /// Counts the texts. Where there is no room for them, only the calls are noted.
    fn hold(&mut self, held: &Arc<HeldBytes>) {
        self.hold = None;
        self.hold = held.hold(self.notes.bytes()).ok();
        if self.hold.is_none() {
            let notes = self.notes.first.iter_mut().chain(&mut self.notes.last);
            notes.for_each(|note| note.arguments = "…".to_owned());
        }
    }

    /// The notes, for as long as the run is parked.
    pub(crate) fn kept(&self) -> KeptNotes {
        self.notes.clone()
    }

    /// Resumes the notes of a run that was parked.
    pub(crate) fn resume(&mut self, notes: KeptNotes, held: &Arc<HeldBytes>) {
        self.notes = notes;
        self.hold(held);
    }

    /// The log of a run that is over; none if no call of it may have changed something.
    pub(crate) fn log(&self, usage: &[CallUsage]) -> Option<CallLog> {
        let KeptNotes {
            changes,
            first,
            last,
            reads,
        } = &self.notes;
        let result = |call: u32, denied| {
            let usage = usage.get(call as usize)?;
            Some(CallResult::of(usage, denied))
        };
        let results = changes.iter().filter_map(|call| result(*call, false));
        if !results.clone().any(CallResult::may_matter) {
            return None;
        }
        let entries = first.iter().chain(last).filter_map(|note| {
            let usage = usage.get(note.call as usize)?;
            Some(LoggedCall {
                call: note.call,
                server: Arc::clone(&usage.server),
                tool: Arc::clone(&usage.tool),
                arguments: note.arguments.clone(),
                result: CallResult::of(usage, note.denied),
            })
        });
        let between = changes.len().saturating_sub(first.len() + last.len());
        let left_out = (between > 0).then(|| {
            let of_them = results.skip(first.len()).take(between);
            let not_done = of_them.filter(|result| *result != CallResult::Done);
            LeftOutCalls {
                after: first.len(),
                count: u32::try_from(between).unwrap_or(u32::MAX),
                not_done: u32::try_from(not_done.count()).unwrap_or(u32::MAX),
            }
        });
        Some(CallLog {
            calls: entries.collect(),
            left_out,
            reads: *reads,
        })
    }
}

impl KeptNotes {
    fn add(&mut self, note: CallNote) {
        self.changes.push(note.call);
        if self.first.len() < FIRST {
            self.first.push(note);
            return;
        }
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(note);
    }

    fn bytes(&self) -> u64 {
        let notes = self.first.iter().chain(&self.last);
        notes.map(|note| note.arguments.len() as u64).sum()
    }
}
