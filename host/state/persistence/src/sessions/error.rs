//! Why something can't be done with a session.

use std::io;
use std::path::PathBuf;

/// Why something can't be done with a session. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// It is not a name.
    #[error(
        "the name of a session has letters, digits, `.`, `_` and `-`, at most 64 of them, and begins with a letter or a digit"
    )]
    Name,
    /// The session does not exist.
    #[error("unknown session `{0}`")]
    Missing(String),
    /// There is one already.
    #[error("the session `{0}` exists already; remove it first, or choose another name")]
    Exists(String),
    /// Another run of it is under way.
    #[error("another run of the session `{0}` is under way; try again when it has ended")]
    Busy(String),
    /// It can't go back so far.
    #[error("the session `{name}` can be rewound by {most} runs at most")]
    TooFar {
        /// Which one.
        name: String,
        /// How far it can.
        most: usize,
    },
    /// What is kept of it is not what was written.
    #[error("the stored state of the session `{name}` is damaged: {what}; {}", helps(name, *goes_back))]
    Damaged {
        /// Which one.
        name: String,
        /// What is wrong.
        what: &'static str,
        /// It can go back to the run before.
        goes_back: bool,
    },
    /// A file holds no session.
    #[error("the file holds no session: {0}")]
    NoSession(&'static str),
    /// Somebody else signed the file, or nobody.
    #[error(
        "the session was not signed by this store, or was changed since: to take one from another machine, give the key that is in the file `key` of its sessions' folder"
    )]
    Foreign,
    /// A file that somebody named can't be read.
    #[error("{file} can't be read: {why}", file = file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// Why not.
        why: io::Error,
    },
    /// It is somebody else's.
    #[error("the session belongs to another principal")]
    NotYours,
    /// It is larger than sessions may be.
    #[error("the session would take {bytes} bytes; at most {most} are kept")]
    TooLarge {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },
    /// It was made by another interpreter.
    #[error(
        "the session was made by another version of the interpreter of {language}, or with other packages, and this one can't resume its memory; use the version of Ampoule and the packages that made it, or begin a new session"
    )]
    OtherGuest {
        /// The language.
        language: String,
    },
    /// The session has scripts in another language.
    #[error(
        "the session `{name}` has scripts in {language}: if this is one, say so; scripts in another language need another session"
    )]
    OtherLanguage {
        /// Which one.
        name: String,
        /// What its scripts are in.
        language: String,
    },
    /// The folder can't be used.
    #[error("the sessions' folder can't be used: {0}")]
    Folder(io::Error),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Folder(error)
    }
}

/// What helps where what the last run left is damaged.
fn helps(name: &str, goes_back: bool) -> String {
    let removes = format!("`ampoule sessions rm {name}` removes it");
    match goes_back {
        true => {
            format!("`ampoule sessions rewind {name} 1` goes back to the run before, {removes}")
        }
        false => removes,
    }
}
