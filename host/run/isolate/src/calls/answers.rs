//! What is known of a call by its tool's answer, also where that went over a limit.

use ampoule_limits::LimitError;
use ampoule_tools::{CallOutcome, CallState, FailureKind};

use crate::usage::CallEnd;

/// The limit that a call went over, which ends the run.
pub(crate) struct CallLimitError {
    pub(super) hit: LimitError,
    /// What its tool had answered by then.
    pub(super) answer: Option<AnswerSummary>,
}

/// What is known of a call by its tool's answer.
pub(super) struct AnswerSummary {
    pub(super) end: CallEnd,
    pub(super) state: CallState,
    /// Why it has no value.
    pub(super) failure: Option<FailureKind>,
}

impl CallLimitError {
    /// A limit that the answer of its tool goes over. The script gets no value then.
    pub(super) fn after(hit: LimitError, outcome: &CallOutcome) -> Self {
        let mut answer = AnswerSummary::of(outcome);
        if answer.end == CallEnd::Returned {
            answer.end = CallEnd::Cancelled;
        }
        Self {
            hit,
            answer: Some(answer),
        }
    }
}

impl From<LimitError> for CallLimitError {
    fn from(hit: LimitError) -> Self {
        Self { hit, answer: None }
    }
}

impl AnswerSummary {
    pub(super) fn of(outcome: &CallOutcome) -> Self {
        let (end, failure) = match outcome {
            CallOutcome::Value(_) => (CallEnd::Returned, None),
            CallOutcome::Failure(failure) => (CallEnd::Failed, Some(failure.kind)),
            CallOutcome::TooLarge { .. } => (CallEnd::Failed, Some(FailureKind::Protocol)),
        };
        Self {
            end,
            state: outcome.state(),
            failure,
        }
    }
}
