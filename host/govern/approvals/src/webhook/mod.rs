//! An operator's system gets questions, and may answer: messages signed as Standard Webhooks has
//! it, with retries, so that chats and tickets can be joined.
//!
//! - `signature`: how messages are signed, and looked at

mod signature;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

pub use signature::{Secret, SecretError};

use crate::answer::{Answer, AnswerRecord, AnswerSource, Answerer, PersonAnswer};
use crate::arguments::name;
use crate::channel::Channel;
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::names::{Name, Part};
use crate::page::Page;
use crate::question::{Caller, ProposedCall, Question, QuestionView};
use crate::store::{State, Store};
use crate::time;

/// How long after one another a message is sent, until it arrives: a few hours in all.
const WAITS: [Duration; 9] = [
    Duration::ZERO,
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_mins(2),
    Duration::from_mins(10),
    Duration::from_mins(30),
    Duration::from_hours(1),
    Duration::from_hours(2),
    Duration::from_hours(5),
];
/// How many messages are on their way at once.
const AT_ONCE: usize = 8;
/// How large an answer may be, in bytes.
const ANSWER_BYTES: usize = 64 << 10;

/// How many arguments of a call are in a message, and how much of each, in bytes. What is left out
/// is named.
const ARGUMENTS: usize = 16;
const ARGUMENT_BYTES: usize = 500;

/// A message, ready to be sent by `POST`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Where to.
    pub url: String,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
    /// What is sent: JSON.
    pub body: Vec<u8>,
}

/// Sends messages by HTTP. An implementation keeps to the operator's rules about where may be sent
/// to, follows no redirects, and gives up after some seconds.
pub trait Post: fmt::Debug + Send + Sync + 'static {
    /// Sends one, and tells the status of the response.
    ///
    /// # Errors
    ///
    /// A sentence for the log: why there is no response.
    fn post(&self, delivery: Delivery) -> BoxFuture<'_, Result<u16, String>>;
}

/// An operator's system that gets questions. Clones are the same.
#[derive(Debug, Clone)]
pub struct Webhook(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    store: Store,
    url: String,
    secrets: Vec<Secret>,
    answers: Option<Secret>,
    page: Option<Page>,
    post: Arc<dyn Post>,
    places: Semaphore,
}

impl Webhook {
    /// Sends to an address, signed with each of the secrets: of two, while one is replaced. With a
    /// `page`, messages have an address of it.
    pub fn new(
        store: &Store,
        url: &str,
        secrets: Vec<Secret>,
        page: Option<Page>,
        post: Arc<dyn Post>,
    ) -> Self {
        Self(Arc::new(Shared {
            store: store.clone(),
            url: url.to_owned(),
            secrets,
            answers: None,
            page,
            post,
            places: Semaphore::new(AT_ONCE),
        }))
    }

    /// Takes answers that are signed with this secret, which should be another one: a system that
    /// only gets questions of questions can't answer them then.
    #[must_use]
    pub fn answered_with(self, secret: Secret) -> Self {
        let of = &*self.0;
        Self(Arc::new(Shared {
            store: of.store.clone(),
            url: of.url.clone(),
            secrets: of.secrets.clone(),
            answers: Some(secret),
            page: of.page.clone(),
            post: Arc::clone(&of.post),
            places: Semaphore::new(AT_ONCE),
        }))
    }

    /// Sends what was not delivered before this process was started. Must be called within a Tokio
    /// runtime.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`].
    pub fn resume(&self) -> Result<(), QuestionError> {
        for listed in self.0.store.list()?.into_iter().flatten() {
            if listed.state == State::Open && !self.0.is_delivered(&listed.question) {
                self.asked(&Arc::new(listed.question));
            }
        }
        Ok(())
    }

    /// Takes an answer that came back: the headers of a request, and its whole body. It reads and
    /// writes files.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Refused`]: it is not signed as it must be, or no answer; as for
    /// [`Store::answer`].
    pub fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Result<AnswerRecord, QuestionError> {
        let secret = self.0.answers.as_ref();
        let secret = secret.ok_or(QuestionError::Refused("this server takes no answers"))?;
        if body.len() > ANSWER_BYTES {
            return Err(QuestionError::Refused("the message is too large"));
        }
        secret.verify(headers, body, self.0.store.now())?;
        let message: Message = serde_json::from_slice(body).map_err(|_| {
            QuestionError::Refused("the message is not an answer: see docs/guides/approvals.md")
        })?;
        let Message::Answered(answered) = message;
        let by = Answerer::new(&answered.by, AnswerSource::Webhook);
        let given = PersonAnswer {
            seen: answered.seen,
            answer: answered.answer,
            only: answered.only,
        };
        self.0.store.answer(answered.question, given, by)
    }
}

/// What comes back.
#[derive(Deserialize)]
#[serde(tag = "type", content = "data")]
enum Message {
    #[serde(rename = "approval.answered")]
    Answered(AnsweredBy),
}

#[derive(Deserialize)]
struct AnsweredBy {
    question: QuestionId,
    seen: QuestionView,
    #[serde(flatten)]
    answer: Answer,
    #[serde(default)]
    only: Option<Vec<u32>>,
    by: String,
}

impl Channel for Webhook {
    fn reaches(&self, _: &Caller) -> bool {
        true
    }

