//! What a whole answer says of its call, in its `_meta`.

use std::collections::BTreeMap;

use ampoule_projection::ToolUi;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// The member of `_meta` that has it.
const CALL: &str = "ampoule/call";
/// The member that has the tool's app.
const APP: &str = "ui";

/// The call that a whole answer is of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WholeCall {
    /// The server's name.
    pub server: String,
    /// The tool's name, as the server gave it.
    pub tool: String,
    /// The arguments, as they were sent: JSON.
    pub arguments: Box<RawValue>,
}

impl WholeCall {
    /// What the `_meta` of a whole answer says of its call, if it is one.
    pub fn of(meta: &RawValue) -> Option<Self> {
        #[derive(Deserialize)]
        struct Meta {
            #[serde(rename = "ampoule/call")]
            call: WholeCall,
        }
        serde_json::from_str(meta.get())
            .ok()
            .map(|Meta { call }| call)
    }

    /// A server's `_meta` with this, and with the address of the tool's app.
    pub(super) fn in_meta(&self, meta: Option<&RawValue>, app: Option<&ToolUi>) -> Box<RawValue> {
        let meta = meta.map_or("{}", RawValue::get);
        let mut members: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(meta).unwrap_or_default();
        if let Ok(call) = to_raw_value(self) {
            members.insert(CALL.to_owned(), call);
        }
        if let Some(app) = app.and_then(|ui| ui.resource_uri.as_deref())
            && let Ok(app) = to_raw_value(&json!({ "resourceUri": app }))
        {
            members.insert(APP.to_owned(), app);
        }
        to_raw_value(&members).unwrap_or_else(|_| RawValue::NULL.to_owned())
    }
}
