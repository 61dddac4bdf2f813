//! What a server sends: answers go to who asked; what it asks in turn is for `asks`. Of all the
//! rest, nothing is parsed, and nothing kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ampoule_mcp::edges::{self, Trace};
use ampoule_mcp::envelope::{self, Incoming, MessageError, RequestId};
use ampoule_mcp::line::{Line, Lines};
use ampoule_untrusted::json;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncBufRead;
use tokio::time::Instant;

use super::noise::Doubt;
use super::offload;
use super::pace::Pace;
use super::pending::Answer;
use super::refusal::Refusal;
use super::watch::{Acknowledgment, List};
use super::wire::Wire;

/// How long the right answer may take to come after one that belongs to no request.
const SECOND_THOUGHT: Duration = Duration::from_secs(2);

/// How much of such a line is shown, in bytes.
const NOISE_SHOWN_BYTES: usize = 200;

/// How much of a message's end is searched for its id, in bytes.
const EDGE_BYTES: usize = 4096;

/// What reads. Dropping it closes the connection for everyone who waits for an answer.
pub(super) struct Reading {
    messages: Arc<Messages>,
    pace: Pace,
}

/// What becomes of messages.
pub(super) struct Messages {
    pub(super) wire: Arc<Wire>,
    /// An answer came that belongs to no request, and it is waited for the right one.
    in_doubt: Arc<AtomicBool>,
    /// The request on whose own stream they come, if they come on such a one.
    about: Option<RequestId>,
}

/// Whether a message was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solicitation {
    Yes,
    No,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.messages.wire.close();
    }
}

impl Reading {
    pub(super) fn new(wire: Arc<Wire>) -> Self {
        let in_doubt = Arc::default();
        Self {
            messages: Arc::new(Messages {
                wire,
                in_doubt,
                about: None,
            }),
            pace: Pace::default(),
        }
    }

    /// What messages are handed to that come in another way than by lines on one stream.
    pub(super) fn messages(&self) -> Arc<Messages> {
        Arc::clone(&self.messages)
    }

    pub(super) async fn run<R: AsyncBufRead + Unpin>(mut self, read: R) {
        let wire = Arc::clone(&self.messages.wire);
        let mut lines = Lines::new(read);
        loop {
            let line = match lines.next(|| wire.pending.longest_line()).await {
                Ok(Some(line)) => line,
                Ok(None) => return,
                Err(error) => {
                    tracing::debug!(server = %wire.server, %error, "can no longer read from the server");
                    return;
                }
            };
            wire.heard.send_replace(Instant::now());
            let bytes = line.bytes();
            let asked = match line {
                Line::TooLong { head, tail, bytes } => self.messages.too_long(head, tail, bytes),
                Line::Whole(line) if line.len() <= offload::AT_ONCE => self.messages.line(line),
                Line::Whole(_) => self.messages.take(lines.take()).await,
            };
            if asked == Solicitation::No {
                self.pace.note(bytes).await;
            }
        }
    }
}

impl Messages {
    /// What takes those that come on the stream of a request's answer.
    pub(super) fn about(&self, id: RequestId) -> Arc<Self> {
        Arc::new(Self {
            wire: Arc::clone(&self.wire),
            in_doubt: Arc::clone(&self.in_doubt),
            about: Some(id),
        })
    }

    /// Takes a message, wherever it came from.
    pub(super) async fn take(self: &Arc<Self>, message: Vec<u8>) -> Solicitation {
        if message.len() <= offload::AT_ONCE {
            return self.line(&message);
        }
        let messages = Arc::clone(self);
        offload::read(message.len(), move || messages.line(&message)).await
    }

    fn line(&self, line: &[u8]) -> Solicitation {
        if line.trim_ascii().is_empty() {
            return Solicitation::No;
        }
        let text = json::readable(line);
        match envelope::split(&text) {
            Ok(messages) => {
                messages
                    .into_iter()
                    .fold(Solicitation::No, |asked, message| {
                        match self.message(message) {
                            Solicitation::Yes => Solicitation::Yes,
                            Solicitation::No => asked,
                        }
                    })
            }
            Err(MessageError::Crowded(_)) => {
                self.report_noise(&text, "a batch of too many messages");
                self.unusable("a batch of too many messages", text.len() as u64)
            }
            Err(_) => self.report_noise(&text, "text that is not a message"),
        }
    }

