//! Runs between two requests. Since 2026-07-28, servers send no requests: what a run's servers want
//! to know ends the request, and the client's next one goes on with the run.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ampoule::{Cancel, RunId};
use ampoule_approvals::Sealed;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use rmcp::model::{CallToolResult, InputRequest, InputRequiredResult};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::approvals::states;
use super::asked::{Asked, Reply};
use super::operator::Seen;
use super::progress::Progress;
use super::tasks;

/// How many runs wait for their client at once.
const HELD: usize = 16;

/// How long one waits. Its own time stands still meanwhile.
const LONGEST: Duration = Duration::from_mins(10);

/// What a run's servers want to know.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// Of our own, which a person is asked: which one it is.
    pub(super) about: Option<Sealed>,
    pub(super) answer: oneshot::Sender<Reply>,
    /// Cancelled when nobody waits for the answer any more.
    pub(super) over: CancellationToken,
}

/// A run that is under way, and goes on from request to request. Clones are the same run, which
/// ends with the last of them.
#[derive(Clone)]
pub(super) struct UnderWay {
    pub(super) id: RunId,
    /// What its client reads of it, once it is over.
    pub(super) answer: Answer,
    pub(super) cancel: Cancel,
    pub(super) progress: Progress,
    pub(super) seen: Arc<Seen>,
    questions: Arc<tokio::sync::Mutex<Questions>>,
    /// Who asks its client by requests has this.
    asks: Arc<tokio::sync::Mutex<()>>,
}

/// What a client reads of a run, once it is over: for everyone who waits for it.
pub(super) type Answer = Shared<BoxFuture<'static, CallToolResult>>;

/// What a run's servers want to know of its client.
struct Questions {
    arriving: mpsc::Receiver<Question>,
    /// What the client was asked, by the names that it was given.
    open: BTreeMap<String, Open>,
    asked: u64,
}

/// A question that the client has not answered yet.
struct Open {
    method: &'static str,
    request: InputRequest,
    about: Option<Sealed>,
    answer: oneshot::Sender<Reply>,
    over: CancellationToken,
}

/// What comes next of a run.
pub(super) enum Step {
    Ended(CallToolResult),
    /// Its servers want to know something.
    Asks,
    /// It waits for a person whom its client does not ask.
    WaitsForOthers,
    /// Its client has waited for long enough.
    GoesOn,
    /// Its client gave the request up.
    GivenUp,
}

/// For how long a request waits for a run.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    pub(super) until: Option<Instant>,
    /// Whether the client can be asked something by its answer.
    pub(super) can_be_asked: bool,
}

impl UnderWay {
    pub(super) fn new(
        (id, cancel): (RunId, Cancel),
        answer: Answer,
        progress: Progress,
        arriving: mpsc::Receiver<Question>,
        seen: Arc<Seen>,
    ) -> Self {
        let questions = Questions {
            arriving,
            open: BTreeMap::new(),
            asked: 0,
        };
        Self {
            id,
            answer,
            cancel,
            progress,
            seen,
            questions: Arc::new(tokio::sync::Mutex::new(questions)),
            asks: Arc::default(),
        }
    }

    /// The same run, for another request.
    pub(super) fn telling(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// Waits for the run's end, or for what it wants to know.
    pub(super) async fn step(&self, patience: Patience, given_up: &CancellationToken) -> Step {
        let asks = async {
            match patience.can_be_asked {
                true => self.questions.lock().await.any().await,
                false => pending().await,
            }
        };
        let enough = async {
            match patience.until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = self.answer.clone() => Step::Ended(answer),
            () = given_up.cancelled() => Step::GivenUp,
            () = asks => Step::Asks,
            () = enough => Step::GoesOn,
        }
    }

    /// Ends the run, as its client gave it up.
    pub(super) async fn given_up(&self) -> CallToolResult {
        self.cancel.cancel();
        tracing::info!(run = %self.id, "the client gave up its request");
        self.answer.clone().await
    }

    /// Asks the client what the run's servers want to know, by requests, one after the other. Of
    /// several who do so for one run, one asks.
    pub(super) async fn ask(&self, client: &Asked) -> Infallible {
        let _asks = self.asks.lock().await;
        loop {
            let mut questions = self.questions.lock().await;
            questions.any().await;
            let Some((name, open)) = questions.open.first_key_value() else {
                continue;
            };
            let (name, method, over) = (name.clone(), open.method, open.over.clone());
            let mut request = serde_json::to_value(&open.request).unwrap_or_default();
            drop(questions);
            let mut params = request["params"].take();
            params["_meta"][tasks::RELATED] = json!({ "taskId": self.id });
            let asking = client.ask(method, params);
            let Some(reply) = over.run_until_cancelled(asking).await else {
                continue;
            };
            if let Some(open) = self.questions.lock().await.open.remove(&name) {
                // Nobody may wait for it any more.
                let _ = open.answer.send(reply);
            }
        }
    }

    /// Takes the client's answers to what it was asked.
    pub(super) async fn answer(&self, mut responses: BTreeMap<String, Value>) {
        let mut questions = self.questions.lock().await;
        for (name, Open { answer, .. }) in std::mem::take(&mut questions.open) {
            let reply = match responses.remove(&name) {
                Some(Value::Object(response)) => Ok(response),
                Some(_) => Err("the client's answer is not an object".to_owned()),
                None => Err("the client did not answer".to_owned()),
            };
            // Nobody may wait for it any more.
            let _ = answer.send(reply);
        }
    }

    /// What the client has to be asked, if nobody else is about to ask.
    pub(super) fn wants(&self) -> BTreeMap<String, InputRequest> {
        match self.questions.try_lock() {
            Ok(mut questions) => questions.wants(),
            Err(_) => BTreeMap::new(),
        }
    }

    /// Which of our own questions to a person is among those that the client has to be asked.
    fn asks_about(&self) -> Option<Sealed> {
        let questions = self.questions.try_lock().ok()?;
        questions.open.values().find_map(|open| open.about)
    }

    /// Nobody is going to answer this: all of it, or what is none of our own questions to a person,
    /// which stay open.
    fn refuse(&self, why: &str, all: bool) {
        let Ok(mut questions) = self.questions.try_lock() else {
            return;
        };
        let refused = |_: &String, open: &mut Open| all || open.about.is_none();
        for (_, Open { answer, .. }) in questions.open.extract_if(.., refused) {
            let _ = answer.send(Err(why.to_owned()));
        }
    }
}

impl Questions {
    /// Waits until there is something to ask.
    async fn any(&mut self) {
        self.take_back();
        while self.open.is_empty() {
            match self.arriving.recv().await {
                Some(question) => self.put(question),
                // The run is about to be over.
                None => pending().await,
            }
        }
    }

