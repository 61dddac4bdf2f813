//! Approvals at the terminal of `ampoule run`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule_approvals::text::{Room, text};
use ampoule_approvals::{
    Answer, AnswerSource, Answerer, Caller, Channel, PersonAnswer, Question, QuestionEntry,
    QuestionError, QuestionId, State, Store,
};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use crate::asking::{NoAnswer, Person, say, typed};
use crate::streams;

/// How long an approval for the session is valid.
const SESSION: Duration = Duration::from_hours(1);

/// The terminal, as a place where people are asked.
#[derive(Debug)]
pub(super) struct Terminal(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    person: Person,
    store: Store,
    /// The questions that wait for their turn.
    waiting: Mutex<HashSet<QuestionId>>,
}

impl Terminal {
    pub(super) fn new(person: Person, store: &Store) -> Self {
        Self(Arc::new(Shared {
            person,
            store: store.clone(),
            waiting: Mutex::default(),
        }))
    }
}

impl Channel for Terminal {
    fn reaches(&self, _: &Caller) -> bool {
        true
    }

    fn asked(&self, question: &Arc<Question>) {
        let id = question.id;
        // A waiting question is shown with all calls that it has by then.
        if self.0.waiting.lock().insert(id) {
            let shared = Arc::clone(&self.0);
            tokio::spawn(async move {
                if let Err(problem) = shared.ask(id).await {
                    tracing::warn!(%problem, "a question can't be answered at the terminal");
                }
            });
        }
    }
}

impl Shared {
    async fn ask(&self, id: QuestionId) -> Result<(), QuestionError> {
        let _alone = self.person.alone().await;
        self.waiting.lock().remove(&id);
        let store = self.store.clone();
        let listed = blocking(move || store.get(id)).await?;
        if listed.state != State::Open {
            return Ok(());
        }
        let seen = listed.seen(&self.store)?;
        let answer = answer(&listed).await;
        let store = self.store.clone();
        let by = Answerer::new(&who(), AnswerSource::CommandLine);
        blocking(move || store.answer(id, PersonAnswer::new(seen, answer), by)).await?;
        Ok(())
    }
}

async fn answer(listed: &QuestionEntry) -> Answer {
    let question = &listed.question;
    let err = streams::err();
    err.quiet();
    err.note("this needs your approval:");
    err.line(err.indented(&text(question, Room::TERMINAL)));
    let mut answers = vec!["y: once"];
    if question.offers_run() {
        answers.push("r: these tools for the rest of this run");
    }
    if question.offers_session() {
        answers.push("s: these tools for this session, an hour");
    }
    answers.push("n: no; n REASON: no, and the script gets the reason");
    say(&format!("Allow it? ({})", answers.join("; ")));
    loop {
        let line = match typed().await {
            Ok(line) => line,
            Err(NoAnswer::Cancelled | NoAnswer::Declined) => {
                return Answer::Deny {
                    reason: "the person at the terminal did not answer".to_owned(),
                };
            }
        };
        match read(line.trim(), question) {
            Some(answer) => return answer,
            None => say("y or n:"),
        }
    }
}

/// The typed text, as one of the offered answers.
fn read(typed: &str, question: &Question) -> Option<Answer> {
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    Some(match word.to_lowercase().as_str() {
        "y" | "yes" => Answer::AllowOnce,
        "r" | "run" if question.offers_run() => Answer::AllowRun,
        "s" | "session" if question.offers_session() => Answer::AllowSession {
            until: until(SESSION),
        },
        "n" | "no" => Answer::Deny {
            reason: rest.trim().to_owned(),
        },
        _ => return None,
    })
}

/// This long from now, in seconds since 1970.
pub(crate) fn until(span: Duration) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().saturating_add(span).as_secs()
}

/// Who answers here, as far as the system knows.
pub(crate) fn who() -> String {
    let named = ["USER", "LOGNAME"].into_iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    named.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, QuestionError> + Send + 'static,
) -> Result<T, QuestionError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error).into()))
}
