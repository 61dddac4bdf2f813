//! An answer that outlives its connection. A client of 2025-11-25 that loses the connection on
//! which it waits for an answer opens another one, and names the last event that it got; the answer
//! continues from there. The request continues meanwhile, for a while: then it is cancelled, as it
//! would be for clients of other versions at once.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::stream::Stream;
use parking_lot::Mutex;
use rmcp::model::{JsonRpcMessage, ProtocolVersion};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::exchange::Answers;
use crate::mcp::watching::shares::{Share, Shares};

/// How long a client should wait before it opens another connection.
const RETRY: Duration = Duration::from_secs(1);

/// How much is kept for a client that may not have got it: so many events, of so many bytes. What is
/// more is lost, but for the answer itself.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 256 << 10;

/// An answer, and its last events. Its request is cancelled when this is dropped.
pub(super) struct Resumable {
    number: u64,
    state: Mutex<AnswerState>,
    setup: ResumptionSetup,
}

/// What all answers need that can be resumed.
#[derive(Clone)]
pub(super) struct ResumptionSetup {
    /// How long a request continues without a connection. Zero: not at all.
    pub(super) time: Duration,
    /// How many requests of each principal continue without one.
    pub(super) shares: Arc<Shares>,
}

struct AnswerState {
    /// None once it is over.
    answers: Option<Pin<Box<Answers>>>,
    kept: VecDeque<KeptEvent>,
    kept_bytes: usize,
    /// How many events there were.
    count: u64,
    /// Which connection has it, counted.
    connection: u64,
    waker: Option<Waker>,
    /// Cancelled when there is a connection again.
    waits: Option<CancellationToken>,
}

/// An event that a client may not have got.
struct KeptEvent {
    number: u64,
    event: ServerSseMessage,
    bytes: usize,
}

/// An answer on a connection.
pub(super) struct ResumableStream {
    answer: Arc<Resumable>,
    /// How many of its events the client has.
    sent: u64,
    connection: u64,
}

impl ResumptionSetup {
    /// Whether answers to clients of this version can be resumed: those of older ones can't read the
    /// first event.
    pub(super) fn is_for(&self, version: &ProtocolVersion) -> bool {
        !self.time.is_zero()
            && (ProtocolVersion::V_2025_11_25..ProtocolVersion::V_2026_07_28).contains(version)
    }
}

impl Resumable {
    /// An answer that can be resumed, and its first connection.
    pub(super) fn new(answers: Answers, setup: ResumptionSetup) -> (Arc<Self>, ResumableStream) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let answer = Arc::new(Self {
            number: NEXT.fetch_add(1, Relaxed),
            state: Mutex::new(AnswerState {
                answers: Some(Box::pin(answers)),
                kept: VecDeque::new(),
                kept_bytes: 0,
                count: 0,
                connection: 0,
                waker: None,
                waits: None,
            }),
            setup,
        });
        let first = ServerSseMessage::priming(answer.name_of(1), RETRY);
        answer.state.lock().add(first);
        let stream = answer.connected(0);
        (answer, stream)
    }

    /// The rest of the answer, after an event of it; none if this is not about this answer.
    pub(super) fn resumed(self: &Arc<Self>, event: &str) -> Option<ResumableStream> {
        let (number, event) = event.split_once('-')?;
        let (number, event): (u64, u64) = (number.parse().ok()?, event.parse().ok()?);
        let is_known = number == self.number && event <= self.state.lock().count;
        is_known.then(|| self.connected(event))
    }

    fn name_of(&self, event: u64) -> String {
        format!("{}-{event}", self.number)
    }

    /// A connection that takes the answer over.
    fn connected(self: &Arc<Self>, sent: u64) -> ResumableStream {
        let mut state = self.state.lock();
        state.connection += 1;
        if let Some(before) = state.waker.take() {
            before.wake();
        }
        if let Some(waits) = state.waits.take() {
            waits.cancel();
        }
        ResumableStream {
            answer: Arc::clone(self),
            sent,
            connection: state.connection,
        }
    }

    /// The connection is gone before the answer was over.
    fn lost(self: &Arc<Self>, connection: u64) {
        let mut state = self.state.lock();
        let is_last = state.connection == connection;
        let Some(answers) = state.answers.as_ref().filter(|_| is_last) else {
            return;
        };
        let (principal, cancelled) = (answers.principal(), answers.cancelled());
        let share = self.setup.shares.take(principal.as_ref());
        let (Some(share), Ok(runtime)) = (share, Handle::try_current()) else {
            return;
        };
        let waits = CancellationToken::new();
        state.waits = Some(waits.clone());
        drop(state);
        let answer = Arc::clone(self);
        runtime.spawn(async move {
            let _share: Share = share;
            tokio::select! {
                () = tokio::time::sleep(answer.setup.time) => {}
                () = cancelled.cancelled() => {}
                () = waits.cancelled() => {}
            }
            drop(answer);
        });
    }
}

impl AnswerState {
    /// Counts an event, and keeps it.
    fn add(&mut self, event: ServerSseMessage) {
        self.count += 1;
        let bytes = match event.message.as_deref() {
            None | Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) => 0,
            Some(message) => serde_json::to_vec(message).map_or(usize::MAX, |json| json.len()),
        };
        if bytes > KEPT_BYTES {
            return;
        }
        self.kept_bytes += bytes;
        self.kept.push_back(KeptEvent {
            number: self.count,
            event,
            bytes,
        });
        while self.kept.len() > KEPT || self.kept_bytes > KEPT_BYTES {
            let gone = self.kept.pop_front();
            self.kept_bytes -= gone.map_or(0, |gone| gone.bytes);
        }
    }

    /// The next event that is kept, after so many.
    fn after(&self, sent: u64) -> Option<&KeptEvent> {
        self.kept.iter().find(|kept| kept.number > sent)
    }
}

impl Stream for ResumableStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let answer = Arc::clone(&self.answer);
        let mut state = answer.state.lock();
        if state.connection != self.connection {
            return Poll::Ready(None);
        }
        if let Some(kept) = state.after(self.sent) {
            self.sent = kept.number;
            return Poll::Ready(Some(kept.event.clone()));
        }
        let Some(answers) = &mut state.answers else {
            return Poll::Ready(None);
        };
        match answers.as_mut().poll_next(context) {
            Poll::Ready(Some(mut event)) => {
                self.sent = state.count + 1;
                event.event_id = Some(answer.name_of(self.sent));
                state.add(event.clone());
                Poll::Ready(Some(event))
            }
            Poll::Ready(None) => {
                let over = state.answers.take();
                drop(state);
                drop(over);
                Poll::Ready(None)
            }
            Poll::Pending => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for ResumableStream {
    fn drop(&mut self) {
        self.answer.lost(self.connection);
    }
}
