//! What waits to be written to a server: in order, bounded in bytes, and taken back where nobody
//! wants it any more.

use std::collections::BTreeMap;

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
    waiting: BTreeMap<Ticket, Entry>,
    /// The first that was not handed out yet, and those after it.
    unwritten: Ticket,
    next: Ticket,
    bytes: usize,
    replies: usize,
    closed: bool,
}

#[derive(Debug)]
struct Entry {
    line: Vec<u8>,
    kind: Kind,
}

/// On whose account something is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// This client's own.
    Own,
    /// The server's, which asked for it.
    Reply,
}

/// Names an entry. Later ones are larger.
pub(super) type Ticket = u64;

/// Why nothing more can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The connection has ended.
    Closed,
    /// So many bytes wait already.
    Full(usize),
    /// So many answers wait already.
    Unread(usize),
}

impl Outbox {
    /// Adds a line.
    pub(super) fn push(&self, line: Vec<u8>, kind: Kind) -> Result<Ticket, Refused> {
        let mut state = self.lock();
        let bytes = state.bytes + line.len() + ENTRY_BYTES;
        let replies = state.replies + usize::from(kind == Kind::Reply);
        if state.closed {
            return Err(Refused::Closed);
        }
        if replies > MAX_REPLIES {
            return Err(Refused::Unread(state.replies));
        }
        // One line may always wait: how long it is, is for its sender to bound.
        if bytes > MAX_BYTES && !state.waiting.is_empty() {
            return Err(Refused::Full(state.bytes));
        }
        (state.bytes, state.replies) = (bytes, replies);
        let ticket = state.next;
        state.next += 1;
        state.waiting.insert(ticket, Entry { line, kind });
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

    /// The line that is to be written next, when there is one; none once the connection has ended.
    pub(super) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            {
                let mut state = self.lock();
                if state.closed {
                    return None;
                }
                if let Some((&first, _)) = state.waiting.first_key_value() {
                    state.unwritten = first + 1;
                    return state.take(first).map(|entry| entry.line);
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
    fn take(&mut self, ticket: Ticket) -> Option<Entry> {
        let entry = self.waiting.remove(&ticket)?;
        self.bytes -= entry.line.len() + ENTRY_BYTES;
        self.replies -= usize::from(entry.kind == Kind::Reply);
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: usize) -> Vec<u8> {
        vec![b'x'; bytes]
    }

    #[tokio::test]
    async fn lines_come_in_order_without_those_that_were_taken_back() {
        let outbox = Outbox::default();
        let tickets = [1, 2, 3].map(|bytes| outbox.push(line(bytes), Kind::Own).unwrap());
        assert!(outbox.withdraw(tickets[1]) && !outbox.withdraw(tickets[1]));
        assert_eq!(outbox.next().await, Some(line(1)));
        assert!(!outbox.withdraw(tickets[0]), "it is being written");
        assert!(outbox.was_begun(tickets[0]) && !outbox.was_begun(tickets[2]));
        assert_eq!(outbox.next().await, Some(line(3)));
        let unwritten = outbox.push(line(4), Kind::Own).unwrap();
        assert_eq!(outbox.lock().bytes, 4 + ENTRY_BYTES);
        outbox.close();
        assert!(outbox.was_begun(tickets[2]) && !outbox.was_begun(unwritten));
        assert_eq!(outbox.next().await, None);
        assert_eq!(outbox.push(line(1), Kind::Own), Err(Refused::Closed));
    }

    #[test]
    fn small_lines_count_for_what_they_take() {
        let outbox = Outbox::default();
        let most = MAX_BYTES / ENTRY_BYTES;
        let pushed = (0..2 * most).take_while(|_| outbox.push(line(1), Kind::Own).is_ok());
        assert!((most - most / 100..most).contains(&pushed.count()));
        assert!(matches!(
            outbox.push(line(1), Kind::Own),
            Err(Refused::Full(_))
        ));
    }

    #[test]
    fn a_line_of_any_length_may_wait_alone_and_few_replies_may() {
        let outbox = Outbox::default();
        let first = outbox.push(line(MAX_BYTES + 1), Kind::Own).unwrap();
        assert!(matches!(
            outbox.push(line(1), Kind::Own),
            Err(Refused::Full(_))
        ));
        assert!(outbox.withdraw(first));
        for _ in 0..MAX_REPLIES {
            outbox.push(line(1), Kind::Reply).unwrap();
        }
        let refused = Err(Refused::Unread(MAX_REPLIES));
        assert_eq!(outbox.push(line(1), Kind::Reply), refused);
        outbox.push(line(1), Kind::Own).unwrap();
    }
}
