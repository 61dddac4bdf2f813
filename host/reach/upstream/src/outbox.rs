//! What waits to be written to a server: in order, bounded in bytes, and taken back where nobody
//! wants it any more.

use std::collections::BTreeMap;

use ampoule_mcp::envelope::RequestId;
use http::HeaderMap;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

/// What may wait, in bytes. A server that does not read must not fill the host's memory.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What an entry takes besides its text, in bytes: its place in the queue, the allocation's own,
/// and what the sender keeps of it.
const ENTRY_BYTES: usize = 512;

/// How many answers to what the server itself asked may wait: one that asks on without reading
/// wants no answers.
const MAX_REPLIES: usize = 256;

/// The queue of one connection.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    state: Mutex<State>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Ticket, Outgoing>,
    /// The first that was not handed out yet, and those after it.
    unwritten: Ticket,
    next: Ticket,
    bytes: usize,
    replies: usize,
    closed: bool,
}

/// A message on its way to the server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outgoing {
    pub(super) line: Vec<u8>,
    pub(super) kind: Kind,
}

/// What a message is: what transports need to know that don't send all of them the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Request {
        id: RequestId,
        method: Box<str>,
        /// Of the tool or prompt that it asks for, or the resource's address.
        name: Option<Box<str>>,
        /// What is sent beside it.
        headers: HeaderMap,
    },
    Notification {
        method: Box<str>,
    },
    /// Answers what the server asked: on its account.
    Reply,
}

/// Names an entry. Later ones are larger.
pub(super) type Ticket = u64;

/// Why nothing more can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendError {
    /// The connection has ended.
    Closed,
    /// So many bytes wait already.
    Full(usize),
    /// So many answers wait already.
    Unread(usize),
}

impl Outbox {
    /// Adds a line.
    pub(super) fn push(&self, message: Outgoing) -> Result<Ticket, SendError> {
        let mut state = self.lock();
        let bytes = state.bytes + message.line.len() + ENTRY_BYTES;
        let replies = state.replies + usize::from(message.kind == Kind::Reply);
        if state.closed {
            return Err(SendError::Closed);
        }
        if replies > MAX_REPLIES {
            return Err(SendError::Unread(state.replies));
        }
        // One line may always wait: how long it is, is for its sender to bound.
        if bytes > MAX_BYTES && !state.waiting.is_empty() {
            return Err(SendError::Full(state.bytes));
        }
        (state.bytes, state.replies) = (bytes, replies);
        let ticket = state.next;
        state.next += 1;
        state.waiting.insert(ticket, message);
        drop(state);
        self.filled.notify_one();
        Ok(ticket)
    }

    /// Takes a line back. False where it was written by then, or at least in part.
    pub(super) fn withdraw(&self, ticket: Ticket) -> bool {
        self.lock().take(ticket).is_some()
    }

    /// Whether a line was written, at least in part. It can still be asked when the connection has
    /// ended.
    pub(super) fn was_begun(&self, ticket: Ticket) -> bool {
        ticket < self.lock().unwritten
    }

    /// What is to be sent next, when there is something; none once the connection has ended.
    pub(super) async fn next(&self) -> Option<Outgoing> {
        loop {
            {
                let mut state = self.lock();
                if state.closed {
                    return None;
                }
                if let Some((&first, _)) = state.waiting.first_key_value() {
                    state.unwritten = first + 1;
                    return state.take(first);
                }
            }
            self.filled.notified().await;
        }
    }

    /// Lets go of everything, now and from now on.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        *state = State {
            closed: true,
            unwritten: state.unwritten,
            ..State::default()
        };
        drop(state);
        self.filled.notify_one();
    }

    /// How many lines wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn take(&mut self, ticket: Ticket) -> Option<Outgoing> {
        let entry = self.waiting.remove(&ticket)?;
        self.bytes -= entry.line.len() + ENTRY_BYTES;
        self.replies -= usize::from(entry.kind == Kind::Reply);
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(bytes: usize) -> Outgoing {
        let method = "x".into();
        Outgoing {
            line: vec![b'x'; bytes],
            kind: Kind::Notification { method },
        }
    }

    fn reply() -> Outgoing {
        Outgoing {
            kind: Kind::Reply,
            ..own(1)
        }
    }

    #[tokio::test]
    async fn lines_come_in_order_without_those_that_were_taken_back() {
        let outbox = Outbox::default();
        let tickets = [1, 2, 3].map(|bytes| outbox.push(own(bytes)).unwrap());
        assert!(outbox.withdraw(tickets[1]) && !outbox.withdraw(tickets[1]));
        assert_eq!(outbox.next().await, Some(own(1)));
        assert!(!outbox.withdraw(tickets[0]), "it is being written");
        assert!(outbox.was_begun(tickets[0]) && !outbox.was_begun(tickets[2]));
        assert_eq!(outbox.next().await, Some(own(3)));
        let unwritten = outbox.push(own(4)).unwrap();
        assert_eq!(outbox.lock().bytes, 4 + ENTRY_BYTES);
        outbox.close();
        assert!(outbox.was_begun(tickets[2]) && !outbox.was_begun(unwritten));
        assert_eq!(outbox.next().await, None);
        assert_eq!(outbox.push(own(1)), Err(SendError::Closed));
    }

    #[test]
    fn small_lines_count_for_what_they_take() {
        let outbox = Outbox::default();
        let most = MAX_BYTES / ENTRY_BYTES;
        let pushed = (0..2 * most).take_while(|_| outbox.push(own(1)).is_ok());
        assert!((most - most / 100..most).contains(&pushed.count()));
        assert!(matches!(outbox.push(own(1)), Err(SendError::Full(_))));
    }

    #[test]
    fn a_line_of_any_length_may_wait_alone_and_few_replies_may() {
        let outbox = Outbox::default();
        let first = outbox.push(own(MAX_BYTES + 1)).unwrap();
        assert!(matches!(outbox.push(own(1)), Err(SendError::Full(_))));
        assert!(outbox.withdraw(first));
        for _ in 0..MAX_REPLIES {
            outbox.push(reply()).unwrap();
        }
        let refused = Err(SendError::Unread(MAX_REPLIES));
        assert_eq!(outbox.push(reply()), refused);
        outbox.push(own(1)).unwrap();
    }
}
