//! The answer to a call of a tool: a run's report, or an error.

use std::fmt;

use ampoule_untrusted::text::visible;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::content::blocks::Content;

/// The answer to a request that waits for a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) content: Vec<Content>,
    pub(crate) is_error: bool,
    /// What the app of a tool shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) structured_content: Option<Value>,
    /// What a tool's server says of its answer, and the tool's app.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Map<String, Value>>,
}

impl Answer {
    /// An answer of what went well.
    pub(crate) fn success(content: Vec<Content>) -> Self {
        Self {
            content,
            is_error: false,
            structured_content: None,
            meta: None,
        }
    }

    /// An answer of what went wrong.
    pub(crate) fn error(content: Vec<Content>) -> Self {
        Self {
            content,
            is_error: true,
            structured_content: None,
            meta: None,
        }
    }

    /// Says what went wrong. Some of that may be quoted from elsewhere.
    pub(crate) fn failure(message: &str) -> Self {
        Self::error(vec![Content::text(visible(message))])
    }

    /// Says that the host failed: the reason is the operator's, and goes to the log.
    pub(crate) fn host_failed(reason: &dyn fmt::Debug) -> Self {
        let id = ampoule_untrusted::log_id();
        tracing::error!(id, ?reason, "a call of a tool failed");
        Self::failure(&format!(
            "the host failed, not the script; the operator finds the reason in the log under {id}"
        ))
    }

    /// How much it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |json| json.len())
    }
}
