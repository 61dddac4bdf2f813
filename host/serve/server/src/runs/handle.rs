//! A run that is under way, and goes on from request to request. Since 2026-07-28, servers send no
//! requests: what a run's servers want to know ends the request, and the client's next one goes on
//! with the run.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;

use ampoule::RunId;
use ampoule_approvals::SealedQuestion;
use futures::future::{BoxFuture, Shared};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answer::Answer;
use super::asking::link::ClientLink;
use super::asking::question::{NextQuestion, Questions};
use super::lines::Lines;
use super::progress::Progress;
use super::registry::RunRecord;
use crate::content::blocks::Content;
use crate::content::cut::{self, Room};

/// Where a message says which run it is about.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// A run that is under way or over. Clones are the same run, which ends with the last of them.
#[derive(Clone)]
pub(crate) struct RunHandle {
    /// What it is: who cancels it, does so there.
    pub(crate) record: Arc<RunRecord>,
    /// What its client reads of it, once it is over.
    pub(crate) answer: SharedAnswer,
    pub(crate) progress: Progress,
    /// What servers log for it.
    pub(crate) lines: Lines,
    questions: Arc<tokio::sync::Mutex<Questions>>,
    /// Who asks its client by requests has this.
    asks: Arc<tokio::sync::Mutex<()>>,
}

/// What a client reads of a run, once it is over: for everyone who waits for it.
pub(crate) type SharedAnswer = Shared<BoxFuture<'static, Answer>>;

/// What comes next of a run.
pub(crate) enum Step {
    Ended(Answer),
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
pub(crate) struct Patience {
    pub(crate) until: Option<Instant>,
    /// Whether the client can be asked something by its answer.
    pub(crate) can_be_asked: bool,
}

impl RunHandle {
    pub(super) fn new(
        record: Arc<RunRecord>,
        answer: SharedAnswer,
        progress: Progress,
        lines: Lines,
        questions: Questions,
    ) -> Self {
        Self {
            record,
            answer,
            progress,
            lines,
            questions: Arc::new(tokio::sync::Mutex::new(questions)),
            asks: Arc::default(),
        }
    }

    pub(crate) fn id(&self) -> RunId {
        self.record.id
    }

    /// Ends the run. Its answer says how far it came.
    pub(crate) fn cancel(&self) {
        self.record.cancel.cancel();
    }

    /// Waits for the run's end, or for what it wants to know.
    pub(crate) async fn step(&self, patience: Patience, given_up: &CancellationToken) -> Step {
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
    pub(crate) async fn given_up(&self) -> Answer {
        self.cancel();
        tracing::info!(run = %self.id(), "the client gave up its request");
        self.answer.clone().await
    }

    /// Asks the client what the run's servers want to know, by requests, one after the other. Of
    /// several who do so for one run, one asks.
    pub(crate) async fn ask(&self, client: &ClientLink) -> Infallible {
        let _asks = self.asks.lock().await;
        loop {
            let mut questions = self.questions.lock().await;
            questions.any().await;
            let Some(NextQuestion {
                name,
                method,
                mut params,
                over,
            }) = questions.next()
            else {
                continue;
            };
            drop(questions);
            params["_meta"][RELATED_TASK] = json!({ "taskId": self.id() });
            let asking = client.ask(method, params);
            let Some(reply) = over.run_until_cancelled(asking).await else {
                continue;
            };
            self.questions.lock().await.settle(&name, reply);
        }
    }

    /// Takes the client's answers to what it was asked.
    pub(crate) async fn take_answers(&self, responses: BTreeMap<String, Value>) {
        self.questions.lock().await.settle_all(responses);
    }

    /// What the client has to be asked, if nobody else is about to ask.
    pub(crate) fn wants(&self) -> BTreeMap<String, Value> {
        match self.questions.try_lock() {
            Ok(mut questions) => questions.wants(),
            Err(_) => BTreeMap::new(),
        }
    }

    /// Which of our own questions to a person is among those that the client has to be asked.
    pub(super) fn asks_about(&self) -> Option<SealedQuestion> {
        self.questions.try_lock().ok()?.about()
    }

    /// Nobody is going to answer this: all of it, or what is none of our own questions to a person,
    /// which stay open.
    pub(super) fn refuse(&self, why: &str, all: bool) {
        if let Ok(mut questions) = self.questions.try_lock() {
            questions.refuse(why, all);
        }
    }

    /// What is said of a run that goes on.
    pub(crate) fn so_far(&self) -> Answer {
        /// How many tokens of what it printed are shown.
        const TOKENS: usize = 1000;
        let id = self.id().short();
        let mut text = format!(
            "Run {id} goes on ({}). To wait for it: {{\"run\":\"{id}\"}}, with \"cancel\":true to end it.",
            self.progress.message()
        );
        if self.progress.approval.what().is_some() {
            text += " Only a person can allow what it waits for: tell yours; nothing that you call does it.";
        }
        let printed = self.record.printed();
        if !printed.text.is_empty() {
            let room = Room {
                bytes: usize::MAX,
                tokens: TOKENS,
            };
            text += match printed.is_whole {
                true => " It has printed so far:\n",
                false => " It has printed, last:\n",
            };
            text += &cut::text(&printed.text, room);
        }
        Answer::success(vec![Content::text(text)])
    }
}
