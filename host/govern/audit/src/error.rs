//! Why something can't be done with a log.

use std::io;

/// Why something can't be done with a log. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The folder can't be used.
    #[error("the audit log can't be used: {0}")]
    Folder(io::Error),
    /// There is none.
    #[error("there is no audit log in {0}")]
    Missing(String),
    /// So many processes write to it already.
    #[error(
        "{0} processes write to the audit log already, the most that can; end one, or give this one a folder of its own"
    )]
    TooManyWriters(u16),
    /// The version of the list of files is another one, or it is damaged.
    #[error("the audit log's list of files can't be used: {0}; `ampoule audit verify` says more")]
    List(String),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for AuditError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

/// An event was not written, and so must not happen. Displays as a sentence for the caller.
#[derive(Debug, Clone, thiserror::Error)]
#[error(
    "this was not done, since it can't be recorded: the audit log can't be written ({why}); calls continue once it can"
)]
pub struct WriteError {
    /// Why not.
    pub(crate) why: String,
}
