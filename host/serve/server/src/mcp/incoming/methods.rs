//! Requests, by their methods.

use rmcp::model::{
    CallToolRequest, CancelTaskRequest, ClientRequest, CompleteRequest, CustomRequest,
    DiscoverRequest, GetPromptRequest, GetTaskRequest, InitializeRequest, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PingRequest,
    ReadResourceRequest, SubscriptionsListenRequest, UpdateTaskRequest,
};
#[expect(deprecated, reason = "clients before 2026-07-28 send it")]
use rmcp::model::{SetLevelRequest, SubscribeRequest, UnsubscribeRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::content::text::plain;
use crate::mcp::tasks::wire_2025::{self, TaskWish};

/// The request, if the method is known.
#[expect(
    deprecated,
    reason = "clients before 2026-07-28 say from which level on they want lines"
)]
pub(super) fn decoded(method: &str, text: &str) -> Option<serde_json::Result<ClientRequest>> {
    fn read<'a, T: Deserialize<'a> + Into<ClientRequest>>(
        text: &'a str,
    ) -> serde_json::Result<ClientRequest> {
        serde_json::from_str::<T>(text).map(Into::into)
    }
    Some(match method {
        "initialize" => read::<InitializeRequest>(text),
        "server/discover" => read::<DiscoverRequest>(text),
        "ping" => read::<PingRequest>(text),
        "logging/setLevel" => read::<SetLevelRequest>(text),
        "tools/list" => read::<ListToolsRequest>(text),
        "tools/call" => call(text),
        "resources/list" => read::<ListResourcesRequest>(text),
        "resources/read" => read::<ReadResourceRequest>(text)
            .or_else(|error| filled::<ReadResourceRequest>(text, error, json!({ "uri": "" }))),
        "resources/subscribe" => read::<SubscribeRequest>(text)
            .or_else(|error| filled::<SubscribeRequest>(text, error, json!({ "uri": "" }))),
        "resources/unsubscribe" => read::<UnsubscribeRequest>(text)
            .or_else(|error| filled::<UnsubscribeRequest>(text, error, json!({ "uri": "" }))),
        "subscriptions/listen" => read::<SubscriptionsListenRequest>(text),
        "resources/templates/list" => read::<ListResourceTemplatesRequest>(text),
        "prompts/list" => read::<ListPromptsRequest>(text),
        "prompts/get" => read::<GetPromptRequest>(text)
            .or_else(|error| filled::<GetPromptRequest>(text, error, json!({ "name": "" }))),
        "completion/complete" => read::<CompleteRequest>(text).or_else(|error| {
            let named = json!({ "type": "ref/prompt", "name": "" });
            let nothing = json!({ "ref": named, "argument": { "name": "", "value": "" } });
            filled::<CompleteRequest>(text, error, nothing)
        }),
        "tasks/get" => read::<GetTaskRequest>(text),
        "tasks/update" => read::<UpdateTaskRequest>(text),
        "tasks/cancel" => read::<CancelTaskRequest>(text),
        wire_2025::RESULT | wire_2025::LIST => read::<CustomRequest>(text),
        _ => return None,
    })
}

fn call(text: &str) -> serde_json::Result<ClientRequest> {
    let mut call: CallToolRequest = serde_json::from_str(text)?;
    if let Some(wanted) = TaskWish::of(text) {
        call.extensions.insert(wanted);
    }
    Ok(call.into())
}

/// A request that lacks what it is about, as one about `nothing`: the first error is whether there is
/// anything of the kind at all.
fn filled<T: DeserializeOwned + Into<ClientRequest>>(
    text: &str,
    error: serde_json::Error,
    nothing: Value,
) -> serde_json::Result<ClientRequest> {
    let mut request: Value = serde_json::from_str(text)?;
    let params = request.get_mut("params").and_then(Value::as_object_mut);
    let (Some(params), Value::Object(nothing)) = (params, nothing) else {
        return Err(error);
    };
    params.extend(nothing);
    serde_json::from_value::<T>(request).map(Into::into)
}

/// What is said of a request whose parameters can't be read.
pub(super) fn misused(method: &str, error: &serde_json::Error) -> String {
    let takes = match method {
        "initialize" => "`initialize` takes `protocolVersion`, `capabilities` and `clientInfo`",
        "tools/call" => "`tools/call` takes `name`, the name of a tool, and `arguments`, an object",
        _ => {
            return format!(
                "the parameters of `{method}` can't be read: {}",
                plain(error)
            );
        }
    };
    format!("{takes}: {}", plain(error))
}
