//! What a person answers.

use serde::{Deserialize, Serialize};

use crate::arguments::{bounded, name};
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::limits::{ApprovalLimits, REASON_BYTES};
use crate::question::{Kind, ProposedCall, Question, QuestionView};
use crate::time::SLACK;

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    tag = "answer"
)]
pub enum Answer {
    /// The calls may be made, with these arguments, once.
    AllowOnce,
    /// The same, and this run may call these tools without asking from now on, whatever the
    /// arguments, where the same policy would ask.
    AllowRun,
    /// The same for all runs of this session, until then.
    AllowSession {
        /// Until when, in seconds since 1970.
        until: u64,
    },
    /// They may not.
    Deny {
        /// Why, for the script. At most 2 KiB.
        #[serde(default)]
        reason: String,
    },
}

/// Where somebody answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerSource {
    /// In the client's own dialogue.
    Dialogue,
    /// On the page.
    Page,
    /// In the console.
    Console,
    /// With `ampoule approvals`.
    CommandLine,
    /// With a signed message of the operator's system.
    Webhook,
}

/// The person who answered, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answerer {
    /// Who.
    pub who: String,
    /// Where.
    pub how: AnswerSource,
}

impl Answerer {
    /// Somebody of this name, which may be anything.
    pub fn new(who: &str, how: AnswerSource) -> Self {
        Self {
            who: name(who),
            how,
        }
    }
}

/// What a person answers to what they were shown of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonAnswer {
    /// What they were shown.
    pub seen: QuestionView,
    /// What they answer.
    pub answer: Answer,
    /// The numbers of the calls that they allow: the others that they were shown are denied. All of
    /// them if there are none here.
    pub only: Option<Vec<u32>>,
}

impl PersonAnswer {
    /// An answer to all calls that they were shown.
    pub fn new(seen: QuestionView, answer: Answer) -> Self {
        Self {
            seen,
            answer,
            only: None,
        }
    }
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRecord {
    /// To which question.
    pub question: QuestionId,
    /// What they were shown.
    pub seen: QuestionView,
    /// What they answered.
    pub answer: Answer,
    /// To which of the calls, by their numbers: the others that they were shown are denied. All of
    /// them if there are none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<u32>>,
    /// Who.
    pub by: Answerer,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// What an answer says of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallVerdict<'a> {
    /// It was not among those that were shown.
    Nothing,
    Allowed,
    Denied(&'a str),
}

impl AnswerRecord {
    /// An answer as it is kept; it must be one that the question offers.
    pub(crate) fn new(
        question: &Question,
        given: PersonAnswer,
        by: Answerer,
        now: u64,
        limits: &ApprovalLimits,
    ) -> Result<Self, QuestionError> {
        let PersonAnswer { seen, answer, only } = given;
        let not_offered = |why: &str| Err(QuestionError::NotOffered(why.to_owned()));
        let answer = match answer {
            Answer::Deny { reason } => Answer::Deny {
                reason: bounded(&reason, REASON_BYTES),
            },
            Answer::AllowRun if !question.offers_run() => {
                return not_offered("these calls can only be allowed once");
            }
            Answer::AllowSession { .. } if !question.offers_session() => {
                return not_offered(match question.offers_run() {
                    true => "the run is in no session: allow the calls once, or for the run",
                    false => "these calls can only be allowed once",
                });
            }
            Answer::AllowSession { until } if until <= now => {
                return not_offered("this time has passed");
            }
            Answer::AllowSession { until }
                if until > now.saturating_add(limits.session.as_secs()) =>
            {
                let most = humantime::format_duration(limits.session);
                return Err(QuestionError::NotOffered(format!(
                    "calls can be allowed for {most} at most"
                )));
            }
            answer => answer,
        };
        // A denial covers all calls that were shown, whatever was chosen.
        let only = only.filter(|_| !matches!(answer, Answer::Deny { .. }));
        let only = only.map(|mut only| {
            only.sort_unstable();
            only.dedup();
            only
        });
        let is_whole = only.is_none() && seen.calls == question.calls.len();
        if question.kind == Kind::Plan && !is_whole && !matches!(answer, Answer::Deny { .. }) {
            return not_offered("a plan can only be allowed as a whole");
        }
        let shown = &question.calls[..seen.calls.min(question.calls.len())];
        if let Some(only) = &only {
            let known = |number: &u32| shown.iter().any(|call| call.number == *number);
            if only.is_empty() || !only.iter().all(known) {
                return not_offered("choose at least one call of this question");
            }
        }
        Ok(Self {
            question: question.id,
            seen,
            answer,
            only,
            by,
            at: now,
        })
    }

    /// What it says of the question's call at a place.
    pub(crate) fn says_of(&self, place: usize, call: &ProposedCall) -> CallVerdict<'_> {
        if place >= self.seen.calls {
            return CallVerdict::Nothing;
        }
        if let Answer::Deny { reason } = &self.answer {
            return CallVerdict::Denied(reason);
        }
        match &self.only {
            Some(only) if !only.contains(&call.number) => CallVerdict::Denied(
                "other calls of the same question were allowed, this one was not",
            ),
            _ => CallVerdict::Allowed,
        }
    }

    /// Until when what was allowed can be used, in seconds since 1970.
    pub(crate) fn good_until(&self, limits: &ApprovalLimits) -> u64 {
        self.at.saturating_add(limits.good.as_secs())
    }

    /// Whether it counts at that time. A clock that went back does not make it count longer.
    pub(crate) fn is_good(&self, now: u64, until: u64) -> bool {
        now < until && now.saturating_add(SLACK) >= self.at
    }
}
