//! The JSON-RPC connection: one line a message, read without trusting it.
//!
//! Requests are written as the protocol has them, and their answers handed over as they came:
//! `rmcp`'s client would decode a result into a union of every result that there is, which fails or
//! guesses where one is unusual, and would hold what servers send unasked in queues of its own.
//! Only what a request asked for is ever kept; see `reading` for the rest.

use std::io;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ampoule_mcp::envelope::RequestId;
use http::HeaderMap;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::active_call::Reply;
use super::asks::Asks;
use super::client::Client;
use super::digits;
use super::noise::Noise;
use super::outbox::{Kind, Outbox, Outgoing, SendError, Ticket};
use super::pending::{Answer, Fault, Pending};
use super::reading::Reading;
use super::secrets::Secrets;
use super::watch::{Acknowledgment, Watch};

/// Counts `notifications/tools/list_changed`, over all connections of one server.
pub(super) type ListChanges = Arc<AtomicU64>;

/// What all connections of one server share.
pub(super) struct WireShared {
    pub(super) changes: ListChanges,
    pub(super) watch: Arc<Watch>,
    pub(super) noise: Arc<Noise>,
    pub(super) secrets: Secrets,
    /// What servers are told that they may ask.
    pub(super) client: Arc<Client>,
}

/// A connection's two directions, and the requests under way on it.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) server: Arc<str>,
    pub(super) pending: Pending,
    /// What servers are told that they may ask.
    pub(super) client: Arc<Client>,
    pub(super) asks: Asks,
    pub(super) changes: ListChanges,
    /// What is told besides.
    pub(super) watch: Arc<Watch>,
    /// What the server said last that it will tell.
    pub(super) acknowledged: watch::Sender<Option<Acknowledgment>>,
    pub(super) noise: Arc<Noise>,
    pub(super) secrets: Secrets,
    /// When something was last read.
    pub(super) heard: watch::Sender<Instant>,
    pub(super) outbox: Outbox,
    /// The version of the protocol, once both sides have agreed on one.
    pub(super) version: OnceLock<String>,
    next: AtomicI64,
    /// Why this side closed the connection, if it did.
    fault: OnceLock<String>,
    pub(super) stop: CancellationToken,
}

#[derive(Serialize)]
struct Message<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<RequestId>,
    method: &'a str,
    params: &'a Map<String, Value>,
}

/// What names a request, and the headers it is sent with where the transport has those.
pub(super) struct RequestHead<'a> {
    /// An id that no other request of the connection has.
    pub(super) id: RequestId,
    pub(super) method: &'a str,
    pub(super) headers: HeaderMap,
}

/// A request that was sent. Dropping it takes it back, or tells the server that nobody waits any
/// more.
pub(super) struct Request<'a> {
    wire: &'a Wire,
    id: RequestId,
    ticket: Ticket,
    answer: oneshot::Receiver<Result<Answer, Fault>>,
    may_be_cancelled: bool,
}

impl Wire {
    /// A connection that a transport has yet to carry: what is to be sent waits in `outbox`, and
    /// [`Reading`] takes what comes.
    pub(super) fn new(server: Arc<str>, shared: WireShared, stop: &CancellationToken) -> Arc<Self> {
        let WireShared {
            changes,
            watch,
            noise,
            secrets,
            client,
        } = shared;
        Arc::new(Self {
            server,
            pending: Pending::default(),
            client,
            asks: Asks::default(),
            changes,
            watch,
            acknowledged: Default::default(),
            noise,
            secrets,
            heard: watch::Sender::new(Instant::now()),
            outbox: Outbox::default(),
            version: OnceLock::new(),
            next: AtomicI64::new(1),
            fault: OnceLock::new(),
            stop: stop.clone(),
        })
    }

