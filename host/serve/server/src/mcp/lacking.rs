//! A call of a tool whose server needs a capability that the client did not declare. Since
//! 2026-07-28, the client gets the protocol's error for that, and may declare the capability next
//! time.

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ClientCapabilities, ErrorData};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::caller;
use super::results::NotDone;
use crate::runs::handle::RunHandle;

/// The answer to a call, or the error for a client that lacks what the tool's server needs.
pub(super) fn lacking(
    run: &RunHandle,
    answer: CallToolResponse,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, NotDone> {
    let CallToolResponse::Complete(result) = &answer else {
        return Ok(answer);
    };
    let refusal = run.notes.refusal();
    let refusal = refusal.filter(|refusal| !refusal.required.is_empty());
    let (Some(refusal), Some(true), true) =
        (refusal, result.is_error, caller::ends_requests(context))
    else {
        return Ok(answer);
    };
    let declared = json!(context.client_capabilities());
    match missing(&refusal.required, &declared) {
        Some(missing) => Err(ErrorData::missing_required_client_capability(missing).into()),
        None => Ok(answer),
    }
}

/// What a client did not declare of what a server needs; none if that is nothing, or nothing that
/// the protocol has.
fn missing(required: &Map<String, Value>, declared: &Value) -> Option<ClientCapabilities> {
    let required = required.iter();
    let missing = required.filter(|(name, _)| declared.get(name.as_str()).is_none());
    let missing: Map<String, Value> = missing
        .map(|(name, settings)| (name.clone(), settings.clone()))
        .collect();
    let known: ClientCapabilities = serde_json::from_value(missing.into()).ok()?;
    (known != ClientCapabilities::default()).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_what_was_not_declared_and_the_protocol_has() {
        let missing = |required: Value, declared: Value| {
            let required = required.as_object().cloned().expect("an object");
            missing(&required, &declared).map(|missing| json!(missing))
        };
        let both = json!({ "sampling": {}, "elicitation": {} });
        assert_eq!(missing(both.clone(), json!({})), Some(both.clone()));
        assert_eq!(
            missing(both.clone(), json!({ "elicitation": { "form": {} } })),
            Some(json!({ "sampling": {} }))
        );
        assert_eq!(missing(both.clone(), both), None);
        assert_eq!(missing(json!({ "dancing": {} }), json!({})), None);
        assert_eq!(missing(json!({ "sampling": 7 }), json!({})), None);
    }
}