    fn asked(&self, question: &Arc<Question>) {
        let (shared, question) = (Arc::clone(&self.0), Arc::clone(question));
        tokio::spawn(async move { shared.deliver(&question).await });
    }
}

impl Shared {
    fn marker(question: &Question) -> Name {
        let part = Part::Delivered(question.calls.len());
        Name::new(&question.caller.run, question.id, part)
    }

    fn is_delivered(&self, question: &Question) -> bool {
        let name = Self::marker(question).to_string();
        self.store.0.folder.metadata(&name).is_ok()
    }

    /// Sends it until it arrives, or is not needed any more.
    async fn deliver(&self, question: &Question) {
        let id = question.id.short();
        let body = match self.body(question) {
            Ok(body) => body,
            Err(problem) => {
                tracing::warn!(question = id, %problem, "a webhook can't be notified of a question");
                return;
            }
        };
        for wait in WAITS {
            tokio::time::sleep(somewhat(wait)).await;
            let Ok(_place) = self.places.acquire().await else {
                return;
            };
            if !self.is_wanted(question).await {
                return;
            }
            match self.post.post(self.delivery(question, &body)).await {
                Ok(200..=299) => {
                    if let Err(problem) = self.store.once(&Self::marker(question)) {
                        tracing::warn!(question = id, %problem, "the webhook may get a message twice");
                    }
                    return;
                }
                Ok(410) => {
                    tracing::warn!(question = id, "a webhook takes no more questions (410)");
                    return;
                }
                Ok(status) => {
                    tracing::info!(question = id, status, "a webhook refused a question");
                }
                Err(why) => {
                    let why = crate::arguments::bounded(&why, 500);
                    tracing::info!(question = id, why, "a webhook was not reached");
                }
            }
        }
        tracing::warn!(
            question = id,
            "a webhook was not notified of a question; it is open elsewhere"
        );
    }

    /// Whether the question is open, and this is what it is.
    async fn is_wanted(&self, question: &Question) -> bool {
        let (store, id) = (self.store.clone(), question.id);
        let listed = spawn_blocking(move || store.get(id)).await;
        let listed = listed.ok().and_then(Result::ok);
        listed.is_some_and(|listed| {
            listed.state == State::Open && listed.question.calls.len() == question.calls.len()
        })
    }

    /// The message, as it is signed each time that it is sent.
    fn delivery(&self, question: &Question, body: &[u8]) -> Delivery {
        // The same for each attempt: so the receiver recognises a duplicate.
        let id = format!("question_{}_{}", question.id, question.calls.len());
        let now = self.store.now();
        let signatures = self
            .secrets
            .iter()
            .map(|secret| secret.sign(&id, now, body));
        let signatures: Vec<String> = signatures.collect();
        Delivery {
            url: self.url.clone(),
            headers: vec![
                ("content-type", "application/json".to_owned()),
                (signature::ID, id),
                (signature::TIMESTAMP, now.to_string()),
                (signature::SIGNATURE, signatures.join(" ")),
            ],
            body: body.to_vec(),
        }
    }

    fn body(&self, question: &Question) -> Result<Vec<u8>, QuestionError> {
        let seen = question.seen_with(question.calls.len(), &self.store.0.keys)?;
        let page = self.page.as_ref().map(|page| page.address(question.id));
        let caller = &question.caller;
        let optional = |of: &Option<String>| of.as_deref().map(name);
        let message = json!({
            "type": "approval.asked",
            "timestamp": time::shown(question.asked_at),
            "data": {
                "question": question.id,
                "kind": question.kind,
                "seen": seen,
                "run": name(&caller.run),
                "principal": optional(&caller.principal),
                "client": optional(&caller.client),
                "toolkit": optional(&caller.toolkit),
                "session": optional(&caller.session),
                "summary": crate::text::summary(question),
                "done": crate::text::done(question),
                "calls": question.calls.iter().map(told).collect::<Vec<_>>(),
                "expires": time::shown(question.expires_at),
                "answers": crate::dialogue::offered(question).into_iter().map(|(name, _)| name).collect::<Vec<_>>(),
                "page": page.transpose()?,
            },
        });
        Ok(message.to_string().into_bytes())
    }
}

/// A call in a message: what is secret is not in it, and neither is much.
fn told(call: &ProposedCall) -> Value {
    let arguments = call.arguments.iter().map(|argument| {
        let (text, rest) = crate::arguments::bounded_with_rest(&argument.text, ARGUMENT_BYTES);
        let left_out = argument.left_out.saturating_add(rest);
        json!({ "name": argument.name, "form": argument.form, "text": text, "left_out": left_out })
    });
    json!({
        "number": call.number,
        "server": name(&call.server),
        "tool": name(&call.tool),
        "line": call.line,
        "policy": name(&call.policy),
        "reason": call.reason,
        "arguments": arguments.take(ARGUMENTS).collect::<Vec<_>>(),
        "more_arguments": call.more_arguments + call.arguments.len().saturating_sub(ARGUMENTS),
    })
}

/// As long, or up to a fifth longer: not all at once after a failure of the other side.
fn somewhat(wait: Duration) -> Duration {
    let part = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
    wait + wait.mul_f64(part * 0.2)
}

#[cfg(test)]
impl Webhook {
    pub(crate) fn is_delivered(&self, question: &Question) -> bool {
        self.0.is_delivered(question)
    }
}
