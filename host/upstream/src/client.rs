//! What this client is to a server: it offers nothing, and refuses what it is asked.

use serde_json::{Map, Value, json};

/// A method that this client does not have.
const NO_METHOD: i32 = -32601;

/// How much of a method's name is sent back, in bytes.
const SHOWN_BYTES: usize = 100;

/// What the client says of itself.
pub(super) fn identity() -> Value {
    json!({ "name": "ampoule", "version": env!("CARGO_PKG_VERSION") })
}

/// What the client can do for a server: nothing.
pub(super) fn capabilities() -> Value {
    Value::Object(Map::new())
}

/// The answer to what a server asks, whatever it asks with it: a result, or JSON-RPC's error
/// object.
pub(super) fn answer(method: &str) -> Result<Value, Value> {
    let lacks = match method {
        "ping" => return Ok(Value::Object(Map::new())),
        "sampling/createMessage" => "it has no model to sample from".to_owned(),
        "elicitation/create" => "it has no user to ask".to_owned(),
        "roots/list" => "it has no roots".to_owned(),
        other => format!(
            "it does not know {}",
            &other[..other.floor_char_boundary(SHOWN_BYTES)]
        ),
    };
    let message = format!("this client runs scripts unattended: {lacks}");
    Err(json!({ "code": NO_METHOD, "message": message }))
}
