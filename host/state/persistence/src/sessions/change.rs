//! What becomes of a session: it is promised first, and then kept or taken back.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use ampoule_store::commit::Decision;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde_json::Value;

use crate::sessions::error::SessionError;
use crate::sessions::head::Head;
use crate::sessions::heads::{self, HeadEntry, List, file_of};
use crate::sessions::name;
use crate::sessions::parts;
use crate::sessions::session::{Session, clear_folder};

/// What is to become of a session.
#[derive(Debug)]
pub enum SessionChange {
    /// A run has left this.
    Head(Box<Head>),
    /// It goes back to what was there so many runs ago.
    Rewound(usize),
}

impl Session {
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
}
