//! A connection that sends questions to a client at once: the questions that the client has not
//! answered yet.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ampoule_untrusted::json::{depth, parsed_bytes};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use super::question::{GONE, Reply};

/// How much is asked of a client at once.
const ASKED_AT_ONCE: usize = 16;

/// How many messages wait to be sent to it.
const SENT: usize = 32;

/// What ids of requests to a client begin with; the library beneath would count in numbers.
const ID: &str = "ampoule-";

/// How much an answer may take once it is parsed, in bytes.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// How deep it may be nested.
const MAX_DEPTH: usize = 64;

/// The questions that a client has not answered yet.
#[derive(Debug)]
pub(crate) struct ClientLink {
    open: Mutex<HashMap<String, oneshot::Sender<Reply>>>,
    sent: mpsc::Sender<ClientMessage>,
}

/// A message to a client, unasked.
#[derive(Debug)]
pub(crate) struct ClientMessage {
    pub(crate) method: &'static str,
    /// None where no answer is wanted.
    pub(crate) id: Option<String>,
    pub(crate) params: Value,
}

impl ClientMessage {
    /// As a line of its own.
    pub(crate) fn line(&self) -> Vec<u8> {
        let Self { method, id, params } = self;
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            message["id"] = id.as_str().into();
        }
        message.to_string().into_bytes()
    }
}

/// An open question, until this is dropped.
struct OpenRequest<'a> {
    link: &'a ClientLink,
    id: String,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        if self.link.open.lock().remove(&self.id).is_some() {
            let params = json!({ "requestId": self.id, "reason": "the call was cancelled" });
            let _ = self.link.sent.try_send(ClientMessage {
                method: "notifications/cancelled",
                id: None,
                params,
            });
        }
    }
}

impl ClientLink {
    /// The questions, and what is to be sent for them.
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<ClientMessage>) {
        let (sent, sending) = mpsc::channel(SENT);
        let link = Self {
            open: Mutex::default(),
            sent,
        };
        (Arc::new(link), sending)
    }

    /// Asks the client. Dropping the future withdraws the question.
    pub(crate) async fn ask(&self, method: &'static str, params: Value) -> Reply {
        // One client may have several of these: one for each of its requests.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = format!("{ID}{}", NEXT.fetch_add(1, Relaxed));
        let (answer, arrives) = oneshot::channel();
        {
            let mut open = self.open.lock();
            if open.len() >= ASKED_AT_ONCE {
                return Err("too many open questions to the client".to_owned());
            }
            open.insert(id.clone(), answer);
        }
        let open = OpenRequest { link: self, id };
        let gone = |_| GONE.to_owned();
        let question = ClientMessage {
            method,
            id: Some(open.id.clone()),
            params,
        };
        self.sent
            .send(question)
            .await
            .map_err(|_| GONE.to_owned())?;
        arrives.await.map_err(gone)?
    }

    /// Notifies the client that the purpose of an opened address is done. Returns whether the
    /// client can get that.
    pub(super) fn done(&self, elicitation: &str) -> bool {
        let told = ClientMessage {
            method: "notifications/elicitation/complete",
            id: None,
            params: json!({ "elicitationId": elicitation }),
        };
        self.sent.try_send(told).is_ok()
    }

    /// Hands an answer of the client to its question. Returns whether the question is open.
    pub(crate) fn settle(&self, answer: &ClientReply) -> bool {
        let Some(waits) = self.open.lock().remove(&answer.id) else {
            return false;
        };
        let _ = waits.send(answer.read());
        true
    }
}

/// An answer of a client's, as it came.
#[derive(Debug)]
pub(crate) struct ClientReply {
    id: String,
    body: Result<Box<RawValue>, Box<RawValue>>,
}

impl ClientReply {
    /// The answer to a question, if the question is known.
    pub(crate) fn to_ours(
        id: &RawValue,
        result: Option<&RawValue>,
        error: Option<&RawValue>,
    ) -> Option<Self> {
        let id: String = serde_json::from_str(id.get()).ok()?;
        let body = match (result, error) {
            (_, Some(error)) => Err(error.to_owned()),
            (Some(result), None) => Ok(result.to_owned()),
            (None, None) => return None,
        };
        id.starts_with(ID).then_some(Self { id, body })
    }

    fn read(&self) -> Reply {
        let (Ok(body) | Err(body)) = &self.body;
        if parsed_bytes(body.get()) > MAX_ANSWER_BYTES || depth(body.get()) > MAX_DEPTH {
            return Err("the client's answer is too large, or nested too deep".to_owned());
        }
        let read: Map<String, Value> = serde_json::from_str(body.get())
            .map_err(|_| "the client's answer is not an object".to_owned())?;
        match self.body {
            Ok(_) => Ok(read),
            Err(_) => {
                let said = read.get("message").and_then(Value::as_str);
                Err(format!(
                    "the client answered: {}",
                    said.unwrap_or("an error")
                ))
            }
        }
    }
}
