//! The answer to a call of a tool: a run's report, or an error.

use std::fmt;

use ampoule_untrusted::text::visible;
use serde::Serialize;
use serde_json::value::RawValue;
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
    /// What the run gave, as it is, where its client wanted that and no report.
    #[serde(skip)]
    pub(crate) value: Option<CallValue>,
}

/// What a run gave, as it is.
#[derive(Debug, Clone)]
pub(crate) enum CallValue {
    Given(Box<RawValue>),
    Failed(String),
}

impl PartialEq for CallValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Given(one), Self::Given(other)) => one.get() == other.get(),
            (Self::Failed(one), Self::Failed(other)) => one == other,
            _ => false,
        }
    }
}

impl Answer {
    /// An answer of what went well.
    pub(crate) fn success(content: Vec<Content>) -> Self {
        Self {
            content,
            is_error: false,
            structured_content: None,
            meta: None,
            value: None,
        }
    }

    /// An answer of what went wrong.
    pub(crate) fn error(content: Vec<Content>) -> Self {
        Self {
            content,
            is_error: true,
            structured_content: None,
            meta: None,
            value: None,
        }
    }

    /// What a run gave, and no report of it.
    pub(crate) fn of_value(value: CallValue) -> Self {
        Self {
            value: Some(value),
            ..Self::success(Vec::new())
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
