//! The fields of messages for tasks of 2025-11-25, which `rmcp` does not have.

use rmcp::model::{
    CustomResult, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

/// What waits for a task's end, and gives what it gave.
pub(crate) const RESULT: &str = "tasks/result";
/// What lists tasks.
pub(crate) const LIST: &str = "tasks/list";

/// A call of a tool is to be a task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskWish;

impl TaskWish {
    /// Whether the message of such a call says so, where it can be read.
    pub(crate) fn of(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Call {
            params: Params,
        }
        #[derive(Deserialize)]
        struct Params {
            task: Option<IgnoredAny>,
        }
        let may_be = text.contains("\"task\"");
        let call: Call = may_be.then(|| serde_json::from_str(text).ok()).flatten()?;
        call.params.task.map(|_| Self)
    }
}

/// The answer to `initialize`, with the support for tasks.
pub(crate) fn declared(message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    let JsonRpcMessage::Response(mut response) = message else {
        return message;
    };
    if let ServerResult::InitializeResult(result) = &response.result
        && result.protocol_version == ProtocolVersion::V_2025_11_25
    {
        let mut result = json!(result);
        result["capabilities"]["tasks"] =
            json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        response.result = CustomResult::new(result).into();
    }
    JsonRpcMessage::Response(response)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_call_wants_a_task_where_its_parameters_say_so_and_nowhere_else() {
        let wanted = |params: Value| {
            let call =
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            TaskWish::of(&call.to_string()).is_some()
        };
        assert!(wanted(json!({ "name": "a", "task": {} })));
        assert!(wanted(json!({ "name": "a", "task": { "ttl": 60_000 } })));
        assert!(!wanted(json!({ "name": "a" })));
        assert!(!wanted(json!({ "name": "a", "task": null })));
        assert!(!wanted(json!({ "name": "a", "arguments": { "task": {} } })));
        assert!(!wanted(
            json!({ "name": "a", "arguments": { "code": "\"task\"" } })
        ));
    }
}
