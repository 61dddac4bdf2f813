//! What is still to be written, and the thread that writes it.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::Notify;

use super::descriptor::Descriptor;
use super::status::{ERASE, Status, TICK};

/// How much is written at a time, in bytes: one page of a pipe, which shows soon that the reader
/// reads.
const PIECE: usize = 4096;
/// After how long without progress the stream counts as having no reader.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// How often the reader's progress is checked.
const LOOK: Duration = Duration::from_millis(100);

pub(super) struct Queue {
    /// The stream that it writes to, or both where they are one.
    stream: Descriptor,
    state: Mutex<State>,
    /// Signals work for the thread.
    wake: Condvar,
    /// Signals progress of the thread.
    written: Notify,
}

struct State {
    pieces: VecDeque<Piece>,
    /// How much of them, and of what the thread has in hand, is not written yet.
    bytes: usize,
    /// When something was read last, or came to be written where there was nothing.
    moved: Instant,
    /// How many lines of the log were dropped for lack of room, and their stream.
    lost_lines: usize,
    lost_to: Descriptor,
    status: Status,
    faults: Vec<(Descriptor, ErrorKind)>,
    is_mute: bool,
}

struct Piece {
    to: Descriptor,
    bytes: Vec<u8>,
}

impl Queue {
    pub(super) fn start(stream: Descriptor) -> Arc<Self> {
        let queue = Arc::new(Self::new(stream));
        let writing = Arc::clone(&queue);
        let started = std::thread::Builder::new()
            .name(format!("{stream:?}").to_lowercase())
            .spawn(move || writing.write());
        if let Err(error) = started {
            queue.mute(error.kind());
        }
        queue
    }

    fn new(stream: Descriptor) -> Self {
        Self {
            stream,
            state: Mutex::new(State {
                pieces: VecDeque::new(),
                bytes: 0,
                moved: Instant::now(),
                lost_lines: 0,
                lost_to: stream,
                status: Status::default(),
                faults: Vec::new(),
                is_mute: false,
            }),
            wake: Condvar::new(),
            written: Notify::new(),
        }
    }

    /// Turns the status line off: it needs a thread.
    fn mute(&self, why: ErrorKind) {
        let mut state = self.state();
        state.is_mute = true;
        state.faults = vec![(Descriptor::Out, why), (Descriptor::Err, why)];
    }

    pub(super) fn push(&self, to: Descriptor, bytes: impl Into<Vec<u8>>) {
        self.push_below(to, bytes.into(), usize::MAX);
    }

    /// The same, unless more than `most` bytes are waiting already.
    pub(super) fn push_below(&self, to: Descriptor, bytes: Vec<u8>, most: usize) {
        let mut state = self.state();
        if state.bytes > most {
            state.lost_lines += 1;
            state.lost_to = to;
            return;
        }
        state.tell_lost();
        state.add(to, bytes);
        drop(state);
        self.wake.notify_one();
    }

    /// Changes the status line.
    pub(super) fn set_status(&self, change: impl FnOnce(&mut Status)) {
        let mut state = self.state();
        change(&mut state.status);
        if let Some(line) = state.status.take_last_line() {
            state.add(Descriptor::Err, line);
        }
        // Text that is already queued erases it first.
        if state.pieces.is_empty() && state.status.is_idle() && state.status.erase() {
            state.add(Descriptor::Err, ERASE.to_vec());
        }
        drop(state);
        self.wake.notify_one();
    }

    pub(super) fn fault(&self, of: Descriptor) -> Option<io::Error> {
        let state = self.state();
        let faults = state.faults.iter().filter(|(at, _)| *at == of);
        faults
            .map(|(_, kind)| *kind)
            .find(|kind| *kind != ErrorKind::BrokenPipe)
            .map(io::Error::from)
    }

    /// Waits until all is written; with a time, gives up when nothing was read for that long.
    /// Returns how many bytes are given up.
    pub(super) async fn drained(&self, until: Option<Instant>, patience: Duration) -> usize {
        let mut before = self.stream.unread();
        loop {
            let written = self.written.notified();
            let (left, moved) = {
                let state = self.state();
                (state.bytes, state.moved)
            };
            if left == 0 {
                return 0;
            }
            if until.is_some_and(|until| Instant::now() >= until.max(moved + patience)) {
                return self.give_up();
            }
            let _ = tokio::time::timeout(LOOK, written).await;
            // A reader of a few bytes at a time makes no room for long, and reads all the same.
            let now = self.stream.unread();
            if std::mem::replace(&mut before, now) != now {
                self.state().moved = Instant::now();
            }
        }
    }

    fn give_up(&self) -> usize {
        let mut state = self.state();
        state.pieces.clear();
        std::mem::take(&mut state.bytes)
    }

    /// Writes what comes, as long as the process lives.
    fn write(&self) {
        loop {
            let Piece { to, bytes } = self.next();
            let mut rest = &bytes[..];
            while !rest.is_empty() && !self.has_fault(to) {
                let piece = &rest[..rest.len().min(PIECE)];
                match to.write(piece) {
                    Ok(written) => {
                        rest = &rest[written..];
                        self.count(written);
                    }
                    Err(error) => self.state().faults.push((to, error.kind())),
                }
            }
            self.count(rest.len());
        }
    }

    /// What to write next: queued text, or else the status line.
    fn next(&self) -> Piece {
        let mut state = self.state();
        loop {
            if let Some(look) = state.status.look() {
                drop(state);
                let seen = look();
                state = self.state();
                state.status.see(seen);
            }
            if state.pieces.is_empty() {
                // The reader is back, and there may never be another line.
                state.tell_lost();
            }
            if let Some(mut piece) = state.pieces.pop_front() {
                if state.status.erase() {
                    piece.bytes.splice(..0, ERASE.iter().copied());
                    state.bytes += ERASE.len();
                }
                return piece;
            }
            if let Some(bytes) = state.status.draw() {
                state.bytes += bytes.len();
                return Piece {
                    to: Descriptor::Err,
                    bytes,
                };
            }
            if state.status.is_idle() {
                self.wake.wait(&mut state);
            } else {
                self.wake.wait_for(&mut state, TICK);
            }
        }
    }

    fn count(&self, written: usize) {
        let mut state = self.state();
        state.bytes = state.bytes.saturating_sub(written);
        state.moved = Instant::now();
        drop(state);
        self.written.notify_waiters();
    }

    fn has_fault(&self, of: Descriptor) -> bool {
        self.state().faults.iter().any(|(at, _)| *at == of)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// Reports the dropped lines of the log before the next one.
    fn tell_lost(&mut self) {
        if self.lost_lines > 0 {
            let lost = std::mem::take(&mut self.lost_lines);
            let note = format!("ampoule: dropped {lost} lines of the log, which nobody read\n");
            self.add(self.lost_to, note.into());
        }
    }

    fn add(&mut self, to: Descriptor, bytes: Vec<u8>) {
        if self.is_mute {
            return;
        }
        if self.bytes == 0 {
            self.moved = Instant::now();
        }
        self.bytes += bytes.len();
        self.pieces.push_back(Piece { to, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn without_a_thread_nothing_is_waited_for_and_it_is_a_fault() {
        let queue = Queue::new(Descriptor::Out);
        queue.mute(ErrorKind::WouldBlock);
        queue.push(Descriptor::Out, "said");
        assert_eq!(queue.drained(None, PATIENCE).await, 0);
        let fault = queue.fault(Descriptor::Out).expect("a fault");
        assert_eq!(fault.kind(), ErrorKind::WouldBlock);
    }
}
