//! What a tool answers.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::CallError;

/// A tool's answer: MCP's `CallToolResult`, as it came. As JSON it is written as there; what is
/// absent when it is read is as in [`ToolResult::default`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolResult {
    /// The content blocks, of whatever types.
    pub content: Vec<Value>,
    /// The structured result, any JSON value.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// What else the server says of the answer, to clients and their apps: an object.
    #[serde(
        rename = "_meta",
        skip_serializing_if = "Option::is_none",
        deserialize_with = "there"
    )]
    pub meta: Option<Box<RawValue>>,
}

/// What is there is a value, even where that is `null`.
fn there<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

impl ToolResult {
    /// How many bytes those parts have that are not parsed.
    pub fn unparsed_bytes(&self) -> u64 {
        let parts = [&self.structured_content, &self.meta].into_iter();
        parts.flatten().map(|part| part.get().len() as u64).sum()
    }

    /// What a tool answers that gives this value.
    ///
    /// # Errors
    ///
    /// [`CallError::Protocol`] if the value can't be written as JSON.
    pub fn returned(value: &impl Serialize) -> Result<Self, CallError> {
        let structured_content = to_raw_value(value)
            .map_err(|error| CallError::Protocol(format!("the result can't be sent: {error}")))?;
        Ok(Self {
            structured_content: Some(structured_content),
            ..Self::default()
        })
    }

    /// What a tool answers that failed: scripts catch a `ToolError` with this message.
    pub fn failed(message: &str) -> Self {
        Self {
            content: vec![json!({ "type": "text", "text": message })],
            is_error: true,
            ..Self::default()
        }
    }
}
