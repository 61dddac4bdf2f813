//! Questions to people about calls, and answers.

use std::str::FromStr;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ampoule_approvals::{
    Answer, AnswerSource, Answerer, Form, PersonAnswer, ProposedCall, Question, QuestionEntry,
    QuestionId, State, Store, text,
};

use super::work::blocking;
use super::{cursor, time};
use crate::model::{
    ApprovalAnswer, ApprovalCall, ApprovalDetail, ApprovalDone, ApprovalRow, ApprovalState, Page,
    PageQuery, ShownArgument, Viewer,
};
use crate::{Console, ConsoleError};

/// How long `allow-hour` allows.
const HOUR: Duration = Duration::from_hours(1);
/// The most open questions that are counted.
const COUNTED: usize = 99;
/// How many digits of the digest bind an answer to what was shown.
const SEEN: usize = 32;
/// No other words for a question of another principal.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this approval");

impl Console {
    /// The questions that the viewer may see, the open ones first and then the newest. `all`: also
    /// those that were answered, or have expired.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without approvals; the folder can't be used.
    pub async fn approvals(
        &self,
        viewer: &Viewer,
        all: bool,
        wanted: &PageQuery,
    ) -> Result<Page<ApprovalRow>, ConsoleError> {
        let store = self.questions()?;
        let of = viewer.clone();
        let (mut rows, problems) = blocking(move || {
            let (mut rows, mut problems) = (Vec::new(), Vec::new());
            for listed in store.list()? {
                match listed {
                    Ok(listed) if may_see(&of, &listed) => rows.push(row(&listed)),
                    Ok(_) => {}
                    Err(problem) if of.is_operator() => problems.push(problem.to_string()),
                    Err(_) => {}
                }
            }
            Ok((rows, problems))
        })
        .await?;
        rows.retain(|row| all || row.state == ApprovalState::Open);
        let key = |row: &ApprovalRow| {
            let is_over = row.state != ApprovalState::Open;
            (
                is_over,
                std::cmp::Reverse((row.asked_at.clone(), row.id.clone())),
            )
        };
        rows.sort_by_cached_key(key);
        let name = |row: &ApprovalRow| {
            let is_over = row.state != ApprovalState::Open;
            format!("{is_over}\n{}\n{}", row.asked_at, row.id)
        };
        let read = |name: &str| {
            let mut parts = name.split('\n');
            let is_over = parts.next()?.parse().ok()?;
            let asked_at = parts.next()?.to_owned();
            Some((
                is_over,
                std::cmp::Reverse((asked_at, parts.next()?.to_owned())),
            ))
        };
        let mut page = cursor::page(rows, wanted, key, name, read)?;
        page.problems = problems;
        Ok(page)
    }

    /// How many open questions the viewer may see, up to a bound; as it was at this moment or later.
    /// None where there are none to see.
    pub(crate) async fn waiting_since(&self, viewer: &Viewer, since: Instant) -> usize {
        let first = PageQuery {
            cursor: None,
            limit: Some(COUNTED),
        };
        let make = || async { Ok(self.approvals(viewer, false, &first).await?.items.len()) };
        let waiting = self.waiting().since(viewer, since, make).await;
        waiting.unwrap_or_default()
    }

    /// A question, with everything that a person needs to answer it.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`], also for a question of another principal.
    pub async fn approval(
        &self,
        viewer: &Viewer,
        id: &str,
    ) -> Result<ApprovalDetail, ConsoleError> {
        let store = self.questions()?;
        let (of, id) = (viewer.clone(), id.to_owned());
        let mut detail = blocking(move || {
            let listed = found(&store, &of, &id)?;
            detail(&store, &listed)
        })
        .await?;
        detail.can_answer &= self.sources().answerers.may(viewer);
        if let Ok(run) = self.run(viewer, &detail.row.run).await {
            detail.code = run.code;
            detail.language = Some(run.row.language);
        }
        Ok(detail)
    }

    /// Answers a question. The waiting run resumes at once.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::ElsewhereOnly`] where the operator has people asked
    /// in other places alone; [`ConsoleError::Conflict`] if the question was answered, has
    /// expired, or has changed since it was shown; [`ConsoleError::Invalid`] for an answer that the
    /// question does not offer.
    pub async fn answer_approval(
        &self,
        viewer: &Viewer,
        id: &str,
        given: ApprovalAnswer,
    ) -> Result<ApprovalDone, ConsoleError> {
        let store = self.questions()?;
        let (of, id) = (viewer.clone(), id.to_owned());
        let may_answer = self.sources().answerers.may(viewer);
        blocking(move || {
            let listed = found(&store, &of, &id)?;
            if !may_answer {
                return Err(ConsoleError::ElsewhereOnly);
            }
            if given.seen != seen(&store, &listed)? {
                return Err(ampoule_approvals::QuestionError::Changed.into());
            }
            let answer = PersonAnswer {
                seen: listed.seen(&store)?,
                answer: answer(&given)?,
                only: given.only,
            };
            let by = Answerer::new(of.name(), AnswerSource::Console);
            let record = store.answer(listed.question.id, answer, by)?;
            Ok(ApprovalDone {
                id: listed.question.id.to_string(),
                answer: text::answered(&record),
            })
        })
        .await
    }

