//! What this server asks its client, on behalf of the servers behind it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ampoule::{Abilities, Ask, AskKind, LogLevel, Notice, Respondent};
use ampoule_approvals::Sealed;
use ampoule_untrusted::json::{depth, parsed_bytes};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{
    CustomNotification, CustomRequest, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::RequestContext;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::held::Question;
use super::lines::Lines;
use super::progress::Told;

/// How much is asked of a client at once.
const ASKED_AT_ONCE: usize = 16;

/// How many messages wait to be sent to it.
const SENT: usize = 32;

/// What ids of requests to a client begin with; `rmcp` would count in numbers.
const ID: &str = "ampoule-";

/// How much an answer may take once it is parsed, in bytes.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// How deep it may be nested.
const MAX_DEPTH: usize = 64;

/// What of a request is passed on: the rest is about the connection that it came from.
const OF_ELICITATION: [&str; 5] = ["mode", "message", "requestedSchema", "url", "elicitationId"];
const OF_SAMPLING: [&str; 9] = [
    "messages",
    "modelPreferences",
    "systemPrompt",
    "temperature",
    "maxTokens",
    "stopSequences",
    "metadata",
    "tools",
    "toolChoice",
];

/// Why there is no answer of a client's that is not there any more.
pub(super) const GONE: &str = "the client went away";

/// What a client answers: a result, or why there is none.
pub(super) type Reply = Result<Map<String, Value>, String>;

/// The questions that a client has not answered yet.
#[derive(Debug)]
pub(super) struct Asked {
    open: Mutex<HashMap<String, oneshot::Sender<Reply>>>,
    sent: mpsc::Sender<Sent>,
}

/// What is sent to a client of our own accord.
#[derive(Debug)]
pub(super) struct Sent {
    method: &'static str,
    /// None where no answer is wanted.
    id: Option<String>,
    params: Value,
}

impl Sent {
    /// As a line of its own.
    pub(super) fn line(&self) -> Vec<u8> {
        let Self { method, id, params } = self;
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if let Some(id) = id {
            message["id"] = id.as_str().into();
        }
        message.to_string().into_bytes()
    }

    /// As `rmcp` has it.
    pub(super) fn message(self) -> ServerJsonRpcMessage {
        let Self { method, id, params } = self;
        match id {
            Some(id) => JsonRpcMessage::request(
                CustomRequest::new(method, Some(params)).into(),
                RequestId::String(id.into()),
            ),
            None => {
                JsonRpcMessage::notification(CustomNotification::new(method, Some(params)).into())
            }
        }
    }
}

/// A question that is open as long as nobody drops this.
struct Open<'a> {
    asked: &'a Asked,
    id: String,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if self.asked.open.lock().remove(&self.id).is_some() {
            let params = json!({ "requestId": self.id, "reason": "nobody waits for it any more" });
            let _ = self.asked.sent.try_send(Sent {
                method: "notifications/cancelled",
                id: None,
                params,
            });
        }
    }
}

impl Asked {
    /// The questions, and what is to be sent for them.
    pub(super) fn new() -> (Arc<Self>, mpsc::Receiver<Sent>) {
        let (sent, sending) = mpsc::channel(SENT);
        let asked = Self {
            open: Mutex::default(),
            sent,
        };
        (Arc::new(asked), sending)
    }

