//! What is stored of one run, while this process owns the run.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ampoule_store::commit::Decision;
use parking_lot::Mutex;
use serde_json::value::RawValue;

use crate::parked::error::ParkedRunError;
use crate::parked::file::{Head, State};
use crate::parked::files::{Files, file_of, mark_of, notes_of, owner_of, promise_of};
use crate::parked::notes::{self, NoteLocation};
use crate::parked::shelf::Shelf;

/// What is stored of a run that this process owns. It stays when this is dropped.
#[derive(Debug)]
pub struct StoredRun {
    shelf: Arc<Shelf>,
    run: String,
    position: Mutex<Position>,
}

/// How far what is stored of a run has come.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Position {
    /// How often it was kept.
    pub(crate) number: u64,
    /// How many bytes of notes there are since.
    pub(crate) noted: u64,
}

impl StoredRun {
    pub(crate) fn new(shelf: Arc<Shelf>, run: String, position: Position) -> Self {
        Self {
            shelf,
            run,
            position: Mutex::new(position),
        }
    }

    /// What it is called.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether anything of it is kept.
    pub fn is_kept(&self) -> bool {
        self.position.lock().number > 0
    }

    /// Keeps what it is, in place of what was kept and noted before.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Full`], [`ParkedRunError::Folder`]: what was kept before is still there.
    pub fn keep(&self, about: Box<RawValue>, memory: &[u8]) -> Result<(), ParkedRunError> {
        self.put(State::Parked, about, memory)
    }

    /// Keeps how it ended, in place of all that was kept: it is nobody's from now on.
    ///
    /// # Errors
    ///
    /// As for [`keep`](Self::keep).
    pub fn end(&self, about: Box<RawValue>) -> Result<(), ParkedRunError> {
        self.put(State::Ended, about, &[])?;
        self.shelf.folder.clear(&mark_of(&self.run))?;
        Ok(self.release()?)
    }

    /// Promises that it ends so: it has, once that was decided, and nobody resumes it. Gives the
    /// file of the promise.
    ///
    /// # Errors
    ///
    /// As for [`keep`](Self::keep); [`ParkedRunError::Missing`] if nothing is kept.
    pub fn promise_end(
        &self,
        about: Box<RawValue>,
        decision: Decision,
    ) -> Result<PathBuf, ParkedRunError> {
        let Shelf {
            folder,
            tag,
            shared,
        } = &*self.shelf;
        let position = self.position.lock();
        if position.number == 0 {
            return Err(ParkedRunError::Missing(self.run.clone()));
        }
        let number = position.number + 1;
        let mut head = Head::new(&self.run, number, tag, State::Ended, now(), about);
        head.decision = Some(decision);
        let file = head.written(&[], &shared.key)?;
        let name = promise_of(&self.run, number);
        folder.draft(&self.run, || ())?.keep(&name, &file)?;
        folder.sync()?;
        Ok(folder.path().join(name))
    }

