//! Texts that are shown nowhere.

use std::fmt;

use ampoule_fields::ExpandedText;
use schemars::JsonSchema;
use serde::Deserialize;

/// A text that is shown nowhere: neither to scripts nor in a log.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(from = "ExpandedText")]
#[schemars(with = "String")]
pub struct Secret(String);

impl Secret {
    /// What must not be shown.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one who sends it.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl From<ExpandedText> for Secret {
    fn from(text: ExpandedText) -> Self {
        Self(text.into_inner())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}
