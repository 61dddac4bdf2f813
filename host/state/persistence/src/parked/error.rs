//! Why something can't be done with a parked run.

use std::io;

/// Why something can't be done with a parked run. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParkedRunError {
    /// The run does not exist.
    #[error("unknown parked run `{0}`")]
    Missing(String),
    /// A process has it.
    #[error("the parked run `{0}` belongs to another process that still runs")]
    Busy(String),
    /// What is kept of it is not what was written.
    #[error(
        "the stored state of the run `{run}` is damaged: {what}; `ampoule runs rm {run}` removes it"
    )]
    Damaged {
        /// Which one.
        run: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The files of it can't be read.
    #[error(
        "the stored state of the run `{run}` can't be read: {why}; `ampoule runs rm {run}` removes it"
    )]
    Unreadable {
        /// Which one.
        run: String,
        /// Why not.
        why: io::Error,
    },
    /// There is no room for it.
    #[error("there is no room for one more parked run: {0}")]
    Full(String),
    /// The folder can't be used.
    #[error("the folder of parked runs can't be used: {0}")]
    Folder(io::Error),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for ParkedRunError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}
