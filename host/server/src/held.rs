//! Runs between two requests. Since 2026-07-28, servers send no requests: what a run's servers want
//! to know ends the request, and the client's next one goes on with the run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use ampoule::{Cancel, Error, Outcome, RunId};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rmcp::model::{InputRequest, InputRequiredResult};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::asked::Reply;
use super::format::Format;
use super::progress::Progress;
use super::report::Ran;

/// How many runs wait for their client at once.
const HELD: usize = 16;

/// How long one waits. Its own time stands still meanwhile.
const LONGEST: Duration = Duration::from_mins(10);

/// What a run's servers want to know.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) method: &'static str,
    pub(super) params: Value,
    pub(super) answer: oneshot::Sender<Reply>,
}

/// A run that is under way, and goes on from request to request.
pub(super) struct UnderWay {
    pub(super) id: RunId,
    pub(super) outcome: BoxFuture<'static, Result<Outcome, Error>>,
    pub(super) cancel: Cancel,
    pub(super) ran: Ran,
    pub(super) format: Format,
    pub(super) progress: Progress,
    pub(super) questions: mpsc::Receiver<Question>,
    /// What the client was asked, by the names that it was given.
    open: BTreeMap<String, oneshot::Sender<Reply>>,
    asked: u64,
}

/// What comes next of a run.
pub(super) enum Step {
    Ended(Result<Outcome, Error>),
    Asks(Question),
}

impl UnderWay {
    pub(super) fn new(
        (id, cancel): (RunId, Cancel),
        outcome: BoxFuture<'static, Result<Outcome, Error>>,
        (ran, format): (Ran, Format),
        progress: Progress,
        questions: mpsc::Receiver<Question>,
    ) -> Self {
        Self {
            id,
            outcome,
            cancel,
            ran,
            format,
            progress,
            questions,
            open: BTreeMap::new(),
            asked: 0,
        }
    }

    /// Waits for the run's end, or for what it wants to know. Where the client gives the request
    /// up, the run is cancelled, and its outcome says so.
    pub(super) async fn step(&mut self, given_up: &CancellationToken) -> Step {
        tokio::select! {
            biased;
            outcome = &mut self.outcome => Step::Ended(outcome),
            () = given_up.cancelled() => {
                self.cancel.cancel();
                let outcome = (&mut self.outcome).await;
                if let Ok(outcome) = &outcome {
                    let (fuel, calls) = (outcome.usage.fuel, outcome.usage.calls.len());
                    tracing::info!(
                        ending = outcome.ending.name(),
                        fuel,
                        calls,
                        "the client gave up its request"
                    );
                }
                Step::Ended(outcome)
            }
            Some(question) = self.questions.recv() => Step::Asks(question),
        }
    }

    /// Takes the client's answers to what it was asked.
    pub(super) fn answer(&mut self, mut responses: BTreeMap<String, Value>) {
        for (name, answer) in std::mem::take(&mut self.open) {
            let reply = match responses.remove(&name) {
                Some(Value::Object(response)) => Ok(response),
                Some(_) => Err("the client's answer is not an object".to_owned()),
                None => Err("the client did not answer".to_owned()),
            };
            // Nobody may wait for it any more.
            let _ = answer.send(reply);
        }
    }

    /// This question, and those that have come with it, for the client; none where none of them can
    /// be asked.
    fn wants(&mut self, first: Question) -> BTreeMap<String, InputRequest> {
        let mut requests = BTreeMap::new();
        let mut next = Some(first);
        while let Some(question) = next {
            let Question {
                method,
                params,
                answer,
            } = question;
            let request = json!({ "method": method, "params": params });
            match serde_json::from_value::<InputRequest>(request) {
                Ok(request) => {
                    self.asked += 1;
                    let name = format!("{method} {}", self.asked);
                    requests.insert(name.clone(), request);
                    self.open.insert(name, answer);
                }
                Err(_) => {
                    let _ =
                        answer.send(Err("the request is not as the protocol has it".to_owned()));
                }
            }
            next = self.questions.try_recv().ok();
        }
        requests
    }
}

/// The runs that wait for their client.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<Mutex<HashMap<String, UnderWay>>>);

impl Held {
    /// Holds a run that wants to know something: what the client is answered. It comes back where
    /// it goes on without.
    pub(super) fn hold(
        &self,
        mut run: UnderWay,
        question: Question,
    ) -> Result<InputRequiredResult, Box<UnderWay>> {
        let mut held = self.0.lock();
        if held.len() >= HELD {
            let why = format!("{HELD} runs wait for the client already");
            let _ = question.answer.send(Err(why));
            return Err(Box::new(run));
        }
        let requests = run.wants(question);
        if requests.is_empty() {
            return Err(Box::new(run));
        }
        let state = format!("{}-{}", run.id, run.asked);
        held.insert(state.clone(), run);
        drop(held);
        let (waiting, over) = (Arc::downgrade(&self.0), state.clone());
        tokio::spawn(async move {
            tokio::time::sleep(LONGEST).await;
            let given_up = waiting.upgrade().and_then(|held| held.lock().remove(&over));
            if given_up.is_some() {
                tracing::info!("a run whose client did not answer was ended");
            }
        });
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// The run that waits under this name.
    pub(super) fn take(&self, state: &str) -> Option<UnderWay> {
        self.0.lock().remove(state)
    }
}
