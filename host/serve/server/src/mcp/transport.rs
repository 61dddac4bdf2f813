//! The connection to a client beneath `rmcp`, whose own drops what it can't read: here every
//! request has an answer.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use ampoule_mcp::line::{Line, Lines};
use rmcp::model::{ClientRequest, ErrorCode, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::incoming::{self, Message, Refusal, Request};
use super::requests::{AdmissionError, Requests};
use super::tasks::wire_2025;
use crate::runs::asking::link::{ClientLink, ClientMessage};

/// The least that a line may have, in bytes, however little a run may hold.
const LEAST_LINE_BYTES: usize = 16 << 20;
/// What a line may have beside a component, in bytes.
const BESIDE_BYTES: usize = 1 << 20;
/// What is read from the client at once, in bytes.
const READ_BYTES: usize = 64 << 10;
/// A longer line is read on a thread of its own, in bytes.
const READ_HERE_BYTES: usize = 64 << 10;
/// How long the end of the client is delayed for requests that are answered at once.
const BRIEF: Duration = Duration::from_secs(1);
/// Too many active requests; try again later.
pub(crate) const BUSY: ErrorCode = ErrorCode(-32000);

/// How long a line may be, in bytes, where a run may hold `host_bytes`: as long as a component of
/// that size in base64.
pub(crate) fn most_line_bytes(host_bytes: u64) -> usize {
    let base64 = host_bytes.div_ceil(3).saturating_mul(4);
    let component = usize::try_from(base64).unwrap_or(usize::MAX);
    LEAST_LINE_BYTES.max(component.saturating_add(BESIDE_BYTES))
}

/// A client's two streams. When the client goes away, `left` is cancelled, and nothing more is
/// written.
pub(super) struct ClientTransport<W> {
    messages: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    answers: Arc<Answers<W>>,
    _reading: AbortOnDropHandle<()>,
    _asking: AbortOnDropHandle<()>,
}

/// What is written to the client, and what for.
struct Answers<W> {
    requests: Requests,
    link: Arc<ClientLink>,
    write: Mutex<W>,
    left: CancellationToken,
}

impl<W: AsyncWrite + Send + Unpin + 'static> ClientTransport<W> {
    /// Reads lines of at most `most` bytes.
    pub(super) fn new<R>(read: R, write: W, most: usize, left: CancellationToken) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
    {
        let (link, questions) = ClientLink::new();
        let answers = Arc::new(Answers {
            requests: Requests::new(most),
            link,
            write: Mutex::new(write),
            left,
        });
        let (sender, messages) = mpsc::channel(1);
        let lines = Lines::new(BufReader::with_capacity(READ_BYTES, read));
        let reading = tokio::spawn(read_all(lines, most, Arc::clone(&answers), sender));
        let asking = tokio::spawn(ask_all(questions, Arc::clone(&answers)));
        Self {
            messages,
            answers,
            _reading: AbortOnDropHandle::new(reading),
            _asking: AbortOnDropHandle::new(asking),
        }
    }

    /// The connection for questions to the client.
    pub(super) fn link(&self) -> Arc<ClientLink> {
        Arc::clone(&self.answers.link)
    }
}

/// Writes questions to the client.
async fn ask_all<W: AsyncWrite + Unpin>(
    mut questions: mpsc::Receiver<ClientMessage>,
    answers: Arc<Answers<W>>,
) {
    while let Some(question) = questions.recv().await {
        if let Err(error) = answers.write(question.line()).await {
            tracing::warn!(%error, "can't write to the client");
        }
    }
}

