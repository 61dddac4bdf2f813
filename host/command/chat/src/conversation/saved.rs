//! Conversations on disk, in a folder that nobody else can write to. Those that nobody has used for
//! a month are removed.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use ampoule_store::expiry;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use super::Conversation;

/// How large the file of a conversation may be.
const MAX_BYTES: u64 = 32 << 20;
/// How the names of their files end.
const EXTENSION: &str = "chat";

/// The name of a conversation, which is also that of its scripts' session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationName(String);

impl FromStr for ConversationName {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric());
        match begins && name.len() <= 48 && name.bytes().all(is_plain) {
            true => Ok(Self(name.to_owned())),
            false => Err(
                "a session's name has letters, digits, `-` and `_`, a letter or digit first, and at most 48 of them",
            ),
        }
    }
}

impl fmt::Display for ConversationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a conversation can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// Another process has it.
    #[error(
        "the session `{0}` is in use by another `ampoule chat`; end that one, or use another name"
    )]
    InUse(ConversationName),
    /// Its file is not one.
    #[error(
        "the conversation of the session `{0}` can't be read: {1}; use another name, or remove the file {2}"
    )]
    Damaged(ConversationName, String, PathBuf),
    /// It has become too large to be read again.
    #[error(
        "the conversation of the session `{0}` is not saved, as it is larger than 32 MiB; begin another session"
    )]
    TooLarge(ConversationName),
    /// The folder.
    #[error("conversations can't be saved: {0}")]
    Folder(#[from] io::Error),
}

/// The conversation of one name, which no other process has meanwhile.
#[derive(Debug)]
pub struct ConversationStore {
    folder: PrivateFolder,
    name: ConversationName,
    _lock: File,
}

impl ConversationStore {
    /// Opens the folder, for the conversation of this name.
    ///
    /// # Errors
    ///
    /// Another process has it, or the folder can't be used.
    pub fn open(folder: PathBuf, name: ConversationName) -> Result<Self, ConversationError> {
        let folder = PrivateFolder::open(&folder, OTHERS_REACH)?;
        expiry::sweep(&folder, EXTENSION);
        expiry::sweep(&folder, "lock");
        match folder.try_lock_named(&format!("{name}.lock"))? {
            Some(lock) => {
                expiry::mark(&lock);
                Ok(Self {
                    folder,
                    name,
                    _lock: lock,
                })
            }
            None => Err(ConversationError::InUse(name)),
        }
    }

    /// The conversation's name.
    pub fn name(&self) -> &ConversationName {
        &self.name
    }

    /// What was said so far; nothing, in a new one.
    ///
    /// # Errors
    ///
    /// Its file is damaged.
    pub fn read(&self) -> Result<Conversation, ConversationError> {
        let file = match self.folder.file(&self.file()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Conversation::default());
            }
            Err(error) => return Err(error.into()),
        };
        let mut text = String::new();
        let read = file.take(MAX_BYTES).read_to_string(&mut text);
        let read = read.map_err(|error| error.to_string());
        let read =
            read.and_then(|_| serde_json::from_str(&text).map_err(|error| error.to_string()));
        read.map_err(|why| {
            let path = self.folder.path().join(self.file());
            ConversationError::Damaged(self.name.clone(), why, path)
        })
    }

    /// Saves it: all of it, or nothing.
    ///
    /// # Errors
    ///
    /// It is too large, or the folder can't be written.
    pub fn write(&self, conversation: &Conversation) -> Result<(), ConversationError> {
        let json = serde_json::to_vec(conversation).map_err(io::Error::other)?;
        if json.len() as u64 >= MAX_BYTES {
            return Err(ConversationError::TooLarge(self.name.clone()));
        }
        let draft = self.folder.draft(&self.file(), || {})?;
        draft.keep(&self.file(), &json)?;
        Ok(())
    }

    fn file(&self) -> String {
        format!("{}.{EXTENSION}", self.name)
    }
}