    fn message(&self, message: &str) -> Solicitation {
        match envelope::read(message) {
            Ok(Incoming::Result { id, result }) => {
                let answer = |max_bytes| {
                    fitting(result, max_bytes).map_or_else(Answer::TooLarge, |result| {
                        Answer::Result(self.wire.secrets.blot(result))
                    })
                };
                self.answered(id, answer, message)
            }
            Ok(Incoming::Stray { id }) => self.stray(id, false, message),
            Ok(Incoming::Error { id, error }) => match id.or_else(|| self.wire.pending.only()) {
                Some(id) => {
                    let answer = |max_bytes| {
                        fitting(error, max_bytes).map_or_else(Answer::TooLarge, |error| {
                            Answer::Refused(Refusal::read(error, &self.wire.secrets))
                        })
                    };
                    self.answered(id, answer, message)
                }
                None => self.report_noise(message, "an error that belongs to no request"),
            },
            Ok(Incoming::Request { id, method, params }) => self.request(id, &method, params),
            Ok(Incoming::Notification { method, params }) => self.notification(&method, params),
            Err(MessageError::Broken) => self.broken(message),
            Err(MessageError::Unmarked(answers)) => {
                self.report_noise(message, "an object without `jsonrpc`");
                // A server that answers so says so at once; later on, it is a line of a log.
                if self.is_opening() && answers.is_some_and(|id| self.wire.pending.awaits(id)) {
                    self.doubt(Doubt::Unmarked);
                }
                Solicitation::No
            }
            Err(MessageError::Noise | MessageError::Crowded(_)) => {
                self.report_noise(message, "text that is not a message")
            }
        }
    }

    /// Takes a message that answers a request of this id, if one is under way.
    fn answered(
        &self,
        id: RequestId,
        answer: impl FnOnce(u64) -> Answer,
        message: &str,
    ) -> Solicitation {
        match self.settle(id, answer) {
            Solicitation::Yes => Solicitation::Yes,
            Solicitation::No => self.stray(&id.to_string(), self.wire.asked_under(id), message),
        }
    }

    /// Hands over the answer to a request.
    fn settle(&self, id: RequestId, answer: impl FnOnce(u64) -> Answer) -> Solicitation {
        if self.wire.pending.settle(id, answer) {
            Solicitation::Yes
        } else {
            Solicitation::No
        }
    }

    /// Most of what servers ask is answered by the method alone. Those of the older protocol check
    /// with pings that the client lives, also before the handshake is over.
    fn request(&self, id: &RawValue, method: &str, params: &str) -> Solicitation {
        match self.wire.client.answer(method) {
            Some(reply) => self.wire.reply_to(id.get(), &reply),
            None => self.wire.asked(id.get(), self.about, method, params),
        }
        Solicitation::No
    }

    fn notification(&self, method: &str, params: &str) -> Solicitation {
        if let Some(list) = List::told_by(method) {
            if list == List::Tools {
                self.wire.changes.fetch_add(1, Ordering::Release);
            }
            self.wire.watch.changed(list);
        }
        match method {
            "notifications/resources/updated" => self.wire.watch.updated(params),
            "notifications/subscriptions/acknowledged" => {
                if let Some(acknowledged) = Acknowledgment::read(params) {
                    self.wire.acknowledged.send_replace(Some(acknowledged));
                }
            }
            "notifications/progress" => self.wire.progressed(params),
            "notifications/cancelled" => self.taken_back(params),
            "notifications/elicitation/complete" => self.wire.done(params),
            "notifications/message" if self.wire.logged(self.about, params) => {
                return Solicitation::No;
            }
            _ => {}
        }
        let quote = |text| self.wire.secrets.quote_line(text, NOISE_SHOWN_BYTES);
        tracing::debug!(server = %self.wire.server, method = quote(method), params = quote(params), "the server sent a notification");
        Solicitation::No
    }

