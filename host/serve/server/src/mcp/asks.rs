//! Elicitation and other questions of a run's servers to its client, in terms of MCP.

use std::collections::BTreeMap;

use rmcp::model::InputRequest;
use serde_json::Value;

/// A request as MCP has it, if there is such a one.
pub(super) fn form(request: Value) -> Option<Value> {
    let request: InputRequest = serde_json::from_value(request).ok()?;
    serde_json::to_value(request).ok()
}

/// What a client is asked by an answer. The requests have this [form].
pub(super) fn input_requests(requests: BTreeMap<String, Value>) -> BTreeMap<String, InputRequest> {
    let read = |(name, request)| match serde_json::from_value(request) {
        Ok(request) => Some((name, request)),
        Err(error) => {
            tracing::error!(%error, name, "can't ask a client");
            None
        }
    };
    requests.into_iter().filter_map(read).collect()
}
