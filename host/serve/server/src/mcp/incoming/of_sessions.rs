//! Methods that only sessions have, which clients since 2026-07-28 don't begin.

use rmcp::model::{CustomRequest, GetMeta, ProtocolVersion};

/// What a client does since 2026-07-28 in place of a method that only sessions have.
pub(super) fn instead_of(method: &str) -> Option<&'static str> {
    Some(match method {
        "initialize" | "logging/setLevel" => "send what it says in the `_meta` of each request",
        "ping" => "send `server/discover`, or any other request",
        "resources/subscribe" => {
            "send `subscriptions/listen`, with the address among `resourceSubscriptions` of its `notifications`; the answer stays open and reports changes"
        }
        "resources/unsubscribe" => {
            "end the request `subscriptions/listen` that has the address, and send another one for the addresses that stay"
        }
        _ => return None,
    })
}

/// Whether a request is one that needs no session, as there are since 2026-07-28.
pub(super) fn needs_no_session(text: &str) -> bool {
    let request = serde_json::from_str::<CustomRequest>(text);
    let version = request
        .ok()
        .and_then(|request| request.get_meta().protocol_version());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
