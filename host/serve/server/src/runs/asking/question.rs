//! The questions of a run that its client has not answered yet.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;

use ampoule_approvals::{QuestionId, SealedQuestion};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// How many questions arrive at once: a server may ask several things before it goes on.
const ARRIVING: usize = 16;

/// How long a server's name for a question may be, in bytes. Longer ones are not used.
const MAX_NAME_BYTES: usize = 64;

/// Why a client that has gone gives no answer.
pub(crate) const GONE: &str = "the client went away";

/// A client's answer: a result, or why it is missing.
pub(crate) type Reply = Result<Map<String, Value>, String>;

/// A request in terms of the protocol, with its `method` and `params`; none if the protocol lacks
/// it.
pub(crate) type RequestForm = fn(Value) -> Option<Value>;

/// A question of a run's server.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) method: &'static str,
    pub(crate) params: Value,
    pub(crate) asked_as: AskedAs,
    pub(crate) answer: oneshot::Sender<Reply>,
    /// Cancelled when the answer is not needed any more.
    pub(crate) over: CancellationToken,
}

/// As what something is asked.
#[derive(Debug)]
pub(crate) enum AskedAs {
    /// As this approval question.
    Approval(SealedQuestion),
    /// By the name that its server has for it, if there is one.
    Named(Option<String>),
}

/// All questions of a run.
pub(crate) struct Questions {
    arriving: mpsc::Receiver<Question>,
    form: RequestForm,
    /// The questions to the client, by their names.
    open: BTreeMap<String, OpenQuestion>,
    asked: u64,
    /// The names of servers that were used: a name stands for one question.
    used: BTreeSet<String>,
    /// What the client answered before it was asked, by the names of servers.
    given: BTreeMap<String, Value>,
}

/// A question that the client has not answered yet.
struct OpenQuestion {
    method: &'static str,
    /// As the protocol has it.
    request: Value,
    about: Option<SealedQuestion>,
    answer: oneshot::Sender<Reply>,
    over: CancellationToken,
}

/// A question, for a client that is asked by a request.
pub(crate) struct NextQuestion {
    pub(crate) name: String,
    pub(crate) method: &'static str,
    pub(crate) params: Value,
    /// Cancelled when the answer is not needed any more.
    pub(crate) over: CancellationToken,
}

impl Questions {
    /// The stream of a run's questions, and its source.
    pub(crate) fn channel(form: RequestForm) -> (mpsc::Sender<Question>, Self) {
        let (sender, arriving) = mpsc::channel(ARRIVING);
        let questions = Self {
            arriving,
            form,
            open: BTreeMap::new(),
            asked: 0,
            used: BTreeSet::new(),
            given: BTreeMap::new(),
        };
        (sender, questions)
    }

    /// The client sent answers with its call, before it was asked.
    pub(crate) fn give(&mut self, responses: BTreeMap<String, Value>) {
        self.given = responses;
    }

    /// Waits until there is something to ask.
    pub(crate) async fn any(&mut self) {
        self.take_back();
        while self.open.is_empty() {
            match self.arriving.recv().await {
                Some(question) => self.put(question),
                // The run is about to be over.
                None => pending().await,
            }
        }
    }

    /// The first of them.
    pub(crate) fn next(&self) -> Option<NextQuestion> {
        let (name, open) = self.open.first_key_value()?;
        Some(NextQuestion {
            name: name.clone(),
            method: open.method,
            params: match open.request.get("params") {
                Some(params) => params.clone(),
                // The request has none.
                None => json!({}),
            },
            over: open.over.clone(),
        })
    }

    /// All open questions to the client, by their names.
    pub(crate) fn wants(&mut self) -> BTreeMap<String, Value> {
        while let Ok(question) = self.arriving.try_recv() {
            self.put(question);
        }
        self.take_back();
        let open = self.open.iter();
        open.map(|(name, open)| (name.clone(), open.request.clone()))
            .collect()
    }

    /// The approval question among them, if any.
    pub(crate) fn about(&self) -> Option<SealedQuestion> {
        self.open.values().find_map(|open| open.about)
    }

    /// Takes the client's answer to one of them.
    pub(crate) fn settle(&mut self, name: &str, reply: Reply) {
        if let Some(open) = self.open.remove(name) {
            // The asking side may be gone.
            let _ = open.answer.send(reply);
        }
    }

    /// Takes the client's answers, by name. What they are not about stays open, and answers to
    /// unknown questions are left out.
    pub(crate) fn settle_some(&mut self, responses: BTreeMap<String, Value>) {
        for (name, response) in responses {
            let reply = match response {
                Value::Object(response) => Ok(response),
                _ => Err("the client's answer is not an object".to_owned()),
            };
            self.settle(&name, reply);
        }
    }

    /// The client does not answer approvals that are still open, or not any question.
    pub(crate) fn close(&mut self, all: bool) {
        let closed = |_: &String, open: &mut OpenQuestion| all || open.about.is_some();
        for (_, OpenQuestion { answer, .. }) in self.open.extract_if(.., closed) {
            let _ = answer.send(Err("the client did not answer".to_owned()));
        }
    }

    /// Refuses questions: all of them, or all but approvals, which stay open.
    pub(crate) fn refuse(&mut self, why: &str, all: bool) {
        let refused = |_: &String, open: &mut OpenQuestion| all || open.about.is_none();
        for (_, OpenQuestion { answer, .. }) in self.open.extract_if(.., refused) {
            let _ = answer.send(Err(why.to_owned()));
        }
    }

    /// Questions whose answer is not needed any more do not count.
    fn take_back(&mut self) {
        self.open.retain(|_, open| !open.over.is_cancelled());
    }

    /// Whether a server's name for a question can be its name for the client, which is then used.
    fn is_new(&mut self, name: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let fits = (1..=MAX_NAME_BYTES).contains(&name.len()) && name.chars().all(is_plain);
        fits && self.used.insert(name.to_owned())
    }

    fn put(&mut self, question: Question) {
        let Question {
            method,
            params,
            asked_as,
            answer,
            over,
        } = question;
        let request = json!({ "method": method, "params": params });
        match (self.form)(request) {
            Some(request) => {
                self.asked += 1;
                let (name, about) = match asked_as {
                    AskedAs::Approval(about) => (approval_name(about.question), Some(about)),
                    AskedAs::Named(name) => match name.filter(|name| self.is_new(name)) {
                        Some(name) => {
                            if let Some(Value::Object(given)) = self.given.remove(&name) {
                                let _ = answer.send(Ok(given));
                                return;
                            }
                            (name, None)
                        }
                        None => (format!("{method} {}", self.asked), None),
                    },
                };
                let open = OpenQuestion {
                    method,
                    request,
                    about,
                    answer,
                    over,
                };
                self.open.insert(name, open);
            }
            None => {
                let _ = answer.send(Err("the request does not follow the protocol".to_owned()));
            }
        }
    }
}

/// The name of an approval question among all questions to a client.
pub(crate) fn approval_name(question: QuestionId) -> String {
    format!("approval {question}")
}
