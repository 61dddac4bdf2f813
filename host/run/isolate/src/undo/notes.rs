//! What a run keeps of its answered calls so that they can be taken back: the newest ones, as far as
//! there is room. Most runs come to their end, and never show it.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_tools::{Account, CallContext, CallUndo, RunId};
use serde::{Deserialize, Serialize};

use super::{AnsweredCall, IrreversibleCall, UndoCall, UndoOffer};
use crate::usage::CallUsage;

/// How many calls are noted at most.
const MOST_CALLS: usize = 200;
/// How many bytes the arguments of all of them may have.
const MOST_BYTES: usize = 64 << 10;

/// The notes of a run, in the order in which its calls were answered. A run that is parked keeps them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoNotes {
    notes: VecDeque<UndoNote>,
    /// How many older ones there was no room for.
    left_out: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UndoNote {
    call: u32,
    account: Option<Account>,
    undo: CallUndo,
}

impl UndoNotes {
    /// Notes a call that is over, if it was answered and something takes it back.
    pub(crate) fn add(&mut self, context: &CallContext) {
        if let Some(undo) = context.undo() {
            self.note(context, undo.clone());
        }
    }

    /// Notes that a call can't be taken back that should.
    pub(crate) fn add_irreversible(&mut self, context: &CallContext, why: &str) {
        self.note(context, CallUndo::Impossible(why.to_owned()));
    }

    pub(super) fn note(&mut self, context: &CallContext, undo: CallUndo) {
        self.notes.push_back(UndoNote {
            call: context.call().number,
            account: context.account(),
            undo,
        });
        while self.notes.len() > MOST_CALLS || self.bytes() > MOST_BYTES {
            self.notes.pop_front();
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let bytes = |note: &UndoNote| match &note.undo {
            CallUndo::Call { arguments, .. } => arguments.len(),
            CallUndo::Impossible(why) => why.len(),
        };
        self.notes.iter().map(bytes).sum()
    }

    /// What is offered of the run, which made calls with this usage; none if nothing takes any of them
    /// back.
    pub(crate) fn offer(&self, run: RunId, usage: &[CallUsage]) -> Option<UndoOffer> {
        if self.notes.is_empty() {
            return None;
        }
        let mut offer = UndoOffer {
            run,
            calls: Vec::new(),
            irreversible: Vec::new(),
            left_out: self.left_out,
        };
        for note in self.notes.iter().rev() {
            let Some(usage) = usage.get(note.call as usize) else {
                continue;
            };
            let call = AnsweredCall {
                call: note.call,
                server: Arc::clone(&usage.server),
                tool: Arc::clone(&usage.tool),
                account: note.account,
            };
            match note.undo.clone() {
                CallUndo::Call {
                    server,
                    tool,
                    arguments,
                } => offer.calls.push(UndoCall {
                    takes_back: call,
                    server,
                    tool,
                    arguments,
                }),
                CallUndo::Impossible(why) => {
                    offer.irreversible.push(IrreversibleCall { call, why });
                }
            }
        }
        Some(offer)
    }
}
