//! What came of asking.

use crate::answer::Answerer;
use crate::id::QuestionId;

/// How far what was allowed goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// This call, which may be made now, once: that it is made has been written down.
    Once,
    /// It was allowed for the run before.
    Run,
    /// It was allowed for the session before.
    Session,
}

/// A call may be made now, by the holder of this. It can't be copied.
#[derive(Debug)]
pub struct Approval {
    /// The question whose answer allows it.
    pub question: QuestionId,
    /// The person who allowed it.
    pub by: Answerer,
    /// How far that goes.
    pub reach: Reach,
}

/// A call may not be made. Displays as a sentence for the script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// Somebody said no.
    #[error("a person did not allow this call{}", because(.reason))]
    Denied {
        /// Why, in their words.
        reason: String,
        /// Who.
        by: Answerer,
    },
    /// Nobody answered in time, or the answer was not used in time.
    #[error("no person allowed this call in time; call again to ask again")]
    Expired,
    /// The question was withdrawn.
    #[error("the question about this call was withdrawn")]
    Withdrawn,
    /// The answer was used before. The call may have been made.
    #[error(
        "this call was allowed before, and may have been made then, as the host stopped meanwhile; Ampoule does not repeat it: check whether it was done"
    )]
    Used,
    /// There is nobody to ask.
    #[error("{0}")]
    NobodyToAsk(String),
    /// Too many calls wait, or have been asked about.
    #[error("{0}")]
    TooMany(String),
    /// The plan that was approved has another call in its place, or none.
    #[error("{0}")]
    NotPlanned(String),
    /// The host can't ask. Why is in its log.
    #[error("a person must allow this call, and the host can't ask ({0}, in its log)")]
    Failed(String),
}

fn because(reason: &str) -> String {
    match reason.trim() {
        "" => String::new(),
        reason => format!(": {reason}"),
    }
}

impl ApprovalError {
    /// Whether the tool may have done what the call asks for: [`Used`](Self::Used). In all other
    /// cases the call was not sent.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Used)
    }

    /// A fault of the host, which is in the log under an id.
    pub(crate) fn fault(problem: &dyn std::fmt::Display) -> Self {
        let id = ampoule_untrusted::log_id();
        tracing::warn!(id, %problem, "a person can't be asked about a call");
        Self::Failed(id)
    }
}
