//! The JSON-RPC connection beneath `rmcp`: one line a message, read without trusting it.
//!
//! `rmcp` decodes a result into a union of every result that there is, and fails or guesses where one is unusual. So the answers to
//! requests with a [`ReplyTo`] never reach it: they are handed over as they came, and `rmcp` only hears that the request is over.
//! What is left to it are the ids of requests, the metadata of the protocol's versions, cancellation, and what servers ask.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use rmcp::model::{
    EmptyResult, ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, RequestId, ServerResult,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::pending::{Answer, ForPeer, Pending, ReplyTo};
use super::secrets::Secrets;
use crate::wire::envelope::{self, Incoming, Trace, Unreadable};
use crate::wire::line::{Line, Lines};

/// What may wait to be written, in bytes. A server that does not read must not fill the host's memory.
const MAX_UNSENT_BYTES: usize = 128 * 1024 * 1024;

/// Messages from the server that may wait for `rmcp`.
const MAX_UNHANDLED: usize = 256;

/// How many lines that are no messages are reported, before they are only counted.
const NOISE_REPORTED: u32 = 5;

/// How much of such a line is shown, in bytes.
const NOISE_SHOWN_BYTES: usize = 200;

/// How much of what a server says in an error is passed on, in bytes.
const ERROR_BYTES: usize = 2000;

/// Counts `notifications/tools/list_changed`, over all connections of one server.
pub(super) type ListChanges = Arc<AtomicU64>;

/// A connection's two directions, and the requests under way on it.
#[derive(Debug)]
pub(super) struct Wire {
    server: Arc<str>,
    pub(super) pending: Pending,
    changes: ListChanges,
    secrets: Secrets,
    unsent: mpsc::UnboundedSender<Unsent>,
    unsent_bytes: AtomicUsize,
    noise: AtomicU32,
}

#[derive(Debug)]
struct Unsent {
    line: Vec<u8>,
    written: oneshot::Sender<io::Result<()>>,
}

