//! One session, while nobody else has it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use ampoule_store::commit::Decision;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde_json::Value;

use crate::sessions::error::SessionError;
use crate::sessions::head::{Head, SessionMetadata};
use crate::sessions::heads::{self, HeadEntry, Heads, List, file_of};
use crate::sessions::name;
use crate::sessions::parts;
use crate::sessions::shelf::{Shelf, if_there, lock_of};

/// A session that this has to itself. So what was read of its folder once stays true.
#[derive(Debug)]
pub struct Session {
    shelf: Arc<Shelf>,
    name: String,
    folder: OnceLock<PrivateFolder>,
    heads: OnceLock<Heads>,
    /// What it is about to have.
    next: Option<List>,
    /// What the run has read that is about to leave something.
    carries: Option<Value>,
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

/// What is to become of a session.
#[derive(Debug)]
pub enum SessionChange {
    /// A run has left this.
    Head(Box<Head>),
    /// It goes back to what was there so many runs ago.
    Rewound(usize),
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

    /// Keeps what a run left, as the newest head; the oldest go where there are too many. Gives how
    /// many bytes it takes.
    ///
    /// # Errors
    ///
    /// [`SessionError::TooLarge`], [`SessionError::Damaged`], [`SessionError::Folder`]: nothing has changed then.
    pub fn keep(&mut self, head: Head) -> Result<u64, SessionError> {
        let bytes = self.promise(SessionChange::Head(Box::new(head)), None)?;
        self.fulfil()?;
        Ok(bytes)
    }

    /// Goes back to what was there so many runs ago.
    ///
    /// # Errors
    ///
    /// [`SessionError::Missing`], [`SessionError::TooFar`], [`SessionError::Folder`].
    pub fn rewind(&mut self, runs: usize) -> Result<(), SessionError> {
        self.promise(SessionChange::Rewound(runs), None)?;
        self.fulfil()
    }

    /// Makes another session of it, with all of its heads. The files are the same: they take no
    /// room.
    ///
    /// # Errors
    ///
    /// [`SessionError::Missing`], [`SessionError::Exists`], [`SessionError::Busy`], [`SessionError::Folder`].
    pub fn fork(&self, new: &str) -> Result<(), SessionError> {
        self.forked(new, None)?.fulfil()
    }

    /// Writes down what is to become of it: nobody sees anything of it before it is
    /// [fulfilled](Self::fulfil). With a decision, it is also fulfilled by the run that has the
    /// session next, if that was made. Gives how many bytes the new head takes.
    ///
    /// # Errors
    ///
    /// As for [`keep`](Self::keep) and [`rewind`](Self::rewind).
    pub fn promise(
        &mut self,
        next: SessionChange,
        decision: Option<Decision>,
    ) -> Result<u64, SessionError> {
        let heads = self.known()?;
        let sealed = heads.sealed().map_err(|fault| fault.of(&self.name))?;
        let mut next_heads = sealed.to_vec();
        let bytes = match next {
            SessionChange::Head(head) => self.written(&mut next_heads, *head)?,
            SessionChange::Rewound(runs) => {
                self.goes_back(runs)?;
                next_heads.truncate(next_heads.len().saturating_sub(runs));
                0
            }
        };
        let carried = self.carried_now()?;
        let mut list = List::of(&self.shelf, &self.name, next_heads).carrying(carried);
        if let Some(decision) = decision {
            list.promise(self.folder()?, &self.shelf.key, decision)?;
        }
        self.next = Some(list);
        Ok(bytes)
    }

    /// Makes another session of it, with all of the heads that it is about to have; there is
    /// nothing of that one before it is [fulfilled](Self::fulfil).
    ///
    /// # Errors
    ///
    /// As for [`fork`](Self::fork).
    pub fn forked(&self, new: &str, decision: Option<Decision>) -> Result<Self, SessionError> {
        let new = name::checked(new)?;
        let heads = match &self.next {
            Some(next) => &next.heads,
            None => {
                let sealed = self.known()?.sealed();
                sealed.map_err(|fault| fault.of(&self.name))?
            }
        };
        if heads.is_empty() {
            return Err(SessionError::Missing(self.name.clone()));
        }
        if new == self.name {
            return Err(SessionError::Exists(new.to_owned()));
        }
        let mut other = self.shelf.take(new)?;
        if !other.heads()?.is_empty() {
            return Err(SessionError::Exists(new.to_owned()));
        }
        self.shelf.make_room()?;
        // Under another name until it is whole. Nobody else makes it meanwhile.
        let making = self.shelf.path_of(&format!(".{new}.making"));
        clear_folder(&making)?;
        let made = PrivateFolder::open(&making, OTHERS_REACH)?;
        let files = self.folder()?.names()?;
        for name in heads.iter().map(|head| file_of(head.number)) {
            // The head, and its parts.
            for file in files.iter().filter(|file| file.starts_with(&name)) {
                self.folder()?.link(file, &made, file)?;
            }
        }
        let carried = self.carried_now()?;
        let mut list = List::of(&self.shelf, new, heads.to_vec()).carrying(carried);
        // Until it is fulfilled, a list says that there are none.
        List::of(&self.shelf, new, Vec::new()).put(&made, &self.shelf.key)?;
        if let Some(decision) = decision {
            list.promise(&made, &self.shelf.key, decision)?;
        }
        clear_folder(&other.path())?;
        fs::rename(&making, other.path())?;
        (other.folder, other.heads) = (OnceLock::new(), OnceLock::new());
        other.next = Some(list);
        Ok(other)
    }

