//! Why something can't be done with a question.

use std::io;

/// Why something can't be done with a question. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// Unknown question.
    #[error("unknown question `{0}`; `ampoule approvals ls` lists the open questions")]
    Missing(String),
    /// More than one question begins with this.
    #[error("several questions begin with `{0}`; give more of the id")]
    Ambiguous(String),
    /// Somebody was faster.
    #[error("the question `{0}` has been answered already")]
    Answered(String),
    /// It is too late for an answer.
    #[error("the question `{0}` has expired; the script can ask again")]
    Expired(String),
    /// The answer is to something else than what is asked.
    #[error("the question has changed since it was shown; look at it again")]
    Changed,
    /// The question does not offer this answer.
    #[error("{0}")]
    NotOffered(String),
    /// A sealed state, an address or a message is not one of ours, is over, or was used before.
    #[error("{0}")]
    Refused(&'static str),
    /// There is no room for one more.
    #[error("no more questions can be asked: {0}")]
    Full(String),
    /// A name that can't be a run's.
    #[error("this is not the name of a run")]
    NoRun,
    /// What is kept of it is not what was written.
    #[error("the stored question `{question}` is damaged: {what}")]
    Damaged {
        /// Which one.
        question: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The folder can't be used.
    #[error("the folder of questions can't be used: {0}")]
    Folder(io::Error),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for QuestionError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}
