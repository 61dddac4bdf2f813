//! How runs whose processes are gone become this process's.

use std::io::{self, Read};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::parked::error::ParkedRunError;
use crate::parked::file::State;
use crate::parked::files::{Files, file_of, notes_of, promise_of};
use crate::parked::notes::{self, NoteLocation};
use crate::parked::owner;
use crate::parked::shelf::{Shelf, unreadable};
use crate::parked::stored_run::{Position, StoredRun};

/// The file that is locked while somebody claims a run.
const CLAIMING: &str = ".claiming";
/// How long others may take to claim one.
const PATIENCE: Duration = Duration::from_secs(10);

/// A run that was another process's, and is this one's now.
#[derive(Debug)]
pub struct ClaimedRun {
    /// The run.
    pub run: StoredRun,
    /// What it has come to.
    pub state: State,
    /// The caller's note on it.
    pub about: Box<RawValue>,
    /// What was noted since, in order.
    pub notes: Vec<Vec<u8>>,
}

/// A run by its name, and what came of claiming it.
pub type ClaimOutcome = (String, Result<ClaimedRun, ParkedRunError>);

impl Shelf {
    /// Makes a run this process's, whose process is gone.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Busy`] while that is still there; [`ParkedRunError::Missing`], [`ParkedRunError::Damaged`],
    /// [`ParkedRunError::Unreadable`], [`ParkedRunError::Folder`].
    pub fn claim(self: &Arc<Self>, run: &str) -> Result<ClaimedRun, ParkedRunError> {
        let _claiming = self.claiming(run)?;
        let files = Files::of(self, Some(run))?;
        self.claim_of(run, &files)
    }

    /// Makes all runs this process's that wait, and whose processes are gone.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`]; for each of them, as for [`claim`](Self::claim).
    pub fn claim_all(self: &Arc<Self>) -> Result<Vec<ClaimOutcome>, ParkedRunError> {
        let _claiming = self.claiming("")?;
        let files = Files::of(self, None)?;
        let mut claimed = Vec::new();
        for run in files.kept.keys() {
            match self.claim_of(run, &files) {
                Err(ParkedRunError::Busy(_) | ParkedRunError::Missing(_)) => {}
                Ok(ended) if ended.state == State::Ended => ended.run.release()?,
                found => claimed.push((run.clone(), found)),
            }
        }
        Ok(claimed)
    }

    fn claim_of(self: &Arc<Self>, run: &str, files: &Files) -> Result<ClaimedRun, ParkedRunError> {
        if let Some(owner) = self.owner_of(run)?
            && owner::there(&self.shared.owners(), &owner)?.is_some()
        {
            return Err(ParkedRunError::Busy(run.to_owned()));
        }
        let missing = || ParkedRunError::Missing(run.to_owned());
        let (head, _, number) = self.newest(run, files)?.ok_or_else(missing)?;
        self.settle(run, number, files).map_err(unreadable(run))?;
        let damaged = |what| ParkedRunError::Damaged {
            run: run.to_owned(),
            what,
        };
        let at = NoteLocation {
            run,
            number,
            offset: 0,
        };
        let noted = self.noted(run, number).map_err(unreadable(run))?;
        let (notes, noted) = notes::read(&noted, at, &self.shared.key).map_err(damaged)?;
        let kept = StoredRun::new(Arc::clone(self), run.to_owned(), Position { number, noted });
        kept.own()?;
        // What was kept before that, where its writer was killed.
        for before in files.numbers(run) {
            if before < number {
                self.folder.clear(&file_of(run, before))?;
                self.folder.clear(&notes_of(run, before))?;
            }
        }
        Ok(ClaimedRun {
            run: kept,
            state: head.state,
            about: head.about,
            notes,
        })
    }

    fn noted(&self, run: &str, number: u64) -> io::Result<Vec<u8>> {
        let mut noted = Vec::new();
        match self.folder.file(&notes_of(run, number)) {
            Ok(mut file) => file.read_to_end(&mut noted)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        Ok(noted)
    }

    /// One at a time.
    pub(crate) fn claiming(&self, run: &str) -> Result<ClaimLock, ParkedRunError> {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = self.folder.try_lock(CLAIMING)? {
                return Ok(ClaimLock(lock));
            }
            if std::time::Instant::now() > until {
                return Err(ParkedRunError::Busy(run.to_owned()));
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Keeps or takes back what a process promised that is gone.
    fn settle(&self, run: &str, newest: u64, files: &Files) -> io::Result<()> {
        match files.promised(run) {
            None => Ok(()),
            Some(number) if number == newest => self
                .folder
                .rename(&promise_of(run, number), &file_of(run, number)),
            Some(number) => self.folder.clear(&promise_of(run, number)),
        }
    }
}

/// Nobody else claims a run.
pub(crate) struct ClaimLock(std::fs::File);

impl Drop for ClaimLock {
    fn drop(&mut self) {
        // Closing the file gives it back, too.
        let _ = self.0.unlock();
    }
}