    /// All that the client has to be asked.
    fn wants(&mut self) -> BTreeMap<String, InputRequest> {
        while let Ok(question) = self.arriving.try_recv() {
            self.put(question);
        }
        self.take_back();
        let open = self.open.iter();
        open.map(|(name, open)| (name.clone(), open.request.clone()))
            .collect()
    }

    /// Questions whose answer nobody waits for any more are none.
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
        match serde_json::from_value::<InputRequest>(request) {
            Ok(request) => {
                self.asked += 1;
                let name = match &about {
                    Some(about) => states::name(about.question),
                    None => format!("{method} {}", self.asked),
                };
                let open = Open {
                    method,
                    request,
                    about,
                    answer,
                    over,
                };
                self.open.insert(name, open);
            }
            Err(_) => {
                let _ = answer.send(Err("the request is not as the protocol has it".to_owned()));
            }
        }
    }
}

/// The runs that wait for their client.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    runs: HashMap<String, OfState>,
    last: u64,
}

/// A run that waits under a state.
struct OfState {
    run: UnderWay,
    /// The state is sealed: it has to be opened.
    is_sealed: bool,
}

impl Held {
    /// Holds a run that wants to know something: what the client is answered. It comes back where
    /// it goes on without. Where it is a person who has to allow something, the client keeps a state
    /// that is sealed.
    pub(super) fn hold(
        &self,
        run: UnderWay,
        seal: impl FnOnce(&Sealed) -> Option<String>,
    ) -> Result<InputRequiredResult, Box<UnderWay>> {
        let mut held = self.0.lock();
        if held.runs.len() >= HELD {
            // What it asks is found by looking.
            run.wants();
            let why = format!("{HELD} runs wait for the client already");
            run.refuse(&why, true);
            return Err(Box::new(run));
        }
        let requests = run.wants();
        if requests.is_empty() {
            return Err(Box::new(run));
        }
        held.last += 1;
        let sealed = run.asks_about().and_then(|about| seal(&about));
        let is_sealed = sealed.is_some();
        let state = sealed.unwrap_or_else(|| format!("{}-{}", run.id, held.last));
        let unheard = run.progress.unheard();
        let of_state = OfState {
            run: run.telling(unheard),
            is_sealed,
        };
        held.runs.insert(state.clone(), of_state);
        drop(held);
        let (waiting, over) = (Arc::downgrade(&self.0), state.clone());
        tokio::spawn(async move {
            tokio::time::sleep(LONGEST).await;
            let held = waiting.upgrade();
            if let Some(OfState { run, .. }) = held.and_then(|held| held.lock().runs.remove(&over))
            {
                run.refuse("the client did not answer", false);
                tracing::info!(run = %run.id, "the client of a run did not answer");
            }
        });
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Whether any wait.
    pub(super) fn are_none(&self) -> bool {
        self.0.lock().runs.is_empty()
    }

    /// Whether a run waits under this state, which is not sealed.
    pub(super) fn is_plain(&self, state: &str) -> bool {
        let held = self.0.lock();
        held.runs.get(state).is_some_and(|of| !of.is_sealed)
    }

    /// The run that waits under this state.
    pub(super) fn take(&self, state: &str) -> Option<UnderWay> {
        self.0.lock().runs.remove(state).map(|of| of.run)
    }
}
