//! What came of a call, in a word.

use serde::{Deserialize, Serialize};

/// What a policy says of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// It may be made.
    #[default]
    Allowed,
    /// It may be made, since a person said so.
    Approved,
    /// It may not.
    Denied,
    /// A person is asked.
    Asked,
    /// It may be made, with something changed or left out.
    Changed,
    /// What a later version says.
    #[serde(other)]
    Other,
}

/// What a call came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// There is a result.
    #[default]
    Answered,
    /// The tool says that it failed.
    ToolFailed,
    /// The server was not reached: the call was not made.
    NotReached,
    /// The server wants a sign-in.
    NeedsSignIn,
    /// A policy or a person denied it.
    Denied,
    /// It was not sent: its arguments, or a limit.
    Refused,
    /// No answer came in time.
    TimedOut,
    /// No caller waits for it any more.
    Cancelled,
    /// The connection was lost: nobody knows what it did.
    Lost,
    /// The answer was none.
    Protocol,
    /// The answer was too large.
    ResultTooLarge,
    /// What a later version says.
    #[serde(other)]
    Other,
}

impl CallOutcome {
    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::ToolFailed => "tool-failed",
            Self::NotReached => "not-reached",
            Self::NeedsSignIn => "needs-sign-in",
            Self::Denied => "denied",
            Self::Refused => "refused",
            Self::TimedOut => "timed-out",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
            Self::Protocol => "protocol",
            Self::ResultTooLarge => "result-too-large",
            Self::Other => "other",
        }
    }
}

impl Verdict {
    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Asked => "asked",
            Self::Changed => "changed",
            Self::Other => "other",
        }
    }
}
