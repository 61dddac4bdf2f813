//! What a run keeps of its calls as it goes: of those that may change something, the first and the
//! last ones. Most runs never show it, so a call costs little more than a copy of its arguments, and
//! nothing is allocated for what replaces an older note. How calls ended is in the usage.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_tools::{FailureKind, ResolvedTool};
use serde::{Deserialize, Serialize};

use super::arguments::shortened;
use super::{CallLog, CallResult, LeftOutCalls, LoggedCall};
use crate::usage::CallUsage;

/// How many of the first calls have an entry.
const FIRST: usize = 5;
/// How many of the last calls have one.
const LAST: usize = 10;
/// How long arguments may be to be noted as they were sent, in bytes. What is longer is shortened
/// at once: less than this is left of it.
const AS_SENT_BYTES: usize = 1 << 10;

/// The notes of a run on its calls. A run that is parked keeps them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallNotes {
    /// The calls that may change something, in the order in which they were started.
    changes: Vec<u32>,
    first: Vec<CallNote>,
    last: VecDeque<CallNote>,
    /// How many others there are.
    reads: u32,
}

/// What is noted of one call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallNote {
    call: u32,
    /// As they were sent, or short.
    arguments: String,
    /// Why it has no value, once that is known.
    #[serde(default)]
    failure: Option<FailureKind>,
}

impl CallNotes {
    /// Notes a call that begins.
    pub(crate) fn begun(&mut self, call: u32, tool: &ResolvedTool, arguments: &str) {
        match tool.is_read_only() {
            true => self.reads += 1,
            false => self.add(call, arguments),
        }
    }

    /// Adds a call of a tool that may change something.
    pub(super) fn add(&mut self, call: u32, arguments: &str) {
        self.changes.push(call);
        if self.first.len() < FIRST {
            self.first.push(CallNote::default().of(call, arguments));
            return;
        }
        // The text of the oldest note has room for the newest.
        let oldest = match self.last.len() {
            LAST => self.last.pop_front(),
            _ => None,
        };
        let newest = oldest.unwrap_or_default().of(call, arguments);
        self.last.push_back(newest);
    }

    /// Notes that a call has no value, and why.
    pub(crate) fn failed(&mut self, call: u32, kind: FailureKind) {
        let mut notes = self.first.iter_mut().chain(&mut self.last);
        if let Some(note) = notes.find(|note| note.call == call) {
            note.failure = Some(kind);
        }
    }

    /// The log of a run that is over; none if no call of it may have changed something.
    pub(crate) fn log(&self, usage: &[CallUsage]) -> Option<CallLog> {
        let (first, last) = (self.first.len(), self.last.len());
        let between = self.changes.len().saturating_sub(first + last);
        let note = |place: usize| match place.checked_sub(first) {
            None => self.first.get(place),
            Some(after) => self.last.get(after.checked_sub(between)?),
        };
        let results = self.changes.iter().enumerate().map(|(place, call)| {
            let failure = note(place).and_then(|note| note.failure);
            let usage = usage.get(*call as usize);
            usage.map_or(CallResult::Unknown, |usage| CallResult::of(usage, failure))
        });
        let results: Vec<CallResult> = results.collect();
        if !results.iter().any(|result| result.may_matter()) {
            return None;
        }
        let entries = results.iter().enumerate().filter_map(|(place, result)| {
            let note = note(place)?;
            let usage = usage.get(note.call as usize)?;
            Some(LoggedCall {
                call: note.call,
                server: Arc::clone(&usage.server),
                tool: Arc::clone(&usage.tool),
                arguments: shortened(&note.arguments),
                result: *result,
            })
        });
        let left_out = (between > 0).then(|| {
            let of_them = results.iter().skip(first).take(between);
            let not_done = of_them.filter(|result| **result != CallResult::Done);
            LeftOutCalls {
                after: first,
                count: u32::try_from(between).unwrap_or(u32::MAX),
                not_done: u32::try_from(not_done.count()).unwrap_or(u32::MAX),
            }
        });
        Some(CallLog {
            calls: entries.collect(),
            left_out,
            reads: self.reads,
        })
    }
}

impl CallNote {
    /// The note on another call, in the place of this one.
    fn of(mut self, call: u32, arguments: &str) -> Self {
        self.call = call;
        self.failure = None;
        self.arguments.clear();
        match arguments.len() <= AS_SENT_BYTES {
            true => self.arguments.push_str(arguments),
            false => self.arguments.push_str(&shortened(arguments)),
        }
        self
    }
}
