//! A run's answer, as a result of a tool's call; and what is answered where there is none.

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject};

use crate::runs::answer::Answer;

/// An answer, as `rmcp` has it.
pub(super) fn result(answer: Answer) -> CallToolResult {
    let content = answer.content.into_iter().map(ContentBlock::from).collect();
    let mut result = match answer.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = answer.structured_content;
    result.meta = answer.meta.map(MetaObject);
    result
}

/// A result that says what went wrong. Some of that may be quoted from elsewhere.
pub(super) fn failure(message: &str) -> CallToolResult {
    result(Answer::failure(message))
}

/// The error for a host fault: the reason is only for the operator.
pub(super) fn host_failed(reason: &dyn std::fmt::Debug) -> CallToolResult {
    result(Answer::host_failed(reason))
}

/// Why a call of a tool was not carried out.
pub(super) enum NotDone {
    /// The model reads why.
    Told(Box<CallToolResult>),
    /// The client made a mistake, or lacks something: an error of the protocol.
    Error(ErrorData),
}

impl From<CallToolResult> for NotDone {
    fn from(told: CallToolResult) -> Self {
        Self::Told(Box::new(told))
    }
}

impl From<ErrorData> for NotDone {
    fn from(error: ErrorData) -> Self {
        Self::Error(error)
    }
}

impl NotDone {
    /// What is answered.
    pub(super) fn answer(self) -> Result<CallToolResponse, ErrorData> {
        match self {
            Self::Told(told) => Ok((*told).into()),
            Self::Error(error) => Err(error),
        }
    }
}
