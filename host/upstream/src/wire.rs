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
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::asks::{Asks, Reply};
use super::client::Client;
use super::outbox::{Kind, Outbox, Refused, Ticket};
use super::pending::{Answer, Pending};
use super::reading::Reading;
use super::secrets::Secrets;

/// Counts `notifications/tools/list_changed`, over all connections of one server.
pub(super) type ListChanges = Arc<AtomicU64>;

/// A connection's two directions, and the requests under way on it.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) server: Arc<str>,
    pub(super) pending: Pending,
    /// What servers are told that they may ask.
    pub(super) client: Arc<Client>,
    pub(super) asks: Asks,
    pub(super) changes: ListChanges,
    pub(super) secrets: Secrets,
    /// When something was last read.
    pub(super) heard: watch::Sender<Instant>,
    outbox: Outbox,
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

/// A request that was sent. Dropping it takes it back, or tells the server that nobody waits any
/// more.
pub(super) struct Request<'a> {
    wire: &'a Wire,
    id: RequestId,
    ticket: Ticket,
    answer: oneshot::Receiver<Answer>,
    may_be_cancelled: bool,
}

impl Wire {
    /// Starts to read and to write. Both end at the end of either stream, or when `stop` is
    /// cancelled; and each cancels `stop` when it ends.
    pub(super) fn start<R, W>(
        server: Arc<str>,
        (read, write): (R, W),
        changes: ListChanges,
        (secrets, client): (Secrets, Arc<Client>),
        stop: &CancellationToken,
    ) -> Arc<Self>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let wire = Arc::new(Self {
            server,
            pending: Pending::default(),
            client,
            asks: Asks::default(),
            changes,
            secrets,
            heard: watch::Sender::new(Instant::now()),
            outbox: Outbox::default(),
            next: AtomicI64::new(1),
            fault: OnceLock::new(),
            stop: stop.clone(),
        });
        let (reading, stopped) = (Reading::new(Arc::clone(&wire)), stop.clone());
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
            stopped.run_until_cancelled(writer.write_all(write)).await;
        });
        wire
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
        self.request_as(self.next_id(), method, params, max_bytes)
    }

    /// An id that no other request has.
    pub(super) fn next_id(&self) -> RequestId {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The same as [`request`](Self::request), under an id that was taken for it.
    pub(super) fn request_as(
        &self,
        id: RequestId,
        method: &str,
        params: &Map<String, Value>,
        max_bytes: u64,
    ) -> Result<Request<'_>, Option<String>> {
        let answer = self.pending.expect(id, max_bytes);
        match self.send(Some(id), method, params) {
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
                    Refused::Closed | Refused::Unread(_) => None,
                    Refused::Full(bytes) => Some(format!(
                        "does not read what it is sent: {bytes} bytes are already waiting for it"
                    )),
                })
            }
        }
    }

    pub(super) fn notify(&self, method: &str, params: &Map<String, Value>) {
        // Where the connection has ended, or the server does not read, nobody is there to hear it.
        let _ = self.send(None, method, params);
    }

    fn send(
        &self,
        id: Option<RequestId>,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<Ticket, Refused> {
        let message = Message {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let mut line = serde_json::to_vec(&message).map_err(|_| Refused::Closed)?;
        line.push(b'\n');
        self.outbox.push(line, Kind::Own)
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
        if let Err(Refused::Unread(replies)) = self
            .outbox
            .push(format!("{message}\n").into_bytes(), Kind::Reply)
        {
            self.fail(format!(
                "was disconnected, because it went on asking the client without reading the {replies} answers that are waiting for it"
            ));
        }
    }

    /// Closes the connection. `why` follows the server's name.
    fn fail(&self, why: String) {
        tracing::warn!(server = %self.server, "the server {why}");
        let _ = self.fault.set(why);
        self.stop.cancel();
    }

    /// Why this side closed the connection, in words that follow the server's name.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.get().map(String::as_str)
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
        while let Some(line) = self.outbox.next().await {
            let written = async {
                write.write_all(&line).await?;
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
    /// A request that the protocol does not let its sender cancel.
    pub(super) fn for_good(mut self) -> Self {
        self.may_be_cancelled = false;
        self
    }

    /// Waits for the answer; there is none where the connection ends.
    pub(super) async fn answer(&mut self) -> Option<Answer> {
        (&mut self.answer).await.ok()
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
