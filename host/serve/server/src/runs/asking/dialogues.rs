//! Approvals in the dialogues of the runs' clients.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use ampoule::RunId;
use ampoule_approvals::{
    Answer, AnswerSource, Answerer, Approvals, Caller, Channel, PersonAnswer, Question,
    QuestionError, QuestionId, QuestionView, SealedQuestion, Store, dialogue,
};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::link::ClientLink;
use super::question::{GONE, Reply};
use super::run_client::RunClient;
use crate::runs::requester::Requester;

/// The script's error if the client's person closed the question, and nobody else can be asked.
const CLOSED: &str = "the question was closed without an answer; call again to ask again";

/// Asks people in the dialogues of the runs' clients: by MCP's elicitation, in both of its forms.
/// Clones are the same.
///
/// A client that can't show forms is not reached. A client whose person closes the question is not
/// asked again about that run, until the client waits for the run anew. If nobody else can be
/// asked, the calls are denied then.
#[derive(Clone)]
pub struct Dialogues(Arc<Shared>);

struct Shared {
    store: Store,
    /// Active runs, as they display.
    runs: Mutex<HashMap<String, Arc<RunClient>>>,
    open: Mutex<OpenDialogues>,
    asking: OnceLock<Box<dyn Fn() -> Option<Approvals> + Send + Sync>>,
}

/// The questions that clients have not answered.
#[derive(Default)]
struct OpenDialogues {
    questions: HashMap<QuestionId, Dialogue>,
    last: u64,
}

struct Dialogue {
    number: u64,
    run: String,
    /// Cancelled when the answer is no longer needed.
    over: CancellationToken,
}

/// A run whose client can be asked, as long as this is there.
pub(crate) struct Registration {
    dialogues: Dialogues,
    run: RunId,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.dialogues.remove(self.run);
    }
}

impl Dialogues {
    /// Asks about these questions. Give it to [`Approvals::new`], and to
    /// [`Server::dialogues`](crate::Server::dialogues).
    pub fn new(store: &Store) -> Self {
        Self(Arc::new(Shared {
            store: store.clone(),
            runs: Mutex::default(),
            open: Mutex::default(),
            asking: OnceLock::new(),
        }))
    }

    /// The other places where people can be asked.
    pub(crate) fn beside(&self, asking: impl Fn() -> Option<Approvals> + Send + Sync + 'static) {
        // It has one server.
        let _ = self.0.asking.set(Box::new(asking));
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.store
    }

    /// A run's client can be asked from now on, as long as what this gives is there.
    pub(crate) fn register(&self, run: RunId, client: RunClient) -> Registration {
        let mut runs = self.0.runs.lock();
        runs.insert(run.to_string(), Arc::new(client));
        Registration {
            dialogues: self.clone(),
            run,
        }
    }

    fn remove(&self, run: RunId) {
        let run = run.to_string();
        self.0.runs.lock().remove(&run);
        self.take_back(&run);
    }

    pub(crate) fn client_of(&self, run: &str) -> Option<Arc<RunClient>> {
        self.0.runs.lock().get(run).cloned()
    }

    /// A client waits for an active run: what the run waits for is asked there, if it is
    /// not already.
    pub(crate) fn client_is(
        &self,
        run: RunId,
        requester: &Requester,
        link: Option<&Arc<ClientLink>>,
    ) {
        let run = run.to_string();
        let Some(client) = self.client_of(&run) else {
            return;
        };
        if client.is_now(requester, link) {
            self.take_back(&run);
        }
        let asking = self.0.asking.get().and_then(|asking| asking());
        for question in asking.iter().flat_map(|asking| asking.open_of(&run)) {
            if self.reaches(&question.caller) {
                self.asked(&question);
            }
        }
    }

    /// A run's client continues with it.
    pub(crate) fn goes_on(&self, run: RunId, requester: &Requester) {
        if let Some(client) = self.client_of(&run.to_string()) {
            client.goes_on(requester);
        }
    }

    /// Whether a run's client has been asked something that it has not answered.
    pub(crate) fn is_asking(&self, run: RunId) -> bool {
        let run = run.to_string();
        let open = self.0.open.lock();
        open.questions.values().any(|dialogue| dialogue.run == run)
    }

    fn take_back(&self, run: &str) {
        let mut open = self.0.open.lock();
        let theirs = open.questions.extract_if(|_, it| it.run == run);
        theirs.for_each(|(_, dialogue)| dialogue.over.cancel());
    }

