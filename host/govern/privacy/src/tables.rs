//! Tables on disk: a file for each session, encrypted.
//!
//! A file is a line that says what it is, a nonce, and the table as JSON, encrypted and
//! authenticated (ChaCha20-Poly1305) by a key that is made of the store's and of the session's
//! name. So the file of one session is not one of another's. The store's key is in the same folder:
//! this keeps values out of backups of single files and from programs that search files, but not from
//! a program that has the user's rights.

use std::io::{self, Read};
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::{expiry, key};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use crate::table::{Entry, Table, TableLimits};

/// What each file begins with.
const MAGIC: &[u8] = b"ampoule privacy 1\n";
/// What the key of a session's file is made for.
const PURPOSE: &str = "ampoule 2026 the table of tokens of a session";
/// What files end with.
const EXTENSION: &str = "table";
/// How large a file may be, in bytes, beyond what values may have: names, escapes, numbers.
const MOST_MORE: u64 = 64 << 20;

/// Why a table can't be kept, or read. No value is in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// The folder can't be used.
    #[error("the folder of the tables of personal data can't be used: {0}")]
    Folder(#[from] io::Error),
    /// What is kept is not what was written.
    #[error(
        "the table of the session's personal data is damaged, or of another session; its tokens stand for nothing now: begin a new session"
    )]
    Damaged,
    /// It is too large.
    #[error(
        "the table of the session's personal data has {0} bytes, too many to be read; begin a new session"
    )]
    TooLarge(u64),
    /// The system has no random numbers.
    #[error(
        "the table of the session's personal data can't be encrypted: the system gives no random numbers"
    )]
    Random,
}

/// What is in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum TableFile {
    Entries(Vec<Entry>),
    Noted { entries: Vec<Entry>, note: Box<str> },
}

/// The same, to be written.
#[derive(Serialize)]
struct AnnotatedEntries<'t> {
    entries: &'t [Entry],
    note: &'t str,
}

/// The tables of all sessions, in a folder.
#[derive(Debug)]
pub struct Tables {
    folder: PrivateFolder,
    key: key::Key,
    limits: TableLimits,
}

impl Tables {
    /// Opens the folder, and makes it if need be. What nobody used for a month goes.
    ///
    /// # Errors
    ///
    /// [`KeepError::Folder`]: it can't be used, or others can reach it.
    pub fn open(path: &Path, limits: TableLimits) -> Result<Self, KeepError> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let key = key::of(&folder)?;
        expiry::sweep(&folder, EXTENSION);
        Ok(Self {
            folder,
            key,
            limits,
        })
    }

    /// The table of a session; an empty one if nothing is kept of it. `session` names it among those
    /// of all principals.
    ///
    /// # Errors
    ///
    /// [`KeepError`].
    pub fn read(&self, session: &str) -> Result<Table, KeepError> {
        let file = match self.folder.file(&self.name(session)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Table::new(self.limits));
            }
            file => file?,
        };
        let bytes = file.metadata()?.len();
        if bytes > self.limits.bytes as u64 + MOST_MORE {
            return Err(KeepError::TooLarge(bytes));
        }
        expiry::mark(&file);
        let mut content = Vec::with_capacity(bytes as usize);
        file.take(bytes).read_to_end(&mut content)?;
        let stored = self.opened(session, &content).ok_or(KeepError::Damaged)?;
        let (entries, note) = match stored {
            TableFile::Entries(entries) => (entries, None),
            TableFile::Noted { entries, note } => (entries, Some(note)),
        };
        let mut table = Table::of(entries, self.limits);
        table.put_note(note);
        Ok(table)
    }

    /// Keeps the table of a session: all of it, or as it was.
    ///
    /// # Errors
    ///
    /// [`KeepError`].
    pub fn write(&self, session: &str, table: &Table) -> Result<(), KeepError> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| KeepError::Random)?;
        // Texts and truth values alone can always be written.
        let content = match table.note() {
            None => serde_json::to_vec(table.entries()),
            Some(note) => serde_json::to_vec(&AnnotatedEntries {
                entries: table.entries(),
                note,
            }),
        };
        let mut content = content.unwrap_or_default();
        let key = self.of_session(session).ok_or(KeepError::Random)?;
        key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(MAGIC),
            &mut content,
        )
        .map_err(|_| KeepError::Random)?;
        let file = [MAGIC, &nonce, &content].concat();
        let name = self.name(session);
        self.folder.draft(&name, || ())?.keep(&name, &file)?;
        Ok(())
    }

    /// Forgets a session.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn remove(&self, session: &str) -> Result<(), KeepError> {
        Ok(self.folder.clear(&self.name(session))?)
    }

    fn opened(&self, session: &str, content: &[u8]) -> Option<TableFile> {
        let rest = content.strip_prefix(MAGIC)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let key = self.of_session(session)?;
        let plain = key
            .open_in_place(nonce, Aad::from(MAGIC), &mut sealed)
            .ok()?;
        serde_json::from_slice(plain).ok()
    }

    fn of_session(&self, session: &str) -> Option<LessSafeKey> {
        let mut hasher = blake3::Hasher::new_derive_key(PURPOSE);
        hasher.update(&self.key).update(session.as_bytes());
        let key = UnboundKey::new(&CHACHA20_POLY1305, hasher.finalize().as_bytes());
        key.ok().map(LessSafeKey::new)
    }

    /// The name of a session's file, which says nothing of the session.
    fn name(&self, session: &str) -> String {
        let hash = blake3::keyed_hash(&self.key, session.as_bytes());
        format!("{}.{EXTENSION}", &hash.to_hex()[..32])
    }
}
