//! A run's answer, as a result of a tool's call.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};

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