    /// The server no longer wants an answer to what it asked.
    fn taken_back(&self, params: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct CancelledParams<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        if let Ok(CancelledParams { request_id }) = serde_json::from_str(params) {
            self.wire.asks.take_back(request_id.get());
        }
    }

    /// A message that is not valid JSON may still be the answer that a call waits for.
    fn broken(&self, message: &str) -> Solicitation {
        self.report_noise(message, "a broken message");
        let bytes = message.as_bytes();
        match edges::trace(bytes, &bytes[bytes.len().saturating_sub(EDGE_BYTES)..]) {
            Trace::Answer(id) => self.settle(id, |_| {
                Answer::Unusable("the server's answer is not valid JSON".to_owned())
            }),
            Trace::ServerMessage | Trace::Unknown => Solicitation::No,
        }
    }

    pub(super) fn too_long(&self, head: &[u8], tail: &[u8], bytes: u64) -> Solicitation {
        tracing::warn!(server = %self.wire.server, bytes, "a line that is too long was skipped");
        match edges::trace(head, tail) {
            Trace::Answer(id) => self.settle(id, |_| Answer::TooLarge(bytes)),
            Trace::ServerMessage => Solicitation::No,
            Trace::Unknown => self.unusable("a message", bytes),
        }
    }

    /// Ends every call: one of them may have been answered by what was not read.
    fn unusable(&self, what: &str, bytes: u64) -> Solicitation {
        for id in self.wire.pending.all() {
            let why = format!(
                "the server sent {what} of {bytes} bytes, more than is accepted, and it does not show which call it answers"
            );
            self.settle(id, |_| Answer::Unusable(why));
        }
        Solicitation::No
    }

    /// Whether no session was agreed on yet.
    fn is_opening(&self) -> bool {
        self.wire.version.get().is_none()
    }

    /// An answer that belongs to no request under way. A late answer to a request that was given
    /// up is normal.
    fn stray(&self, id: &str, was_asked: bool, message: &str) -> Solicitation {
        if !was_asked {
            self.report_noise(message, "an answer to no request");
        }
        // Of several, one may well be at work on the right answer.
        let meant_for_one = || !was_asked && self.wire.pending.only().is_some();
        if self.is_opening() || meant_for_one() {
            let shown = self.wire.secrets.quote_line(id, NOISE_SHOWN_BYTES);
            self.doubt(Doubt::Id(shown));
        }
        Solicitation::No
    }

    /// Ends the requests under way if none of them gets its answer soon: this one was meant for one
    /// of them.
    fn doubt(&self, doubt: Doubt) {
        let wire = Arc::clone(&self.wire);
        let (under_way, settled) = (wire.pending.all(), wire.pending.settled());
        if under_way.is_empty() || self.in_doubt.swap(true, Ordering::Relaxed) {
            return;
        }
        let in_doubt = Arc::clone(&self.in_doubt);
        tokio::spawn(async move {
            let waited = tokio::time::sleep(SECOND_THOUGHT);
            let ended = wire.stop.run_until_cancelled(waited).await.is_none();
            in_doubt.store(false, Ordering::Relaxed);
            if ended || wire.pending.settled() != settled {
                return;
            }
            // Another request may have been sent meanwhile, to try another way.
            let opening = wire.version.get().is_none();
            for id in if opening {
                wire.pending.all()
            } else {
                under_way
            } {
                let why = doubt.told(id);
                wire.pending.settle(id, |_| Answer::Unusable(why));
            }
        });
    }

    fn report_noise(&self, text: &str, what: &str) -> Solicitation {
        let server = &self.wire.server;
        let shown = || self.wire.secrets.quote_line(text, NOISE_SHOWN_BYTES);
        if self.wire.noise.note(shown) {
            tracing::warn!(%server, line = shown(), "the server sent {what}, which was skipped; whatever else is skipped is logged at the level trace");
        } else {
            tracing::trace!(%server, line = shown(), "{what} from the server was skipped");
        }
        Solicitation::No
    }
}

/// A part of a message, if it is no larger than who waits for it allows; else how large it is.
fn fitting(part: &RawValue, max_bytes: u64) -> Result<&RawValue, u64> {
    match part.get().len() as u64 {
        bytes if bytes > max_bytes => Err(bytes),
        _ => Ok(part),
    }
}