    /// Starts to read and to write lines. Both end at the end of either stream, or when the
    /// connection is stopped; and each stops it when it ends.
    pub(super) fn carry<R, W>(self: &Arc<Self>, read: R, write: W)
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let stop = &self.stop;
        let (reading, stopped) = (Reading::new(Arc::clone(self)), stop.clone());
        tokio::spawn(async move {
            let _ended = stopped.clone().drop_guard();
            // Dropping this future on the way closes the connection as well.
            stopped
                .run_until_cancelled(reading.run(BufReader::with_capacity(64 * 1024, read)))
                .await;
        });
        let (writer, stopped) = (Arc::clone(self), stop.clone());
        tokio::spawn(async move {
            let _ended = stopped.clone().drop_guard();
            stopped.run_until_cancelled(writer.write_all(write)).await;
        });
    }

    /// Sends a request whose answer may have so many bytes.
    ///
    /// # Errors
    ///
    /// Why it can't be sent, in words that follow the server's name. None where the connection has
    /// ended.
    pub(super) fn request(
        &self,
        method: &str,
        params: &Map<String, Value>,
        max_bytes: u64,
    ) -> Result<Request<'_>, Option<String>> {
        let head = RequestHead {
            id: self.next_id(),
            method,
            headers: HeaderMap::new(),
        };
        self.request_with(head, params, max_bytes)
    }

    /// An id that no other request has.
    pub(super) fn next_id(&self) -> RequestId {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The same as [`request`](Self::request), with an id and headers of the caller's choice.
    pub(super) fn request_with(
        &self,
        head: RequestHead<'_>,
        params: &Map<String, Value>,
        max_bytes: u64,
    ) -> Result<Request<'_>, Option<String>> {
        // Nobody would hear the answer, and the request must not be sent for nothing.
        if !self.pending.is_open() {
            return Err(None);
        }
        let RequestHead {
            id,
            method,
            headers,
        } = head;
        let answer = self.pending.expect(id, max_bytes);
        let name = ["name", "uri", "taskId"].iter();
        let name = name.filter_map(|name| params.get(*name)).next();
        let kind = Kind::Request {
            id,
            method: method.into(),
            name: name.and_then(Value::as_str).map(Into::into),
            headers,
        };
        match self.send(kind, Some(id), method, params) {
            Ok(ticket) => Ok(Request {
                wire: self,
                id,
                ticket,
                answer,
                may_be_cancelled: true,
            }),
            Err(refused) => {
                self.pending.forget(id);
                Err(match refused {
                    SendError::Closed | SendError::Unread(_) => None,
                    SendError::Full(bytes) => Some(format!(
                        "does not read what it is sent: {bytes} bytes are already waiting for it"
                    )),
                })
            }
        }
    }

    pub(super) fn notify(&self, method: &str, params: &Map<String, Value>) {
        // Where the connection has ended, or the server does not read, nobody is there to hear it.
        let kind = Kind::Notification {
            method: method.into(),
        };
        let _ = self.send(kind, None, method, params);
    }

    fn send(
        &self,
        kind: Kind,
        id: Option<RequestId>,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<Ticket, SendError> {
        let message = Message {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let mut line = digits::line(&message).map_err(|_| SendError::Closed)?;
        line.push(b'\n');
        self.outbox.push(Outgoing { line, kind })
    }

    /// Answers a request of the server's, whose id is as it was written.
    pub(super) fn reply_to(&self, id: &str, reply: &Reply) {
        let (member, content) = match reply {
            Ok(result) => ("result", result),
            Err(error) => ("error", error),
        };
        self.reply(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"{member}":{content}}}"#
        ));
    }

    /// Answers what the server asked. One that asks on without reading the answers is let go of.
    fn reply(&self, message: &str) {
        let reply = Outgoing {
            line: format!("{message}\n").into_bytes(),
            kind: Kind::Reply,
        };
        if let Err(SendError::Unread(replies)) = self.outbox.push(reply) {
            self.fail(format!(
                "was disconnected, because it went on asking the client without reading the {replies} answers that are waiting for it"
            ));
        }
    }

    /// Closes the connection. `why` follows the server's name.
    pub(super) fn fail(&self, why: String) {
        tracing::warn!(server = %self.server, "the server {why}");
        let _ = self.fault.set(why);
        self.stop.cancel();
    }

    /// Why this side closed the connection, in words that follow the server's name.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
    }

    /// Whether a request had this id.
    pub(super) fn asked_under(&self, id: RequestId) -> bool {
        (1..self.next.load(Ordering::Relaxed)).contains(&id)
    }

    /// How many requests were made.
    pub(super) fn requests(&self) -> i64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        self.stop.cancelled().await;
    }

    /// Lets go of everything that waits to be sent or answered.
    pub(super) fn close(&self) {
        self.pending.close();
        self.outbox.close();
    }

    /// How many lines wait to be written.
    #[cfg(test)]
    pub(super) fn unsent(&self) -> usize {
        self.outbox.len()
    }

    async fn write_all<W: AsyncWrite + Unpin>(&self, mut write: W) {
        while let Some(message) = self.outbox.next().await {
            let written = async {
                write.write_all(&message.line).await?;
                write.flush().await
            };
            let written: io::Result<()> = written.await;
            if let Err(error) = written {
                tracing::debug!(server = %self.server, %error, "can no longer write to the server");
                return;
            }
        }
    }
}

impl Request<'_> {
    /// The id that it was sent with.
    pub(super) fn id(&self) -> RequestId {
        self.id
    }

    /// A request that the protocol does not let its sender cancel.
    pub(super) fn for_good(mut self) -> Self {
        self.may_be_cancelled = false;
        self
    }

    /// Whether the server may have got it, or a part of it.
    pub(super) fn was_begun(&self) -> bool {
        self.wire.outbox.was_begun(self.ticket)
    }

    /// Waits for the answer.
    pub(super) async fn answer(&mut self) -> Result<Answer, Fault> {
        (&mut self.answer).await.unwrap_or(Err(Fault::Closed))
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let awaited = self.wire.pending.forget(self.id);
        if !awaited || self.wire.outbox.withdraw(self.ticket) || !self.may_be_cancelled {
            return;
        }
        if let Value::Object(params) =
            json!({ "requestId": self.id, "reason": "the script is no longer waiting for it" })
        {
            self.wire.notify("notifications/cancelled", &params);
        }
    }
}
