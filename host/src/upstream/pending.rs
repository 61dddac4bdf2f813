//! The requests that await an answer, and the answers as they came.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

/// How long a line may be that carries no answer to a request of ours, in bytes: notifications, and what servers ask of the client.
const OTHER_LINE_BYTES: usize = 1024 * 1024;

/// What a line has besides the result that it carries, in bytes, at most.
const ENVELOPE_BYTES: usize = 64 * 1024;

/// What came for a request.
#[derive(Debug)]
pub(super) enum Answer {
    /// The result, not decoded.
    Result(Box<RawValue>),
    /// The server refused: JSON-RPC's error object, not decoded.
    Error(Box<RawValue>),
    /// The result was larger than the request allows, by this many bytes in all.
    TooLarge(u64),
    /// Something came that can't be used, and why.
    Unusable(String),
}

/// Takes one answer. Travels with a request through `rmcp`, which knows its type but not what for: see `Request::extensions`.
#[derive(Debug, Clone)]
pub(super) struct ReplyTo(Arc<Mutex<Option<Slot>>>);

#[derive(Debug)]
struct Slot {
    answer: oneshot::Sender<Answer>,
    max_bytes: u64,
}

impl ReplyTo {
    /// A place for an answer of at most `max_bytes`, and where it arrives. An error there means that the connection is gone.
    pub(super) fn new(max_bytes: u64) -> (Self, oneshot::Receiver<Answer>) {
        let (answer, arrives) = oneshot::channel();
        (
            Self(Arc::new(Mutex::new(Some(Slot { answer, max_bytes })))),
            arrives,
        )
    }

    fn take(&self) -> Option<Slot> {
        lock(&self.0).take()
    }
}

/// Who waits for the answer to a request.
#[derive(Debug)]
enum Waiting {
    /// This crate alone.
    Slot(Slot),
    /// This crate; and `rmcp` keeps a record of the request that must be closed.
    SlotAndPeer(Slot),
    /// `rmcp`, which decodes the answer.
    Peer,
}

impl Waiting {
    /// Whether who asked no longer waits.
    fn is_given_up(&self) -> bool {
        match self {
            Self::Slot(slot) | Self::SlotAndPeer(slot) => slot.answer.is_closed(),
            Self::Peer => false,
        }
    }
}

/// What `rmcp` must be told of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ForPeer {
    /// Nothing: it never heard of the request, or the request was given up.
    Nothing,
    /// That the request is over.
    Done,
    /// The answer itself.
    Answer,
}

/// The requests under way on one connection.
#[derive(Debug, Default)]
pub(super) struct Pending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: HashMap<RequestId, Waiting>,
    closed: bool,
}

impl Pending {
    /// Expects an answer to a request that `rmcp` does not know of.
    pub(super) fn expect(&self, id: RequestId, reply_to: &ReplyTo) {
        if let Some(slot) = reply_to.take() {
            self.insert(id, Waiting::Slot(slot));
        }
    }

    /// Expects an answer to a request that `rmcp` sends.
    pub(super) fn expect_for_peer(&self, id: RequestId, reply_to: Option<&ReplyTo>) {
        let slot = reply_to.and_then(ReplyTo::take);
        self.insert(id, slot.map_or(Waiting::Peer, Waiting::SlotAndPeer));
    }

    fn insert(&self, id: RequestId, waiting: Waiting) {
        let mut state = lock(&self.0);
        // On a closed connection the slot is dropped, which tells who waits. A request that was given up has been forgotten
        // already, and would never be again.
        if !state.closed && !waiting.is_given_up() {
            state.waiting.insert(id, waiting);
        }
    }

    /// No longer expects an answer; one that comes late is dropped.
    pub(super) fn forget(&self, id: &RequestId) {
        lock(&self.0).waiting.remove(id);
    }

    /// Hands an answer to who waits for it.
    pub(super) fn settle(&self, id: &RequestId, answer: impl FnOnce(u64) -> Answer) -> ForPeer {
        match lock(&self.0).waiting.remove(id) {
            None => {
                tracing::trace!(%id, "an answer came that nobody waits for");
                ForPeer::Nothing
            }
            Some(Waiting::Peer) => ForPeer::Answer,
            Some(Waiting::Slot(slot)) => {
                slot.fill(answer);
                ForPeer::Nothing
            }
            Some(Waiting::SlotAndPeer(slot)) => {
                slot.fill(answer);
                ForPeer::Done
            }
        }
    }

    /// The one request under way, if there is just one: an answer without an id can only be for that.
    pub(super) fn only(&self) -> Option<RequestId> {
        let state = lock(&self.0);
        let mut ids = state.waiting.keys();
        ids.next().filter(|_| state.waiting.len() == 1).cloned()
    }

    /// Every request under way.
    pub(super) fn all(&self) -> Vec<RequestId> {
        lock(&self.0).waiting.keys().cloned().collect()
    }

    /// How long a line may be now, in bytes.
    pub(super) fn longest_line(&self) -> usize {
        let largest = |waiting: &Waiting| match waiting {
            Waiting::Slot(slot) | Waiting::SlotAndPeer(slot) => usize::try_from(slot.max_bytes)
                .unwrap_or(usize::MAX)
                .saturating_add(ENVELOPE_BYTES),
            Waiting::Peer => OTHER_LINE_BYTES,
        };
        let state = lock(&self.0);
        state
            .waiting
            .values()
            .map(largest)
            .max()
            .unwrap_or(0)
            .max(OTHER_LINE_BYTES)
    }

    /// Whether the connection can still bring answers.
    pub(super) fn is_open(&self) -> bool {
        !lock(&self.0).closed
    }

    /// Drops every slot, now and from now on.
    pub(super) fn close(&self) {
        let mut state = lock(&self.0);
        state.closed = true;
        state.waiting.clear();
    }
}

impl Slot {
    fn fill(self, answer: impl FnOnce(u64) -> Answer) {
        // Who asked may have stopped waiting.
        let _ = self.answer.send(answer(self.max_bytes));
    }
}

/// Nothing that holds these locks can panic, but a poisoned one would still hold a sound value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_was_given_up_before_it_was_sent_is_not_expected() {
        let pending = Pending::default();
        let id = RequestId::Number(1);
        let (reply_to, answer) = ReplyTo::new(1 << 30);
        drop(answer);
        pending.forget(&id);
        pending.expect_for_peer(id, Some(&reply_to));
        assert_eq!(pending.all(), []);
        assert_eq!(pending.longest_line(), OTHER_LINE_BYTES);
    }
}
