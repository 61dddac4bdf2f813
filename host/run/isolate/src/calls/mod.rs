//! The calls of one run: started by the guest, carried out by bindings, taken by the guest in the
//! order in which they end.
//!
//! - `start`: how they begin, and are carried out; `ends`: how they end, and are taken
//! - `awaited`: those that the run looks at itself
//! - `answers`: what is known of a call by its answer
//! - `snapshot`: what outlives the process where the run waits

mod answers;
mod awaited;
mod ends;
mod snapshot;
mod start;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_limits::{Limit, LimitError, Limits};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::awaited::AnswersToCome;
pub(crate) use self::ends::{Completion, EndedCall};
use super::call_log::{CallLog, CallNotes};
use super::host_memory::HeldBytes;
use super::repeats::Repeats;
use super::under_way::{Calling, StartedCall};
use super::undo::{UndoNotes, UndoOffer};
pub(crate) use super::usage::CallId;
use super::usage::CallUsage;

/// The calls of one run. Dropping them cancels those under way.
pub(crate) struct Calls {
    limits: Limits,
    calling: Calling,
    usage: Vec<CallUsage>,
    repeats: Repeats,
    notes: CallNotes,
    undo: UndoNotes,
    started: HashMap<CallId, StartedCall>,
    tasks: JoinSet<EndedCall>,
    answers: AnswersToCome,
    ended: VecDeque<EndedCall>,
    /// How many of these are noted, the first ones.
    noted: usize,
    turns: Arc<Semaphore>,
    held: Arc<HeldBytes>,
    effort: Effort,
}

impl Calls {
    pub(crate) fn new(
        limits: Limits,
        calling: Calling,
        held: Arc<HeldBytes>,
        effort: Effort,
    ) -> Self {
        let at_once = usize::try_from(limits.calls_at_once).unwrap_or(usize::MAX);
        Self {
            limits,
            calling,
            usage: Vec::new(),
            repeats: Repeats::default(),
            notes: CallNotes::default(),
            undo: UndoNotes::default(),
            started: HashMap::default(),
            tasks: JoinSet::new(),
            answers: AnswersToCome::default(),
            ended: VecDeque::new(),
            noted: 0,
            turns: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
            held,
            effort,
        }
    }

    /// Whether another call, with arguments of this size, is within the limits.
    pub(crate) fn admit(&self, argument_bytes: u64) -> Result<(), LimitError> {
        if argument_bytes > self.limits.argument_bytes {
            return Err(Limit::ArgumentBytes.hit(argument_bytes, &self.limits));
        }
        let count = self.usage.len() as u64 + 1;
        if count > self.limits.calls {
            return Err(Limit::Calls.hit(count, &self.limits));
        }
        Ok(())
    }

    /// What all of them have used.
    pub(crate) fn usage(&self) -> &[CallUsage] {
        &self.usage
    }

    /// How many calls there were.
    pub(crate) fn started(&self) -> usize {
        self.usage.len()
    }

    /// What is said of equal calls, if there were many.
    pub(crate) fn repeated(&self) -> Option<String> {
        self.repeats.told()
    }

    /// The calls that may have changed something, if there are any, for a run that failed.
    pub(crate) fn log(&self) -> Option<CallLog> {
        self.notes.log(&self.usage)
    }

    /// The answered calls that something takes back, if there are any, for a run that failed.
    pub(crate) fn undo_offer(&self) -> Option<UndoOffer> {
        self.undo.offer(self.calling.run, &self.usage)
    }

    pub(crate) fn take_usage(&mut self) -> Vec<CallUsage> {
        std::mem::take(&mut self.usage)
    }
}
