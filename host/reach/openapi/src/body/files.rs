//! What is sent as bytes: a text, or base64, with a name and a media type where they matter.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value, json};

/// What is sent as bytes.
#[derive(Debug)]
pub(super) struct File {
    pub(super) bytes: Bytes,
    pub(super) name: Option<String>,
    pub(super) kind: Option<String>,
}

/// Whether a schema means bytes.
pub(super) fn is_file(schema: &Value) -> bool {
    let says = |key: &str| schema.get(key).and_then(Value::as_str);
    says("format") == Some("binary")
        || (says("contentMediaType").is_some() && says("contentEncoding").is_none())
}

/// What scripts give for one.
pub(super) fn schema() -> Value {
    json!({
        "anyOf": [
            { "type": "string" },
            {
                "type": "object",
                "properties": {
                    "text": { "type": "string" },
                    "base64": { "type": "string", "contentEncoding": "base64" },
                    "filename": { "type": "string" },
                    "type": { "type": "string", "description": "The media type" },
                },
                "additionalProperties": false,
            },
        ],
        "description": "A file: its text, or an object with `text` or `base64`",
    })
}

impl File {
    pub(super) fn of(value: &Value) -> Result<Self, String> {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let bytes = match (value, text("text"), text("base64")) {
            (Value::String(text), ..) => Bytes::from(text.clone()),
            (Value::Object(_), Some(text), None) => Bytes::from(text.to_owned()),
            (Value::Object(_), None, Some(text)) => {
                let bytes = STANDARD.decode(text);
                Bytes::from(bytes.map_err(|_| "`base64` of a file is not base64".to_owned())?)
            }
            (Value::Object(_), ..) => {
                return Err("a file has either `text` or `base64`".to_owned());
            }
            _ => return Err("a file is a text, or an object with `text` or `base64`".to_owned()),
        };
        Ok(Self {
            bytes,
            name: text("filename").map(str::to_owned),
            kind: text("type").map(str::to_owned),
        })
    }
}