    fn questions(&self) -> Result<Store, ConsoleError> {
        let store = self.sources().approvals.clone();
        store.ok_or(ConsoleError::NotSetUp(
            "no call needs an approval here: add `[approvals]` to ampoule.toml",
        ))
    }
}

fn answer(given: &ApprovalAnswer) -> Result<Answer, ConsoleError> {
    Ok(match &*given.answer {
        "allow-once" => Answer::AllowOnce,
        "allow-run" => Answer::AllowRun,
        "allow-hour" => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let until = now.unwrap_or_default().saturating_add(HOUR).as_secs();
            Answer::AllowSession { until }
        }
        "deny" => Answer::Deny {
            reason: given.reason.clone(),
        },
        _ => {
            return Err(ConsoleError::Invalid(
                "unknown answer: write `allow-once`, `allow-run`, `allow-hour` or `deny`"
                    .to_owned(),
            ));
        }
    })
}

/// The question of this whole id.
fn found(store: &Store, viewer: &Viewer, id: &str) -> Result<QuestionEntry, ConsoleError> {
    let id = QuestionId::from_str(id).map_err(|_| UNKNOWN)?;
    let listed = store.get(id)?;
    may_see(viewer, &listed).then_some(listed).ok_or(UNKNOWN)
}

fn may_see(viewer: &Viewer, listed: &QuestionEntry) -> bool {
    viewer.may_see(listed.question.caller.principal.as_deref())
}

/// Binds an answer to what is shown now.
fn seen(store: &Store, listed: &QuestionEntry) -> Result<String, ConsoleError> {
    let digest = listed.seen(store)?.digest.to_string();
    Ok(digest.chars().take(SEEN).collect())
}

fn row(listed: &QuestionEntry) -> ApprovalRow {
    let question = &listed.question;
    ApprovalRow {
        id: question.id.to_string(),
        state: match listed.state {
            State::Open => ApprovalState::Open,
            State::Answered(_) => ApprovalState::Answered,
            State::Expired => ApprovalState::Expired,
        },
        run: question.caller.run.clone(),
        principal: question.caller.principal.clone(),
        client: question.caller.client.clone(),
        summary: text::summary(question),
        asked_at: time::of_seconds(question.asked_at),
        expires_at: time::of_seconds(question.expires_at),
    }
}

fn detail(store: &Store, listed: &QuestionEntry) -> Result<ApprovalDetail, ConsoleError> {
    let question = &listed.question;
    let is_open = listed.state == State::Open;
    Ok(ApprovalDetail {
        row: row(listed),
        session: question.caller.session.clone(),
        toolkit: question.caller.toolkit.clone(),
        calls: question.calls.iter().map(call).collect(),
        done: done(question),
        code: None,
        language: None,
        seen: is_open.then(|| seen(store, listed)).transpose()?,
        offers_run: is_open && question.offers_run(),
        offers_hour: is_open && question.offers_session() && store.limits().session >= HOUR,
        answer: match &listed.state {
            State::Answered(record) => Some(text::answered(record)),
            _ => None,
        },
        can_answer: is_open,
    })
}

fn call(call: &ProposedCall) -> ApprovalCall {
    let argument = |shown: &ampoule_approvals::ShownArgument| ShownArgument {
        name: shown.name.clone(),
        text: shown.text.clone(),
        hidden: shown.form == Form::Hidden,
    };
    ApprovalCall {
        call: call.number,
        server: call.server.clone(),
        tool: call.tool.clone(),
        arguments: call.arguments.iter().map(argument).collect(),
        more_arguments: call.more_arguments,
        line: call.line,
        policy: call.policy.clone(),
        reason: call.reason.clone(),
    }
}

/// What the run has done so far, a line for each tool.
fn done(question: &Question) -> Vec<String> {
    let activities = question.done.iter();
    let line = |did: &ampoule_approvals::ToolActivity| {
        let failed = match did.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        format!(
            "{}.{}: {} answered{failed}",
            did.server, did.tool, did.answered
        )
    };
    activities.map(line).collect()
}
