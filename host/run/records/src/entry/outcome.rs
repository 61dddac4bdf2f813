//! What a call came to, as a record has it: a result or an error, whole.

use ampoule_tools::{CallError, FailureKind, ToolResult};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A result, or why there is none.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallOutcome {
    Result {
        content: Vec<Box<RawValue>>,
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "there"
        )]
        structured: Option<Box<RawValue>>,
        #[serde(default)]
        error: bool,
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "there"
        )]
        meta: Option<Box<RawValue>>,
    },
    Failed {
        kind: ErrorKind,
        message: String,
        #[serde(default)]
        bytes: u64,
    },
}

/// What is there is a value, even where that is `null`.
pub(crate) fn there<'de, D: Deserializer<'de>>(
    value: D,
) -> Result<Option<Box<RawValue>>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// A kind of [`CallError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ErrorKind {
    ResultTooLarge,
    #[serde(untagged)]
    Of(FailureKind),
}

impl CallOutcome {
    pub(crate) fn of(answer: &Result<ToolResult, CallError>) -> serde_json::Result<Self> {
        let error = match answer {
            Ok(result) => {
                return Ok(Self::Result {
                    content: result
                        .content
                        .iter()
                        .map(to_raw_value)
                        .collect::<Result<_, _>>()?,
                    structured: result.structured_content.clone(),
                    error: result.is_error,
                    meta: result.meta.clone(),
                });
            }
            Err(error) => error,
        };
        let (kind, bytes) = match error {
            CallError::ResultTooLarge { bytes } => (ErrorKind::ResultTooLarge, *bytes),
            error => (ErrorKind::Of(error.kind()), 0),
        };
        let message = error.to_string();
        Ok(Self::Failed {
            kind,
            message,
            bytes,
        })
    }

    pub(crate) fn answer(&self) -> serde_json::Result<Result<ToolResult, CallError>> {
        let (kind, message, bytes) = match self {
            Self::Result {
                content,
                structured,
                error,
                meta,
            } => {
                let block = |raw: &RawValue| serde_json::from_str::<Value>(raw.get());
                return Ok(Ok(ToolResult {
                    content: content
                        .iter()
                        .map(|raw| block(raw))
                        .collect::<Result<_, _>>()?,
                    structured_content: structured.clone(),
                    is_error: *error,
                    meta: meta.clone(),
                }));
            }
            Self::Failed {
                kind,
                message,
                bytes,
            } => (kind, message.clone(), *bytes),
        };
        Ok(Err(match kind {
            ErrorKind::ResultTooLarge => CallError::ResultTooLarge { bytes },
            ErrorKind::Of(kind) => CallError::new(*kind, message),
        }))
    }
}
