//! What does not fit its type, or is too large.

/// A value or document that its type does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct MismatchError {
    /// Where, as a path in JavaScript's manner: `args.labels[2]`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// Why a document gives no value.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It does not fit its type.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// As a value it would take more memory than is allowed.
    #[error("the value takes more than {allowed} bytes of the host's memory")]
    TooLarge {
        /// What was allowed, in bytes.
        allowed: u64,
    },
}

/// Why a value gives no document.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// JSON can't say it.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// The document would be longer than is allowed.
    #[error("the document has more than {bytes} bytes")]
    TooLarge {
        /// How long it had become, in bytes.
        bytes: u64,
    },
}
