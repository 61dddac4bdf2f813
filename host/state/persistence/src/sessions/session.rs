//! One session, while nobody else has it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde_json::Value;

use crate::sessions::error::SessionError;
use crate::sessions::head::{Head, SessionMetadata};
use crate::sessions::heads::{Heads, List, file_of};
use crate::sessions::parts;
use crate::sessions::shelf::{Shelf, if_there, lock_of};

/// A session that this has to itself. So what was read of its folder once stays true.
#[derive(Debug)]
pub struct Session {
    pub(super) shelf: Arc<Shelf>,
    pub(super) name: String,
    pub(super) folder: OnceLock<PrivateFolder>,
    pub(super) heads: OnceLock<Heads>,
    /// What it is about to have.
    pub(super) next: Option<List>,
    /// What the run has read that is about to leave something.
    pub(super) carries: Option<Value>,
    _lock: Lock,
}

/// Nobody else has the session. It is given back explicitly: a process that is being started has all
/// open files for a moment, and with them the lock.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file gives it back, too.
        let _ = self.0.unlock();
    }
}

impl Session {
    pub(crate) fn new(shelf: Arc<Shelf>, name: String, lock: File) -> Self {
        Self {
            shelf,
            name,
            folder: OnceLock::new(),
            heads: OnceLock::new(),
            next: None,
            carries: None,
            _lock: Lock(lock),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its runs have ever read, as far as policies care: those included that were undone.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn carried(&self) -> Result<Option<&Value>, SessionError> {
        Ok(self.known()?.carried())
    }

    /// The run that is about to leave something has read this, and all that its runs had read before.
    pub fn carries(&mut self, carried: Value) {
        self.carries = Some(carried);
    }

    /// The folder of its principal's sessions.
    pub fn place(&self) -> &Path {
        self.shelf.folder.path()
    }

    /// The numbers of the runs that left its heads, oldest first; none if the session does not
    /// exist.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn heads(&self) -> Result<&[u64], SessionError> {
        Ok(self.known()?.numbers())
    }

    /// How many runs it can go back.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn back(&self) -> Result<usize, SessionError> {
        Ok(self.known()?.back())
    }

    /// How large the file of its newest head is, in bytes.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn newest_bytes(&self) -> Result<u64, SessionError> {
        let heads = self.known()?;
        let newest = heads.numbers().last();
        let newest = newest.and_then(|&last| heads.metadata(last));
        Ok(newest.map_or(0, |found| found.len()))
    }

    /// The newest head, if there is one.
    ///
    /// # Errors
    ///
    /// [`SessionError::Damaged`], [`SessionError::Foreign`], [`SessionError::NotYours`], [`SessionError::TooLarge`].
    pub fn newest(&self) -> Result<Option<Head>, SessionError> {
        let newest = self.heads()?.last();
        newest.map(|&number| self.head(number)).transpose()
    }

    /// The description of a head.
    ///
    /// # Errors
    ///
    /// As for [`newest`](Self::newest).
    pub fn about(&self, number: u64) -> Result<SessionMetadata, SessionError> {
        Ok(self.head(number)?.about)
    }

    /// The head of that number.
    ///
    /// # Errors
    ///
    /// As for [`newest`](Self::newest).
    pub fn head(&self, number: u64) -> Result<Head, SessionError> {
        self.shelf.head_in(self.known()?, &self.name, number)
    }

    /// What its newest head has is not what was written.
    pub fn damaged(&self, what: &'static str) -> SessionError {
        SessionError::Damaged {
            name: self.name.clone(),
            what,
            goes_back: self.back().is_ok_and(|back| back > 0),
        }
    }

    /// Its newest head as a file that can be moved to another machine.
    ///
    /// # Errors
    ///
    /// [`SessionError::Missing`], and as for [`newest`](Self::newest).
    pub fn export(&self) -> Result<Vec<u8>, SessionError> {
        let newest = self.newest()?;
        let mut head = newest.ok_or_else(|| SessionError::Missing(self.name.clone()))?;
        head.about.principal.clear();
        Ok(head.written(&self.shelf.key).0)
    }

    /// Marks it as used now.
    pub fn mark(&self) {
        let marked = self.heads().ok().and_then(|heads| {
            let newest = self.folder().ok()?.file(&file_of(*heads.last()?)).ok()?;
            newest.set_modified(SystemTime::now()).ok()
        });
        if marked.is_none() {
            tracing::debug!(session = self.name, "it can't be marked as used");
        }
    }

    /// Removes all of it.
    ///
    /// # Errors
    ///
    /// [`SessionError::Missing`], [`SessionError::Folder`].
    pub fn remove(self) -> Result<(), SessionError> {
        let heads = self.known()?;
        if heads.numbers().is_empty() {
            return Err(SessionError::Missing(self.name));
        }
        let (folder, parts) = (self.folder()?, self.shelf.parts());
        if heads.sealed().is_ok() {
            // From here on the session does not exist; the rest is room.
            List::of(&self.shelf, &self.name, Vec::new()).put(folder, &self.shelf.key)?;
        }
        for &number in heads.numbers() {
            parts::remove(folder, parts, &file_of(number))?;
        }
        clear_folder(&self.path())?;
        self.shelf.folder.clear(&lock_of(&self.name))?;
        Ok(())
    }

    pub(super) fn path(&self) -> PathBuf {
        self.shelf.path_of(&self.name)
    }

    /// Its folder, which is made if need be.
    pub(super) fn folder(&self) -> io::Result<&PrivateFolder> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder);
        }
        let folder = self.shelf.folder.within(&self.name, OTHERS_REACH)?;
        Ok(self.folder.get_or_init(|| folder))
    }

    /// What is in it, once what others left there is settled.
    pub(super) fn known(&self) -> io::Result<&Heads> {
        if let Some(heads) = self.heads.get() {
            return Ok(heads);
        }
        let mut heads = Heads::of(&self.shelf, &self.name)?;
        if !heads.is_settled() {
            heads.settle(&self.shelf, self.folder()?)?;
            heads = Heads::of(&self.shelf, &self.name)?;
        }
        Ok(self.heads.get_or_init(|| heads))
    }
}

/// Removes a folder, if there is one.
pub(super) fn clear_folder(path: &Path) -> io::Result<()> {
    if_there(fs::remove_dir_all(path))
}
