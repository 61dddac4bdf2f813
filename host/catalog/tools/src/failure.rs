//! How a call can fail: of which kind that is, and what is known then of what its tool did.

use serde::{Deserialize, Serialize};

/// Why a call has no result. The text is for the script: it sees it as a `ToolError`, and may act
/// on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The tool can't be reached. It never got the call.
    #[error("{0}")]
    NotReached(String),
    /// The server needs to know the caller: a person must sign in. The tool never got the call.
    #[error("{0}")]
    NeedsSignIn(String),
    /// Somebody in between does not allow the call. The tool never got it.
    #[error("{0}")]
    Denied(String),
    /// The arguments are not what the tool takes, beyond what its schema says. The tool never got
    /// the call.
    #[error("{0}")]
    Arguments(String),
    /// The tool's side does not take the call: it answered with an error of the protocol, or the
    /// arguments are not what it takes.
    #[error("{0}")]
    Refused(String),
    /// The tool did not answer in time.
    #[error("{0}")]
    TimedOut(String),
    /// The call was given up on before there was an answer.
    #[error("{0}")]
    Cancelled(String),
    /// The tool's side went away while the call was under way.
    #[error("{0}")]
    Lost(String),
    /// The answer can't be read.
    #[error("{0}")]
    Protocol(String),
    /// The answer was larger than [`CallContext::result_bytes`](crate::CallContext::result_bytes).
    #[error("the result has {bytes} bytes")]
    ResultTooLarge {
        /// The answer's size, or how much of it had arrived when it was given up on.
        bytes: u64,
    },
}

impl CallError {
    /// That of a kind; what a tool failed at is refused by its side.
    /// A result that is too large has a size, and is not made so.
    pub fn new(kind: FailureKind, message: String) -> Self {
        match kind {
            FailureKind::NotReached => Self::NotReached(message),
            FailureKind::NeedsSignIn => Self::NeedsSignIn(message),
            FailureKind::Denied => Self::Denied(message),
            FailureKind::Arguments => Self::Arguments(message),
            FailureKind::Failed | FailureKind::Refused => Self::Refused(message),
            FailureKind::TimedOut => Self::TimedOut(message),
            FailureKind::Cancelled => Self::Cancelled(message),
            FailureKind::Lost => Self::Lost(message),
            FailureKind::Protocol => Self::Protocol(message),
        }
    }

    /// Of which kind it is. A result that is too large is one that can't be read.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::NotReached(_) => FailureKind::NotReached,
            Self::NeedsSignIn(_) => FailureKind::NeedsSignIn,
            Self::Denied(_) => FailureKind::Denied,
            Self::Arguments(_) => FailureKind::Arguments,
            Self::Refused(_) => FailureKind::Refused,
            Self::TimedOut(_) => FailureKind::TimedOut,
            Self::Cancelled(_) => FailureKind::Cancelled,
            Self::Lost(_) => FailureKind::Lost,
            Self::Protocol(_) | Self::ResultTooLarge { .. } => FailureKind::Protocol,
        }
    }

    /// What is known of whether the tool did what was asked for.
    pub fn state(&self) -> CallState {
        self.kind().state()
    }
}

/// What kept a call from giving a value: what code compares, where the message is to be read.
/// Scripts have it as `error.kind`, written as it serialises: `timed-out`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The tool was called, and says that it failed.
    Failed,
    /// The arguments are not what the tool takes. The tool never got the call.
    Arguments,
    /// [`CallError::Denied`]
    Denied,
    /// [`CallError::NeedsSignIn`]
    NeedsSignIn,
    /// [`CallError::NotReached`]
    NotReached,
    /// [`CallError::Refused`]
    Refused,
    /// [`CallError::Protocol`]
    Protocol,
    /// [`CallError::TimedOut`]
    TimedOut,
    /// [`CallError::Cancelled`]
    Cancelled,
    /// [`CallError::Lost`]
    Lost,
}

impl FailureKind {
    /// What is known of whether the tool did what was asked for.
    pub fn state(self) -> CallState {
        match self {
            Self::Arguments | Self::Denied | Self::NeedsSignIn | Self::NotReached => {
                CallState::NotSent
            }
            Self::Failed | Self::Refused | Self::Protocol => CallState::Answered,
            Self::TimedOut | Self::Cancelled | Self::Lost => CallState::Unknown,
        }
    }

    /// As it serialises.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Arguments => "arguments",
            Self::Denied => "denied",
            Self::NeedsSignIn => "needs-sign-in",
            Self::NotReached => "not-reached",
            Self::Refused => "refused",
            Self::Protocol => "protocol",
            Self::TimedOut => "timed-out",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }
}

/// What is known of whether a tool did what a call asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CallState {
    /// The tool never got the call.
    NotSent,
    /// The tool answered, even if with a failure.
    Answered,
    /// The tool may have done it, or not: nobody waited for the answer, or it was lost.
    Unknown,
}
