//! What clients of 2026-07-28 keep for Ampoule while they ask their person: a `requestState`, which
//! is sealed, belongs to one principal within one toolkit or none, and is valid once, also after a
//! restart.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use ampoule::Principal;
use ampoule_approvals::{
    AnswerSource, Answerer, PersonAnswer, QuestionError, SealedQuestion, dialogue,
};
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::dialogues::Dialogues;
use super::question::approval_name;

/// Whose a state is.
fn holder(principal: Option<&Principal>, toolkit: Option<&Arc<str>>) -> String {
    // Nobody's name is the empty one, and none has a zero.
    let principal = principal.map_or_else(String::new, Principal::to_string);
    match toolkit {
        Some(toolkit) => format!("{principal}\0{toolkit}"),
        None => principal,
    }
}

impl Dialogues {
    /// What a client keeps; none if the system can't make one.
    pub(crate) fn seal(
        &self,
        about: &SealedQuestion,
        principal: Option<&Principal>,
        toolkit: Option<&Arc<str>>,
    ) -> Option<String> {
        let sealed = self.store().seal(about, &holder(principal, toolkit));
        let warn = |problem: &QuestionError| tracing::warn!(%problem, "can't seal a state");
        sealed.inspect_err(warn).ok()
    }

    /// What a client kept: that it came back is on the disk before this returns.
    pub(crate) async fn open(
        &self,
        state: &str,
        principal: Option<&Principal>,
        toolkit: Option<&Arc<str>>,
    ) -> Result<SealedQuestion, QuestionError> {
        let (store, state) = (self.store().clone(), state.to_owned());
        let holder = holder(principal, toolkit);
        let opened = spawn_blocking(move || store.open_sealed(&state, &holder)).await;
        opened.unwrap_or_else(|stopped| Err(QuestionError::Folder(io::Error::other(stopped))))
    }

    /// Takes the answer to a question that is no longer in memory, and returns the run that it is
    /// about.
    pub(crate) async fn answered(
        &self,
        sealed: SealedQuestion,
        mut responses: BTreeMap<String, Value>,
        who: &str,
    ) -> Result<String, QuestionError> {
        let (store, by) = (
            self.store().clone(),
            Answerer::new(who, AnswerSource::Dialogue),
        );
        let response = responses.remove(&approval_name(sealed.question));
        let answer = response.as_ref().and_then(Value::as_object);
        let answer = answer.and_then(dialogue::answer);
        let is_none = answer.is_none();
        let keep = move || {
            let question = store.get(sealed.question)?.question;
            let answer = answer.map(|answer| PersonAnswer::new(sealed.seen, answer));
            match answer.map(|answer| store.answer(sealed.question, answer, by)) {
                // The first answer counts for the run.
                None | Some(Ok(_) | Err(QuestionError::Answered(_))) => Ok(question),
                Some(Err(problem)) => Err(problem),
            }
        };
        let kept = spawn_blocking(keep).await;
        let kept =
            kept.unwrap_or_else(|stopped| Err(QuestionError::Folder(io::Error::other(stopped))));
        let question = Arc::new(kept?);
        let run = question.caller.run.clone();
        if is_none && let Some(client) = self.client_of(&run) {
            self.unanswered(&client, &question, Some(sealed.seen)).await;
        }
        Ok(run)
    }
}