    /// What was promised is so from now on.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn fulfil_end(&self) -> Result<(), ParkedRunError> {
        let folder = &self.shelf.folder;
        let mut position = self.position.lock();
        let before = position.number;
        let number = before + 1;
        folder.rename(&promise_of(&self.run, number), &file_of(&self.run, number))?;
        *position = Position { number, noted: 0 };
        folder.clear(&file_of(&self.run, before))?;
        folder.clear(&notes_of(&self.run, before))?;
        Ok(())
    }

    /// What was promised does not become so.
    pub fn take_back_end(&self) {
        let number = self.position.lock().number + 1;
        if let Err(error) = self.shelf.folder.clear(&promise_of(&self.run, number)) {
            tracing::debug!(run = self.run, %error, "the next process rolls back what was prepared");
        }
    }

    fn put(&self, state: State, about: Box<RawValue>, memory: &[u8]) -> Result<(), ParkedRunError> {
        let Shelf {
            folder,
            tag,
            shared,
        } = &*self.shelf;
        let mut position = self.position.lock();
        let number = position.number + 1;
        let head = Head::new(&self.run, number, tag, state, now(), about);
        let file = head.written(memory, &shared.key)?;
        shared.take_room(tag, &self.run, file.len() as u64)?;
        let kept = (|| {
            if position.number == 0 {
                // Before there is anything that others could take for nobody's.
                self.own()?;
            }
            let draft = folder.draft(&self.run, || ())?;
            draft.keep(&file_of(&self.run, number), &file)?;
            folder.sync()
        })();
        if let Err(error) = kept {
            if position.number == 0 {
                shared.give_room_back(tag, &self.run);
            }
            return Err(error.into());
        }
        let before = std::mem::replace(&mut *position, Position { number, noted: 0 });
        if before.number > 0 {
            folder.clear(&file_of(&self.run, before.number))?;
            folder.clear(&notes_of(&self.run, before.number))?;
        }
        Ok(())
    }

    /// Adds to what is kept.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`]; [`ParkedRunError::Missing`] if nothing is kept.
    pub fn note(&self, note: &[u8]) -> Result<(), ParkedRunError> {
        let Shelf { folder, shared, .. } = &*self.shelf;
        let mut position = self.position.lock();
        let Position { number, noted } = *position;
        if number == 0 {
            return Err(ParkedRunError::Missing(self.run.clone()));
        }
        let at = NoteLocation {
            run: &self.run,
            number,
            offset: noted,
        };
        let written = notes::written(note, &at, &shared.key);
        let mut file = folder.append(&notes_of(&self.run, number))?;
        // What was cut off is not a note, and in the way of the next.
        file.set_len(noted)?;
        file.write_all(&written)?;
        file.sync_data()?;
        position.noted += written.len() as u64;
        Ok(())
    }

    /// A file that is there as long as anything of it is kept; gives where it is.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn mark(&self) -> Result<PathBuf, ParkedRunError> {
        let Shelf { folder, .. } = &*self.shelf;
        let name = mark_of(&self.run);
        drop(folder.append(&name)?);
        Ok(folder.path().join(name))
    }

    /// The memory that was kept last.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Missing`], [`ParkedRunError::Damaged`], [`ParkedRunError::Folder`].
    pub fn memory(&self) -> Result<Vec<u8>, ParkedRunError> {
        let number = self.position.lock().number;
        self.shelf.memory(&self.run, number)
    }

    /// Removes all of it.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn remove(&self) -> Result<(), ParkedRunError> {
        let Shelf {
            folder,
            tag,
            shared,
        } = &*self.shelf;
        let mut position = self.position.lock();
        let Position { number, .. } = std::mem::take(&mut *position);
        if number > 0 {
            folder.clear(&file_of(&self.run, number))?;
            folder.clear(&notes_of(&self.run, number))?;
            folder.clear(&owner_of(&self.run))?;
            folder.clear(&mark_of(&self.run))?;
            shared.give_room_back(tag, &self.run);
        }
        Ok(())
    }

    /// This process has it. That need not be on the disk: after a power failure, no process has any.
    pub(crate) fn own(&self) -> io::Result<()> {
        let Shelf { folder, shared, .. } = &*self.shelf;
        let name = shared.owner()?.name();
        let draft = folder.draft(&owner_of(&self.run), || ())?;
        draft
            .keep_unsynced(&owner_of(&self.run), name.as_bytes())
            .map(drop)
    }

    /// It is nobody's: any process may continue with it.
    ///
    /// # Errors
    ///
    /// The folder's.
    pub fn release(&self) -> io::Result<()> {
        self.shelf.folder.clear(&owner_of(&self.run))
    }
}

impl Shelf {
    fn memory(&self, run: &str, number: u64) -> Result<Vec<u8>, ParkedRunError> {
        if number == 0 {
            return Err(ParkedRunError::Missing(run.to_owned()));
        }
        let damaged = |what| ParkedRunError::Damaged {
            run: run.to_owned(),
            what,
        };
        let most = self.shared.limits.each;
        let mut file = self.folder.file(&file_of(run, number))?;
        let head = Head::read(&mut file, &self.shared.key, most)?.map_err(damaged)?;
        head.memory(file, most)?.map_err(damaged)
    }

    /// Removes what there is of a run.
    pub(crate) fn remove_files(&self, run: &str, files: &Files) -> Result<(), ParkedRunError> {
        if let Some(number) = files.promised(run) {
            self.folder.clear(&promise_of(run, number))?;
        }
        // The newest last: whatever stops this, what is left is what it was.
        for number in files.numbers(run) {
            self.folder.clear(&notes_of(run, number))?;
            self.folder.clear(&file_of(run, number))?;
        }
        self.folder.clear(&owner_of(run))?;
        self.folder.clear(&mark_of(run))?;
        self.shared.give_room_back(&self.tag, run);
        Ok(())
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
