//! What is wrong with how access was configured.

/// Why nobody can be admitted as it was configured: a sentence for the operator, which shows no
/// secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AccessError(String);

impl AccessError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}
