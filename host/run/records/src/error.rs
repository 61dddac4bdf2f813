//! Why something can't be done with a record.

use std::io;

/// Why something can't be done with a record. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// No record has this name.
    #[error("no record of the run `{0}`; `ampoule runs` lists the records")]
    Missing(String),
    /// The end of an id that several have.
    #[error("`{0}` matches several runs; give the whole id")]
    Several(String),
    /// The file is something else.
    #[error("this is not a record of a run")]
    Foreign,
    /// Another version of Ampoule wrote it.
    #[error("the record is of version {0}, which this version of Ampoule does not read")]
    Version(u64),
    /// The file ends before the run does.
    #[error("the record was cut off: it has no end")]
    CutOff,
    /// The file is not what was written.
    #[error("the record is damaged: {0}")]
    Damaged(String),
    /// It is larger than records may be.
    #[error("the record has {bytes} bytes; at most {most} are read")]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },
    /// The folder or the file can't be used.
    #[error("the records can't be used: {0}")]
    Folder(io::Error),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

impl RecordError {
    pub(crate) fn damaged(why: impl ToString) -> Self {
        Self::Damaged(why.to_string())
    }
}
