//! The requests that await an answer, and the answers as they came.

use std::collections::{BTreeMap, HashMap};

use ampoule_mcp::envelope::RequestId;
use parking_lot::{Mutex, MutexGuard};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::authorizer::SignInRequiredError;
use super::refusal::Refusal;

/// How long a line may be that carries no answer to a request of ours, in bytes: notifications, and
/// what servers ask of the client.
const OTHER_LINE_BYTES: usize = 1024 * 1024;

/// What a line has besides the result that it carries, in bytes, at most.
const ENVELOPE_BYTES: usize = 64 * 1024;

/// What came for a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// The result, not decoded.
    Result(Box<RawValue>),
    /// The server refused.
    Refused(Refusal),
    /// The answer was larger than the request allows, by this many bytes in all.
    TooLarge(u64),
    /// Something came that can't be used, and why.
    Unusable(String),
}

/// Why nothing came for a request, and nothing will. Texts are words that follow the server's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The connection has ended.
    Closed,
    /// The server did not carry out the request.
    NotReached(String),
    /// The server may have carried out the request.
    Lost(String),
    /// The server did not carry out the request: it needs a sign-in.
    NeedsSignIn(SignInRequiredError),
}

/// Who waits for the answer to a request.
#[derive(Debug)]
struct Slot {
    answer: oneshot::Sender<Result<Answer, Fault>>,
    max_bytes: u64,
    /// Told when the request is settled, dropped when nobody waits any more.
    settled: Option<oneshot::Sender<()>>,
}

/// The requests under way on one connection.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<RequestId, Slot>,
    /// How many of them allow an answer of that size: a line is held against the largest, and there
    /// may be very many.
    allowed: BTreeMap<u64, usize>,
    /// How many were answered.
    settled: u64,
    closed: bool,
}

impl Pending {
    /// Expects an answer of at most so many bytes. An error where it would arrive means that the
    /// connection is gone.
    pub(super) fn expect(
        &self,
        id: RequestId,
        max_bytes: u64,
    ) -> oneshot::Receiver<Result<Answer, Fault>> {
        let (answer, arrives) = oneshot::channel();
        let mut state = self.lock();
        if !state.closed {
            *state.allowed.entry(max_bytes).or_default() += 1;
            let slot = Slot {
                answer,
                max_bytes,
                settled: None,
            };
            state.waiting.insert(id, slot);
        }
        arrives
    }

    /// No longer expects an answer; one that comes late is dropped. False where none was expected
    /// any more.
    pub(super) fn forget(&self, id: RequestId) -> bool {
        self.lock().take(id).is_some()
    }

    /// Hands an answer to who waits for it, if somebody does. The answer may depend on how large it
    /// may be.
    pub(super) fn settle(&self, id: RequestId, answer: impl FnOnce(u64) -> Answer) -> bool {
        self.finish(id, |max_bytes| Ok(answer(max_bytes)))
    }

    /// Tells who waits for an answer that none will come.
    pub(super) fn fail(&self, id: RequestId, fault: Fault) -> bool {
        self.finish(id, |_| Err(fault))
    }

    fn finish(&self, id: RequestId, end: impl FnOnce(u64) -> Result<Answer, Fault>) -> bool {
        let taken = {
            let mut state = self.lock();
            let taken = state.take(id);
            state.settled += u64::from(taken.is_some());
            taken
        };
        let Some(slot) = taken else {
            tracing::trace!(id, "an answer came that nobody is waiting for");
            return false;
        };
        // Who asked may have stopped waiting.
        let _ = slot.answer.send(end(slot.max_bytes));
        if let Some(settled) = slot.settled {
            let _ = settled.send(());
        }
        true
    }

    /// Whether an answer is awaited.
    pub(super) fn awaits(&self, id: RequestId) -> bool {
        self.lock().waiting.contains_key(&id)
    }

    /// Tells when a request is settled; an error means that nobody waits for it any more. None
    /// where that is so already.
    pub(super) fn watch(&self, id: RequestId) -> Option<oneshot::Receiver<()>> {
        let (settled, told) = oneshot::channel();
        self.lock().waiting.get_mut(&id)?.settled = Some(settled);
        Some(told)
    }

    /// Takes no more requests; those under way go on.
    pub(super) fn retire(&self) {
        self.lock().closed = true;
    }

    /// The one request under way, if there is just one: an answer without an id can only be for
    /// that.
    pub(super) fn only(&self) -> Option<RequestId> {
        let state = self.lock();
        let mut ids = state.waiting.keys();
        ids.next().filter(|_| state.waiting.len() == 1).copied()
    }

    /// How many requests were settled by now.
    pub(super) fn settled(&self) -> u64 {
        self.lock().settled
    }

    /// Every request under way.
    pub(super) fn all(&self) -> Vec<RequestId> {
        self.lock().waiting.keys().copied().collect()
    }

    /// How long a line may be now, in bytes.
    pub(super) fn longest_line(&self) -> usize {
        let state = self.lock();
        let largest = state.allowed.last_key_value().map_or(0, |(bytes, _)| {
            let bytes = usize::try_from(*bytes).unwrap_or(usize::MAX);
            bytes.saturating_add(ENVELOPE_BYTES)
        });
        largest.max(OTHER_LINE_BYTES)
    }

    /// Whether the connection can still bring answers.
    pub(super) fn is_open(&self) -> bool {
        !self.lock().closed
    }

    /// Drops every slot, now and from now on.
    pub(super) fn close(&self) {
        *self.lock() = State {
            closed: true,
            ..State::default()
        };
    }

    /// Nothing that holds this lock can panic, but a poisoned one would still hold a sound value.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn take(&mut self, id: RequestId) -> Option<Slot> {
        let slot = self.waiting.remove(&id)?;
        if let Some(count) = self.allowed.get_mut(&slot.max_bytes) {
            *count -= 1;
            if *count == 0 {
                self.allowed.remove(&slot.max_bytes);
            }
        }
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_as_long_as_the_largest_answer_that_is_awaited() {
        let pending = Pending::default();
        assert_eq!(pending.longest_line(), OTHER_LINE_BYTES);
        let _answers = [(1, 1 << 30), (2, 1 << 30), (3, 10)]
            .map(|(id, max_bytes)| pending.expect(id, max_bytes));
        for id in [1, 2] {
            assert_eq!(pending.longest_line(), (1 << 30) + ENVELOPE_BYTES);
            assert!(pending.forget(id));
        }
        assert_eq!(pending.longest_line(), OTHER_LINE_BYTES);
        assert!(pending.settle(3, Answer::TooLarge));
        assert!(!pending.settle(3, Answer::TooLarge));
        pending.close();
        assert!(pending.expect(4, 1).blocking_recv().is_err());
    }
}
