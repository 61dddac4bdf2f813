//! An active run, which continues from request to request. Since 2026-07-28, servers send no
//! requests: a question of a run's server ends the request, and the client's next request continues
//! the run.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ampoule::RunId;
use ampoule_approvals::SealedQuestion;
use futures::future::{BoxFuture, Shared};
use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answer::Answer;
use super::asking::link::ClientLink;
use super::asking::question::{NextQuestion, Questions};
use super::call_notes::CallNotes;
use super::lines::Lines;
use super::progress::Progress;
use super::registry::RunRecord;
use crate::content::blocks::Content;
use crate::content::cut::{self, Room};

/// How long the questions that come with a first one are waited for: a server may ask several
/// things at once, and the client answers them in one request.
const TOGETHER: Duration = Duration::from_millis(10);

/// Where a message says which run it is about.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// A run that is active or over. Clones are the same run, which ends with the last of them.
#[derive(Clone)]
pub(crate) struct RunHandle {
    /// Its entry in the registry, where it is cancelled.
    pub(crate) record: Arc<RunRecord>,
    /// What its client reads of it, once it is over.
    pub(crate) answer: SharedAnswer,
    pub(crate) progress: Progress,
    /// What servers log for it.
    pub(crate) lines: Lines,
    /// What servers report about its one call.
    pub(crate) notes: CallNotes,
    questions: Arc<tokio::sync::Mutex<Questions>>,
    /// Held while its client is asked by requests.
    asks: Arc<tokio::sync::Mutex<()>>,
}

/// What a client reads of a run, once it is over: for everyone who waits for it.
pub(crate) type SharedAnswer = Shared<BoxFuture<'static, Answer>>;

/// What an active run reports.
pub(crate) struct RunReports {
    pub(crate) progress: Progress,
    pub(crate) lines: Lines,
    pub(crate) notes: CallNotes,
}

/// What comes next of a run.
pub(crate) enum Step {
    Ended(Answer),
    /// Its servers have a question.
    Asks,
    /// It waits for a person whom its client does not ask.
    WaitsForOthers,
    /// Its client has waited for long enough.
    GoesOn,
    /// Its client cancelled the request.
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
        reports: RunReports,
        questions: Questions,
    ) -> Self {
        let RunReports {
            progress,
            lines,
            notes,
        } = reports;
        Self {
            record,
            answer,
            progress,
            lines,
            notes,
            questions: Arc::new(tokio::sync::Mutex::new(questions)),
            asks: Arc::default(),
        }
    }

    pub(crate) fn id(&self) -> RunId {
        self.record.id
    }

    /// Ends the run. Its answer has the output so far.
    pub(crate) fn cancel(&self) {
        self.record.cancel.cancel();
    }

    /// Waits for the run's end, or for its questions.
    pub(crate) async fn step(&self, patience: Patience, given_up: &CancellationToken) -> Step {
        let asks = async {
            match patience.can_be_asked {
                true => self.questions.lock().await.any().await,
                false => pending().await,
            }
            tokio::time::sleep(TOGETHER).await;
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

    /// Waits until the server of the run's one call has made a task of it.
    pub(crate) async fn becomes_task(&self) {
        self.notes.task().await;
    }

    /// Ends the run, as its client cancelled the request.
    pub(crate) async fn given_up(&self) -> Answer {
        self.cancel();
        tracing::info!(run = %self.id(), "the client cancelled its request");
        self.answer.clone().await
    }

    /// Sends the questions of the run's servers to the client, by requests, one after the other. If
    /// several requests wait for one run, one of them asks.
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

    /// Takes the answers with which the client comes back. What they leave open is asked again, but
    /// for approvals: a person closed those. Without any answer, all is closed.
    pub(crate) async fn take_answers(&self, responses: BTreeMap<String, Value>) {
        let mut questions = self.questions.lock().await;
        let all = responses.is_empty();
        questions.settle_some(responses);
        questions.close(all);
    }

    /// Takes answers to some of the questions. The others stay open.
    pub(crate) async fn take_some_answers(&self, responses: BTreeMap<String, Value>) {
        self.questions.lock().await.settle_some(responses);
    }

    /// The questions to the client, if no other request is about to ask them.
    pub(crate) fn wants(&self) -> BTreeMap<String, Value> {
        match self.questions.try_lock() {
            Ok(mut questions) => questions.wants(),
            Err(_) => BTreeMap::new(),
        }
    }

    /// The approval question among the questions to the client, if any.
    pub(super) fn asks_about(&self) -> Option<SealedQuestion> {
        self.questions.try_lock().ok()?.about()
    }

    /// Refuses questions: all of them, or all but approvals, which stay open.
    pub(super) fn refuse(&self, why: &str, all: bool) {
        if let Ok(mut questions) = self.questions.try_lock() {
            questions.refuse(why, all);
        }
    }

    /// The answer for a run that continues.
    pub(crate) fn so_far(&self) -> Answer {
        /// How many tokens of what it printed are shown.
        const TOKENS: usize = 1000;
        let id = self.id().short();
        let is_call = self.record.is_call();
        let by = match is_call {
            // Its client called another tool.
            true => "execute_code with ",
            false => "",
        };
        let mut text = format!(
            "Run {id} continues ({}). To wait for it: {by}{{\"run\":\"{id}\"}}, with \"cancel\":true to end it.",
            self.progress.message()
        );
        if self.progress.approval.what().is_some() {
            text += " It waits for a person's approval: tell your user; no tool can give it.";
            if is_call {
                text += " The call is made as soon as it is approved. If this server stops before, it is not made, and has to be sent again.";
            }
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