impl Wire {
    /// Starts to read and to write. Both end at the end of either stream, or when `stop` is cancelled; and each cancels `stop` when it ends.
    pub(super) fn start<R, W>(
        server: Arc<str>,
        (read, write): (R, W),
        changes: ListChanges,
        secrets: Secrets,
        stop: &CancellationToken,
    ) -> (Arc<Self>, RmcpTransport)
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (unsent, to_write) = mpsc::unbounded_channel();
        let (to_peer, messages) = mpsc::channel(MAX_UNHANDLED);
        let wire = Arc::new(Self {
            server,
            pending: Pending::default(),
            changes,
            secrets,
            unsent,
            unsent_bytes: AtomicUsize::new(0),
            noise: AtomicU32::new(0),
        });
        let reading = Reading {
            wire: Arc::clone(&wire),
            to_peer,
        };
        let stopped = stop.clone();
        tokio::spawn(async move {
            let _ended = stopped.clone().drop_guard();
            // Dropping this future on the way closes the connection as well.
            stopped
                .run_until_cancelled(reading.run(BufReader::with_capacity(64 * 1024, read)))
                .await;
        });
        let (writer, stopped) = (Arc::clone(&wire), stop.clone());
        tokio::spawn(async move {
            let _ended = stopped.clone().drop_guard();
            stopped
                .run_until_cancelled(writer.write_all(write, to_write))
                .await;
        });
        let transport = RmcpTransport {
            wire: Arc::clone(&wire),
            messages,
        };
        (wire, transport)
    }

    /// Sends a request that `rmcp` does not know of.
    pub(super) fn request(
        &self,
        id: RequestId,
        message: &TxJsonRpcMessage<RoleClient>,
        max_bytes: u64,
    ) -> oneshot::Receiver<Answer> {
        let (reply_to, answer) = ReplyTo::new(max_bytes);
        self.pending.expect(id.clone(), &reply_to);
        if self.send(message).is_err() {
            self.pending.forget(&id);
        }
        answer
    }

    /// Queues a message. Messages are written in the order of these calls.
    pub(super) fn send(
        &self,
        message: &TxJsonRpcMessage<RoleClient>,
    ) -> io::Result<oneshot::Receiver<io::Result<()>>> {
        self.send_line(serde_json::to_vec(message)?)
    }

    fn send_line(&self, mut line: Vec<u8>) -> io::Result<oneshot::Receiver<io::Result<()>>> {
        line.push(b'\n');
        let length = line.len();
        if self.unsent_bytes.fetch_add(length, Ordering::Relaxed) > MAX_UNSENT_BYTES {
            self.unsent_bytes.fetch_sub(length, Ordering::Relaxed);
            return Err(io::Error::other("the server does not read what it is sent"));
        }
        let (written, done) = oneshot::channel();
        self.unsent
            .send(Unsent { line, written })
            .map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(done)
    }

    async fn write_all<W: AsyncWrite + Unpin>(
        &self,
        mut write: W,
        mut queue: mpsc::UnboundedReceiver<Unsent>,
    ) {
        while let Some(Unsent { line, written }) = queue.recv().await {
            let result = async {
                write.write_all(&line).await?;
                write.flush().await
            };
            let result = result.await;
            self.unsent_bytes.fetch_sub(line.len(), Ordering::Relaxed);
            let failed = result.is_err();
            let _ = written.send(result);
            if failed {
                return;
            }
        }
    }

    /// What the server said, as others may read it: without secrets, and not too long.
    pub(super) fn quote(&self, text: &str) -> String {
        self.secrets.redact(text, ERROR_BYTES)
    }

    fn report_noise(&self, line: &[u8], what: &str) {
        let seen = self.noise.fetch_add(1, Ordering::Relaxed);
        let shown = || {
            self.secrets
                .redact(&String::from_utf8_lossy(line), NOISE_SHOWN_BYTES)
        };
        if seen < NOISE_REPORTED {
            tracing::warn!(server = %self.server, line = shown(), "{what} on the server's stdout was skipped");
        } else {
            tracing::trace!(server = %self.server, line = shown(), "{what} on the server's stdout was skipped");
        }
    }
}

/// What reads. Dropping it closes the connection for everyone who waits for an answer.
struct Reading {
    wire: Arc<Wire>,
    to_peer: mpsc::Sender<RxJsonRpcMessage<RoleClient>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.wire.pending.close();
    }
}

impl Reading {
    async fn run<R: tokio::io::AsyncBufRead + Unpin>(self, read: R) {
        let mut lines = Lines::new(read);
        loop {
            match lines.next(|| self.wire.pending.longest_line()).await {
                Ok(Some(Line::Whole(line))) => self.line(line).await,
                Ok(Some(Line::TooLong { head, tail, bytes })) => {
                    self.too_long(head, tail, bytes).await
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::debug!(server = %self.wire.server, %error, "can't read from the server any more");
                    return;
                }
            }
        }
    }

    async fn line(&self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(messages) = envelope::split(line) else {
            return self.wire.report_noise(line, "text");
        };
        for message in messages {
            match envelope::read(message) {
                Ok(incoming) => self.message(incoming, message).await,
                Err(Unreadable::Noise) => self.wire.report_noise(message, "text"),
                Err(Unreadable::Broken) => self.broken(message).await,
            }
        }
    }