/// Reads until the client goes away. If a client does not read its errors, the server stops reading
/// from it.
async fn read_all<R, W>(
    mut lines: Lines<BufReader<R>>,
    most: usize,
    answers: Arc<Answers<W>>,
    messages: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    loop {
        let read = match lines.next(|| most).await {
            Ok(Some(Line::Whole(line))) if line.len() <= READ_HERE_BYTES => {
                incoming::line(line, most)
            }
            Ok(Some(Line::Whole(_))) => {
                let line = lines.take();
                let reading = tokio::task::spawn_blocking(move || incoming::line(&line, most));
                reading.await.unwrap_or_default()
            }
            Ok(Some(Line::TooLong { head, tail, bytes })) => {
                incoming::too_long(head, tail, bytes, most)
                    .into_iter()
                    .collect()
            }
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "can no longer read from the client");
                return;
            }
        };
        for message in read {
            match answers.admitted(message) {
                Ok(None) => {}
                Ok(Some(message)) => {
                    if messages.send(message).await.is_err() {
                        return;
                    }
                }
                Err(refusal) => answers.refuse(refusal).await,
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> Answers<W> {
    /// The message for `rmcp`, if it is one for that, or why it gets none.
    fn admitted(&self, message: Message) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
        let Request { id, request, bytes } = match message {
            Message::Refused(refusal) => return Err(refusal),
            Message::Cancelled(cancelled) => {
                return Ok(Some(JsonRpcMessage::notification(cancelled.into())));
            }
            Message::Answer(answer) => {
                if !self.link.settle(&answer) {
                    tracing::debug!("the client answered an unknown question");
                }
                return Ok(None);
            }
            Message::Request(request) => *request,
        };
        let brief = match &request {
            ClientRequest::CallToolRequest(_) | ClientRequest::SubscriptionsListenRequest(_) => {
                false
            }
            ClientRequest::CustomRequest(asked) => asked.method != wire_2025::RESULT,
            _ => true,
        };
        match self.requests.begin(&id, bytes, brief) {
            Ok(()) => Ok(Some(JsonRpcMessage::request(request, id))),
            Err(not_admitted) => Err(refusal(&id, &not_admitted)),
        }
    }

    async fn refuse(&self, refusal: Refusal) {
        let Refusal {
            id, code, message, ..
        } = refusal;
        tracing::warn!(
            id = id.as_deref().map(RawValue::get),
            code = code.0,
            problem = %message,
            "refused a message of the client"
        );
        let answer =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
        if let Err(error) = self.write(answer.to_string().into_bytes()).await {
            tracing::warn!(%error, "can't write to the client");
        }
    }

    async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let writing = async {
            let mut write = self.write.lock().await;
            write.write_all(&line).await?;
            write.flush().await
        };
        // A client that has left has closed its ears, too: some fail where they are still spoken
        // to.
        self.left
            .run_until_cancelled(writing)
            .await
            .unwrap_or(Ok(()))
    }
}

fn refusal(id: &RequestId, not_admitted: &AdmissionError) -> Refusal {
    let (code, message) = match not_admitted {
        AdmissionError::SameId => (
            ErrorCode::INVALID_REQUEST,
            "a request with this id is active or was cancelled; give each request an id of its own"
                .to_owned(),
        ),
        AdmissionError::NoRoom(bytes) => (
            BUSY,
            format!(
                "the active requests take up all {} MiB for requests; wait for some to be answered",
                bytes >> 20
            ),
        ),
    };
    let id = serde_json::value::to_raw_value(id).ok();
    Refusal {
        id,
        code,
        message,
        is_of_sessions: false,
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for ClientTransport<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answers = Arc::clone(&self.answers);
        let held = match &message {
            JsonRpcMessage::Response(answer) => answers.requests.end(&answer.id),
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().and_then(|id| answers.requests.end(id))
            }
            _ => None,
        };
        async move {
            let message = wire_2025::declared(message);
            let written = answers.write(serde_json::to_vec(&message)?).await;
            drop(held);
            written
        }
    }

    /// Safe to cancel: lines are read by a task of their own.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(message) = self.messages.recv().await else {
                // What is piped into it, rather than asked by a client, has its answers before the
                // end.
                let done = self.answers.requests.brief_ones_done();
                let _ = tokio::time::timeout(BRIEF, done).await;
                self.answers.left.cancel();
                return None;
            };
            if let Some(id) = cancelled(&message) {
                // Before its first request is under way, `rmcp` takes a notification for the end.
                if id.is_none_or(|id| !self.answers.requests.cancel(id)) {
                    continue;
                }
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.answers.left.cancel();
        Ok(())
    }
}

/// Which request a notification cancels, if it is one that does.
fn cancelled(message: &RxJsonRpcMessage<RoleServer>) -> Option<Option<&RequestId>> {
    use rmcp::model::ClientNotification::CancelledNotification;
    match message {
        JsonRpcMessage::Notification(told) => match &told.notification {
            CancelledNotification(cancelled) => Some(cancelled.params.request_id.as_ref()),
            _ => Some(None),
        },
        _ => None,
    }
}
