//! What can go wrong.

use ampoule::{Error, FileError, RecordError, SessionError, SkillError};
use ampoule_approvals::QuestionError;
use ampoule_audit::AuditError;
use http::StatusCode;

/// What stands in place of what is withheld.
pub(crate) const WITHHELD: &str = "withheld: it has personal data, or comes from what a policy withholds from the model; operators of the console can read it";

/// Why the console does not show or do something. Displays as a sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConsoleError {
    /// It does not exist, or belongs to another principal: both are answered in the same words.
    #[error("not found: {0}")]
    NotFound(&'static str),
    /// Only operators may do it.
    #[error("only operators of the console may do that; `[console] operators` names them")]
    OperatorsOnly,
    /// The operator has people asked in other places alone.
    #[error(
        "this approval is not answered in the console; `[approvals] places` in ampoule.toml says where people answer"
    )]
    ElsewhereOnly,
    /// Policies or `[privacy]` withhold it from the viewer's model, and so from the viewer's token.
    #[error("{WITHHELD}")]
    Withheld,
    /// What was asked for is wrong.
    #[error("{0}")]
    Invalid(String),
    /// It can't be done in its present state.
    #[error("{0}")]
    Conflict(String),
    /// A part is not set up.
    #[error("{0}")]
    NotSetUp(&'static str),
    /// Too much happens at once.
    #[error("{0}")]
    Busy(String),
    /// The host is at fault; its log has the details under this id.
    #[error("the host failed; its log has the details under {0}")]
    Host(String),
}

impl ConsoleError {
    /// The status of an HTTP answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) | Self::NotSetUp(_) => StatusCode::NOT_FOUND,
            Self::OperatorsOnly | Self::ElsewhereOnly | Self::Withheld => StatusCode::FORBIDDEN,
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Host(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A fault of the host, which its log describes.
    pub(crate) fn host(problem: &dyn std::error::Error) -> Self {
        let id = ampoule_untrusted::log_id().to_string();
        tracing::error!(id, ?problem, "the console can't answer");
        Self::Host(id)
    }
}

impl From<Error> for ConsoleError {
    fn from(problem: Error) -> Self {
        match problem {
            problem if problem.is_config() => Self::host(&problem),
            problem if problem.is_request() => Self::Invalid(problem.to_string()),
            problem => Self::host(&problem),
        }
    }
}

impl From<RecordError> for ConsoleError {
    fn from(problem: RecordError) -> Self {
        match problem {
            RecordError::Missing(_) | RecordError::Several(_) => Self::NotFound("this record"),
            RecordError::Folder(_) => Self::host(&problem),
            problem => Self::Conflict(problem.to_string()),
        }
    }
}

impl From<SessionError> for ConsoleError {
    fn from(problem: SessionError) -> Self {
        match problem {
            SessionError::Missing(_) | SessionError::NotYours => Self::NotFound("this session"),
            SessionError::Folder(_) => Self::host(&problem),
            SessionError::Name => Self::Invalid(problem.to_string()),
            problem => Self::Conflict(problem.to_string()),
        }
    }
}

impl From<SkillError> for ConsoleError {
    fn from(problem: SkillError) -> Self {
        match problem {
            SkillError::Missing(_) => Self::NotFound("this skill"),
            SkillError::Disk(_) => Self::host(&problem),
            problem => Self::Invalid(problem.to_string()),
        }
    }
}

impl From<QuestionError> for ConsoleError {
    fn from(problem: QuestionError) -> Self {
        match problem {
            QuestionError::Missing(_) | QuestionError::Ambiguous(_) => {
                Self::NotFound("this approval")
            }
            QuestionError::NotOffered(_) => Self::Invalid(problem.to_string()),
            QuestionError::Answered(_) | QuestionError::Expired(_) | QuestionError::Changed => {
                Self::Conflict(problem.to_string())
            }
            problem => Self::host(&problem),
        }
    }
}

impl From<AuditError> for ConsoleError {
    fn from(problem: AuditError) -> Self {
        match problem {
            AuditError::Missing(_) => Self::NotSetUp("the audit log has no events yet"),
            problem => Self::host(&problem),
        }
    }
}

impl From<FileError> for ConsoleError {
    fn from(problem: FileError) -> Self {
        match problem.code {
            ampoule::FileCode::Io => Self::host(&problem),
            _ => Self::NotFound("this file"),
        }
    }
}