    async fn message(&self, incoming: Incoming<'_>, message: &[u8]) {
        match incoming {
            Incoming::Result { id, result } => {
                let answer = |max_bytes| match result.get().len() as u64 {
                    bytes if bytes > max_bytes => Answer::TooLarge(bytes),
                    _ => Answer::Result(result.to_owned()),
                };
                self.settle(id, answer, message).await;
            }
            Incoming::Error { id, error } => match id.or_else(|| self.wire.pending.only()) {
                Some(id) => {
                    self.settle(id, |_| Answer::Error(error.to_owned()), message)
                        .await
                }
                None => self
                    .wire
                    .report_noise(message, "an error that belongs to no request"),
            },
            Incoming::Request { id, method } if method == "ping" => self.answer_ping(id),
            Incoming::Request { id, method } => self.pass_request(id, &method, message),
            Incoming::Notification { method } => {
                if method == "notifications/tools/list_changed" {
                    self.wire.changes.fetch_add(1, Ordering::Release);
                }
                match serde_json::from_slice(message)
                    .map(|message| self.to_peer.try_send(message).is_ok())
                {
                    Ok(true) => {}
                    Ok(false) => {
                        tracing::debug!(server = %self.wire.server, %method, "too many notifications; one was dropped")
                    }
                    Err(error) => {
                        tracing::debug!(server = %self.wire.server, %method, %error, "a notification can't be read")
                    }
                }
            }
        }
    }

    /// Hands over the answer to a request, and tells `rmcp` as much as it must know.
    async fn settle(&self, id: RequestId, answer: impl FnOnce(u64) -> Answer, message: &[u8]) {
        let for_peer = match self.wire.pending.settle(&id, answer) {
            ForPeer::Nothing => return,
            ForPeer::Done => {
                JsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), id)
            }
            ForPeer::Answer => serde_json::from_slice(message).unwrap_or_else(|error| {
                JsonRpcMessage::error(
                    ErrorData::internal_error(format!("the answer can't be read: {error}"), None),
                    Some(id),
                )
            }),
        };
        // It only fails once the connection is being closed.
        let _ = self.to_peer.send(for_peer).await;
    }

    /// Servers of the older protocol check with pings that the client lives, also before the handshake is over.
    fn answer_ping(&self, id: &RawValue) {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, id.get());
        let _ = self.wire.send_line(line.into_bytes());
    }

    fn pass_request(&self, id: &RawValue, method: &str, message: &[u8]) {
        let passed = serde_json::from_slice(message)
            .is_ok_and(|message| self.to_peer.try_send(message).is_ok());
        if !passed {
            let error = ErrorData::new(
                ErrorCode::INVALID_REQUEST,
                format!("this client can't answer {method} now"),
                None,
            );
            let answer = serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error });
            let _ = self.wire.send_line(answer.to_string().into_bytes());
        }
    }

    /// A message that is no valid JSON may still be the answer that a call waits for.
    async fn broken(&self, message: &[u8]) {
        self.wire.report_noise(message, "a broken message");
        if let Trace::Answer(id) =
            envelope::trace(message, &message[message.len().saturating_sub(4096)..])
        {
            let why = || "the server's answer is not valid JSON".to_owned();
            self.settle(id, |_| Answer::Unusable(why()), &[]).await;
        }
    }

    async fn too_long(&self, head: &[u8], tail: &[u8], bytes: u64) {
        tracing::warn!(server = %self.wire.server, bytes, "a line that is too long was skipped");
        match envelope::trace(head, tail) {
            Trace::Answer(id) => self.settle(id, |_| Answer::TooLarge(bytes), &[]).await,
            Trace::ServerMessage => {}
            Trace::Unknown => {
                let why = || {
                    format!(
                        "the server sent a message of {bytes} bytes, more than is accepted, and it does not show which call it answers"
                    )
                };
                for id in self.wire.pending.all() {
                    self.settle(id, |_| Answer::Unusable(why()), &[]).await;
                }
            }
        }
    }
}

/// The wire as `rmcp` sees it.
#[derive(Debug)]
pub(super) struct RmcpTransport {
    wire: Arc<Wire>,
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleClient>>,
}

impl Transport<RoleClient> for RmcpTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            let reply_to = request.request.extensions().get::<ReplyTo>();
            self.wire
                .pending
                .expect_for_peer(request.id.clone(), reply_to);
        }
        let queued = self.wire.send(&message);
        if let (Err(_), JsonRpcMessage::Request(request)) = (&queued, &message) {
            self.wire.pending.forget(&request.id);
        }
        async move {
            queued?
                .await
                .unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()))
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.wire.pending.close();
        self.messages.close();
        Ok(())
    }
}