    /// The number of the newest run that it is about to have.
    pub fn next_run(&self) -> Option<u64> {
        let next = self.next.as_ref()?;
        Some(next.heads.last().map_or(0, |head| head.number))
    }

    /// The file that a promise with a decision is in, until it is fulfilled.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn promise_file(&self) -> Result<PathBuf, SessionError> {
        Ok(heads::promise_in(self.folder()?))
    }

    /// What was promised is so from now on.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn fulfil(&mut self) -> Result<(), SessionError> {
        let Some(next) = self.next.take() else {
            return Ok(());
        };
        next.keep(self.folder()?, &self.shelf.key)?;
        self.heads = OnceLock::new();
        // What is on no list any more goes.
        self.known()?;
        Ok(())
    }

    /// Removes what there is too much of, once several sessions that were promised together are there.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn trim(&self) -> Result<(), SessionError> {
        self.shelf.make_room_for(0)
    }

    /// What was promised does not become so.
    pub fn take_back(&mut self) {
        if self.next.take().is_none() {
            return;
        }
        let taken_back = self.folder().and_then(heads::take_back).and_then(|()| {
            self.heads = OnceLock::new();
            self.known().map(drop)
        });
        if let Err(error) = taken_back {
            tracing::debug!(session = self.name, %error, "the next process rolls back what was prepared");
        }
    }

    /// Writes a head, which is on no list yet. Gives how many bytes it takes.
    fn written(&self, heads: &mut Vec<HeadEntry>, mut head: Head) -> Result<u64, SessionError> {
        if heads.is_empty() {
            self.shelf.make_room()?;
        }
        let last = heads.last().map(|last| last.number);
        let number = last.map_or(head.about.run.max(1), |last| last + 1);
        head.about.run = number;
        head.about.principal.clone_from(&self.shelf.tag);
        let (file, seal) = head.written(&self.shelf.key);
        let (bytes, most) = (file.len() as u64, self.shelf.limits.bytes);
        if bytes > most {
            return Err(SessionError::TooLarge { bytes, most });
        }
        let folder = self.folder()?;
        if !self.known()?.has_list() {
            // A head without a list would be one that somebody put there.
            let none = List::of(&self.shelf, &self.name, Vec::new());
            none.put(folder, &self.shelf.key)?;
        }
        parts::keep(folder, self.shelf.parts(), &file_of(number), &file)?;
        heads.push(HeadEntry { number, seal });
        let many = heads.len().saturating_sub(self.shelf.limits.heads);
        heads.drain(..many);
        Ok(bytes)
    }

    /// What its runs have read by now.
    fn carried_now(&self) -> Result<Option<Value>, SessionError> {
        let before = self.known()?.carried();
        Ok(self.carries.as_ref().or(before).cloned())
    }

    /// Whether it can go back so many runs.
    fn goes_back(&self, runs: usize) -> Result<(), SessionError> {
        let heads = self.known()?;
        if heads.numbers().is_empty() && runs > 0 {
            return Err(SessionError::Missing(self.name.clone()));
        }
        let most = heads.back();
        match runs > most {
            true => Err(SessionError::TooFar {
                name: self.name.clone(),
                most,
            }),
            false => Ok(()),
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

    fn path(&self) -> PathBuf {
        self.shelf.path_of(&self.name)
    }

    /// Its folder, which is made if need be.
    fn folder(&self) -> io::Result<&PrivateFolder> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder);
        }
        let folder = self.shelf.folder.within(&self.name, OTHERS_REACH)?;
        Ok(self.folder.get_or_init(|| folder))
    }

    /// What is in it, once what others left there is settled.
    fn known(&self) -> io::Result<&Heads> {
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
fn clear_folder(path: &Path) -> io::Result<()> {
    if_there(fs::remove_dir_all(path))
}