    /// Asks the client. Dropping the future takes the question back.
    pub(super) async fn ask(&self, method: &'static str, params: Value) -> Reply {
        // One client may have several of these: one for each of its requests.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = format!("{ID}{}", NEXT.fetch_add(1, Relaxed));
        let (answer, arrives) = oneshot::channel();
        {
            let mut open = self.open.lock();
            if open.len() >= ASKED_AT_ONCE {
                return Err("the client is being asked too much at once".to_owned());
            }
            open.insert(id.clone(), answer);
        }
        let open = Open { asked: self, id };
        let gone = |_| GONE.to_owned();
        let question = Sent {
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

    /// Tells the client that what it opened an address for is done; whether it hears that.
    fn done(&self, elicitation: &str) -> bool {
        let told = Sent {
            method: "notifications/elicitation/complete",
            id: None,
            params: json!({ "elicitationId": elicitation }),
        };
        self.sent.try_send(told).is_ok()
    }

    /// Hands an answer of the client's to who waits for it; whether anybody does.
    pub(super) fn settle(&self, answer: &Answer) -> bool {
        let Some(waits) = self.open.lock().remove(&answer.id) else {
            return false;
        };
        let _ = waits.send(answer.read());
        true
    }
}

/// An answer of a client's, as it came.
#[derive(Debug)]
pub(super) struct Answer {
    id: String,
    body: Result<Box<RawValue>, Box<RawValue>>,
}

impl Answer {
    /// The answer to a question, if it is one to any of ours.
    pub(super) fn to_ours(
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

/// Whether what this client is asked ends its request.
pub(super) fn ends_requests(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// What a client can answer, as it says.
pub(super) fn abilities(context: &RequestContext<RoleServer>) -> Abilities {
    let mut abilities = Abilities::default();
    let Some(capabilities) = context.client_capabilities() else {
        return abilities;
    };
    if let Some(elicitation) = capabilities.elicitation {
        abilities.url = elicitation.url.is_some();
        // Before there were modes, there were forms.
        abilities.form = elicitation.form.is_some() || !abilities.url;
    }
    if let Some(sampling) = capabilities.sampling {
        abilities.sampling = true;
        abilities.sampling_tools = sampling.tools.is_some();
    }
    abilities
}

/// How a client is asked.
#[derive(Debug, Clone)]
pub(super) enum Way {
    /// By a request to it, at once.
    Request(Arc<Asked>),
    /// By whoever waits for the run: since 2026-07-28, by the answer to a request of the client's.
    Waits(mpsc::Sender<Question>),
}

impl Way {
    async fn ask(&self, method: &'static str, params: Value) -> Reply {
        self.ask_about(method, params, None).await
    }

    /// The same; `about` says which of our own questions to a person it is.
    pub(super) async fn ask_about(
        &self,
        method: &'static str,
        params: Value,
        about: Option<Sealed>,
    ) -> Reply {
        match self {
            Self::Request(asked) => asked.ask(method, params).await,
            Self::Waits(questions) => {
                let (answer, arrives) = oneshot::channel();
                let over = CancellationToken::new();
                let _over = over.clone().drop_guard();
                let question = Question {
                    method,
                    params,
                    about,
                    answer,
                    over,
                };
                questions.send(question).await.map_err(|_| GONE)?;
                arrives.await.map_err(|_| GONE)?
            }
        }
    }
}

/// A client that answers for one run.
#[derive(Debug)]
pub(super) struct ForRun {
    pub(super) way: Way,
    pub(super) abilities: Abilities,
    /// What the client is told of the run's progress, if it wants to be.
    pub(super) told: Option<Told>,
    /// What it is told of what servers log.
    pub(super) lines: Lines,
}

impl Respondent for ForRun {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Reply> {
        let Ask {
            server,
            kind,
            mut params,
            ..
        } = ask;
        let passed_on: &[&str] = match kind {
            AskKind::Sampling => &OF_SAMPLING,
            _ => &OF_ELICITATION,
        };
        params.retain(|name, _| passed_on.contains(&name.as_str()));
        if let (AskKind::Form | AskKind::Url, Some(Value::String(message))) =
            (kind, params.get_mut("message"))
        {
            // Who reads it should know that it is not this program that wants to know.
            *message = format!("{server} asks: {message}");
        }
        let params = Value::Object(params);
        self.way.ask(kind.method(), params).boxed()
    }

    fn follows_progress(&self) -> bool {
        self.told.is_some()
    }

    fn log_level(&self) -> Option<LogLevel> {
        self.lines.level()
    }

    fn hear(&self, notice: Notice) -> bool {
        match notice {
            Notice::Progress { .. } => {
                let told = self.told.as_ref();
                told.inspect(|told| told.hear(&notice)).is_some()
            }
            Notice::Log { server, params } => self.lines.hear(&server, params),
            Notice::Done { elicitation, .. } => match &self.way {
                Way::Request(asked) => asked.done(&elicitation),
                // Since 2026-07-28, clients are not told.
                Way::Waits(_) => false,
            },
            _ => false,
        }
    }
}