    /// Asks a client, until the answer is no longer needed.
    async fn ask(self, client: Arc<RunClient>, question: Arc<Question>, over: CancellationToken) {
        let seen = match dialogue::seen(&question, &self.0.store) {
            Ok(seen) => seen,
            Err(problem) => {
                tracing::warn!(%problem, "can't ask a client");
                return self.unanswered(&client, &question, None).await;
            }
        };
        let about = SealedQuestion {
            question: question.id,
            seen,
            until: question.expires_at,
        };
        let params = Value::Object(dialogue::form(&question));
        let asking = client.ask(params, Some(about));
        let Some(reply) = over.run_until_cancelled(asking).await else {
            return;
        };
        if reply.as_ref().is_err_and(|why| why == GONE) {
            // The run is over, or sleeps until another process resumes it.
            return;
        }
        match answer(&reply) {
            Some(answer) => {
                let given = self
                    .give(&question, PersonAnswer::new(seen, answer), &client.who())
                    .await;
                if let Err(problem) = given {
                    tracing::debug!(%problem, "ignored a client's answer");
                    // It was not one of the offered answers.
                    self.unanswered(&client, &question, Some(seen)).await;
                }
            }
            None => self.unanswered(&client, &question, Some(seen)).await,
        }
    }

    /// Keeps an answer, unless there is one.
    async fn give(
        &self,
        question: &Question,
        given: PersonAnswer,
        who: &str,
    ) -> Result<(), QuestionError> {
        let (store, id) = (self.0.store.clone(), question.id);
        let by = Answerer::new(who, AnswerSource::Dialogue);
        let given = spawn_blocking(move || store.answer(id, given, by));
        match given.await {
            // Another answer was faster, or it is too late.
            Ok(Err(
                QuestionError::Answered(_) | QuestionError::Expired(_) | QuestionError::Missing(_),
            )) => Ok(()),
            Ok(given) => given.map(drop),
            Err(stopped) => Err(QuestionError::Folder(std::io::Error::other(stopped))),
        }
    }

    /// A client's person gave no answer: others are asked, if there are any.
    pub(super) async fn unanswered(
        &self,
        client: &RunClient,
        question: &Arc<Question>,
        seen: Option<QuestionView>,
    ) {
        client.close();
        let asking = self.0.asking.get().and_then(|asking| asking());
        if let Some(asking) = asking
            && asking.reaches(&question.caller)
        {
            return asking.ask_again(question);
        }
        let Some(seen) = seen else { return };
        let reason = CLOSED.to_owned();
        let denied = PersonAnswer::new(seen, Answer::Deny { reason });
        if let Err(problem) = self.give(question, denied, &client.who()).await {
            tracing::warn!(%problem, "can't record that a client gave no answer");
        }
    }
}

/// What a client answered, if that is an answer.
fn answer(reply: &Reply) -> Option<Answer> {
    match reply {
        Ok(result) => dialogue::answer(result),
        Err(why) => {
            tracing::info!(why, "a client did not ask its person");
            None
        }
    }
}

impl Channel for Dialogues {
    fn reaches(&self, caller: &Caller) -> bool {
        let client = self.client_of(&caller.run);
        client.is_some_and(|client| client.has_forms())
    }

    fn asked(&self, question: &Arc<Question>) {
        let Some(client) = self.client_of(&question.caller.run) else {
            return;
        };
        let over = CancellationToken::new();
        let number = {
            let mut open = self.0.open.lock();
            // Added calls are a new question after this answer: a question does not change while a
            // person looks at it.
            if open.questions.contains_key(&question.id) {
                return;
            }
            open.last += 1;
            let dialogue = Dialogue {
                number: open.last,
                run: question.caller.run.clone(),
                over: over.clone(),
            };
            open.questions.insert(question.id, dialogue);
            open.last
        };
        let (dialogues, question) = (self.clone(), Arc::clone(question));
        tokio::spawn(async move {
            let id = question.id;
            dialogues.clone().ask(client, question, over).await;
            let mut open = dialogues.0.open.lock();
            if open
                .questions
                .get(&id)
                .is_some_and(|it| it.number == number)
            {
                open.questions.remove(&id);
            }
        });
    }

    fn over(&self, question: QuestionId) {
        if let Some(dialogue) = self.0.open.lock().questions.remove(&question) {
            dialogue.over.cancel();
        }
    }
}

impl fmt::Debug for Dialogues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (runs, open) = (self.0.runs.lock().len(), self.0.open.lock());
        f.debug_struct("Dialogues")
            .field("runs", &runs)
            .field("open", &open.questions.len())
            .finish_non_exhaustive()
    }
}
