//! What servers say of their tools' apps (MCP Apps), in `_meta`.

use ampoule_projection::{Caller, ToolUi};
use ampoule_untrusted::json::{depth, parsed_bytes};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The extension, by its name among a client's capabilities.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// What an app is made of, as far as clients know.
pub(super) const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// What the address of an app begins with.
const SCHEME: &str = "ui://";
/// The longest address, in bytes.
const MAX_ADDRESS_BYTES: usize = 2048;
/// How much `_meta` may take once it is parsed, in bytes, and how deep it may be nested.
const MAX_BYTES: u64 = 64 * 1024;
const MAX_DEPTH: usize = 100;

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    ui: Value,
    /// The address alone, as it was before MCP Apps was stable.
    #[serde(default, rename = "ui/resourceUri")]
    address: Value,
}

/// What a tool's `_meta` says of its app; none where it says nothing. A list of callers that can't
/// be read names none.
pub(super) fn of(meta: &RawValue) -> Option<ToolUi> {
    let text = meta.get();
    let is_small = depth(text) <= MAX_DEPTH && parsed_bytes(text) <= MAX_BYTES;
    let read = is_small.then(|| serde_json::from_str::<Meta>(text).ok());
    let Some(Meta { ui, address }) = read.flatten() else {
        return text.contains("\"visibility\"").then(|| ToolUi {
            resource_uri: None,
            visibility: Some(Vec::new()),
        });
    };
    let address = ui.get("resourceUri").unwrap_or(&address).as_str();
    let address = address.filter(|it| it.starts_with(SCHEME) && it.len() <= MAX_ADDRESS_BYTES);
    let visibility = ui.get("visibility").map(callers);
    let says_something = address.is_some() || visibility.is_some();
    says_something.then(|| ToolUi {
        resource_uri: address.map(ToOwned::to_owned),
        visibility,
    })
}

fn callers(list: &Value) -> Vec<Caller> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice).iter();
    list.filter_map(|caller| match caller.as_str() {
        Some("model") => Some(Caller::Model),
        Some("app") => Some(Caller::App),
        _ => None,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(meta: &Value) -> Option<ToolUi> {
        of(&serde_json::value::to_raw_value(meta).unwrap())
    }

    #[test]
    fn the_app_of_a_tool_is_read_in_both_forms() {
        let new = read(&json!({ "ui": { "resourceUri": "ui://a/b", "visibility": ["app"] } }));
        let new = new.unwrap();
        assert_eq!(new.resource_uri.as_deref(), Some("ui://a/b"));
        assert_eq!(new.visibility, Some(vec![Caller::App]));
        let old = read(&json!({ "ui/resourceUri": "ui://a/c" })).unwrap();
        assert_eq!(old.resource_uri.as_deref(), Some("ui://a/c"));
        assert_eq!(old.visibility, None);
        assert_eq!(read(&json!({ "other": 1, "ui": {} })), None);
        assert_eq!(read(&json!({ "ui": { "resourceUri": "https://a" } })), None);
    }

    #[test]
    fn callers_that_cant_be_read_are_nobody() {
        for odd in [json!("app"), json!([1]), json!(null), json!(["all"])] {
            let ui = read(&json!({ "ui": { "visibility": odd } })).unwrap();
            assert_eq!(ui.visibility, Some(Vec::new()));
        }
        let large = "x".repeat(100_000);
        let ui = read(&json!({ "ui": { "visibility": ["model"] }, "large": large })).unwrap();
        assert_eq!(ui.visibility, Some(Vec::new()));
        assert_eq!(read(&json!({ "large": large })), None);
    }
}
