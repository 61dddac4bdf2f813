//! The questions of a run that its client has not answered yet.

use std::collections::BTreeMap;
use std::future::pending;

use ampoule_approvals::{QuestionId, SealedQuestion};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// How many questions arrive at once: a server may ask several things before it goes on.
const ARRIVING: usize = 16;

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
    /// The approval question that it is, if it is one.
    pub(crate) about: Option<SealedQuestion>,
    pub(crate) answer: oneshot::Sender<Reply>,
    /// Cancelled when the answer is not needed any more.
    pub(crate) over: CancellationToken,
}

/// All questions of a run.
pub(crate) struct Questions {
    arriving: mpsc::Receiver<Question>,
    form: RequestForm,
    /// The questions to the client, by their names.
    open: BTreeMap<String, OpenQuestion>,
    asked: u64,
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
        };
        (sender, questions)
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
            params: open.request["params"].clone(),
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

    /// Takes the client's answers to all of them.
    pub(crate) fn settle_all(&mut self, mut responses: BTreeMap<String, Value>) {
        for (name, OpenQuestion { answer, .. }) in std::mem::take(&mut self.open) {
            let reply = match responses.remove(&name) {
                Some(Value::Object(response)) => Ok(response),
                Some(_) => Err("the client's answer is not an object".to_owned()),
                None => Err("the client did not answer".to_owned()),
            };
            // The asking side may be gone.
            let _ = answer.send(reply);
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

    fn put(&mut self, question: Question) {
        let Question {
            method,
            params,
            about,
            answer,
            over,
        } = question;
        let request = json!({ "method": method, "params": params });
        match (self.form)(request) {
            Some(request) => {
                self.asked += 1;
                let name = match &about {
                    Some(about) => approval_name(about.question),
                    None => format!("{method} {}", self.asked),
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
