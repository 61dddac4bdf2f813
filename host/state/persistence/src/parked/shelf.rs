//! The parked runs of one principal: a folder for each.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule_store::folder::PrivateFolder;
use serde_json::value::RawValue;

use crate::parked::error::ParkedRunError;
use crate::parked::file::{Head, State};
use crate::parked::files::{Files, MARK, file_of, mark_of, owner_of, promise_of};
use crate::parked::owner::{self, LiveOwner};
use crate::parked::store::Shared;
use crate::parked::stored_run::{Position, StoredRun};

/// How old a mark without a run must be, so that none is about to be kept.
const MARK_AGE: Duration = Duration::from_hours(1);
/// The parked runs of one principal.
#[derive(Debug)]
pub struct Shelf {
    pub(crate) folder: PrivateFolder,
    /// Whose they are.
    pub(crate) tag: String,
    pub(crate) shared: Arc<Shared>,
}

/// A run, as lists have it.
#[derive(Debug)]
pub struct RunEntry {
    /// What it is called.
    pub run: String,
    /// What it has come to.
    pub state: State,
    /// Whether a process has it.
    pub is_owned: bool,
    /// Which, if that is known.
    pub pid: Option<u32>,
    /// When it was last kept.
    pub kept: SystemTime,
    /// How much it takes, in bytes.
    pub bytes: u64,
    /// The caller's note on it.
    pub about: Box<RawValue>,
}

impl Shelf {
    pub(crate) fn new(folder: PrivateFolder, tag: String, shared: Arc<Shared>) -> Self {
        Self {
            folder,
            tag,
            shared,
        }
    }

    /// A run of this process, of which nothing is kept yet.
    pub fn run(self: &Arc<Self>, run: String) -> StoredRun {
        StoredRun::new(Arc::clone(self), run, Position::default())
    }

    /// All of them, by their names; and what is wrong with those that can't be read.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn list(&self) -> Result<Vec<Result<RunEntry, ParkedRunError>>, ParkedRunError> {
        let mut owners = HashMap::new();
        let files = Files::of(self, None)?;
        let runs = files.kept.keys();
        let found = runs.filter_map(|run| self.found(run, &files, &mut owners).transpose());
        Ok(found.collect())
    }

    /// One of them.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Missing`], [`ParkedRunError::Damaged`], [`ParkedRunError::Unreadable`], [`ParkedRunError::Folder`].
    pub fn find(&self, run: &str) -> Result<RunEntry, ParkedRunError> {
        let files = Files::of(self, Some(run))?;
        let found = self.found(run, &files, &mut HashMap::new())?;
        found.ok_or_else(|| ParkedRunError::Missing(run.to_owned()))
    }

    /// The names of all that is there.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn names(&self) -> Result<Vec<String>, ParkedRunError> {
        Ok(Files::of(self, None)?.kept.into_keys().collect())
    }

    fn found(
        &self,
        run: &str,
        files: &Files,
        owners: &mut HashMap<String, Option<LiveOwner>>,
    ) -> Result<Option<RunEntry>, ParkedRunError> {
        let Some((head, bytes, _)) = self.newest(run, files)? else {
            return Ok(None);
        };
        let owner = self.owner_of(run)?;
        let there = match owner {
            None => None,
            Some(owner) => match owners.get(&owner) {
                Some(there) => *there,
                None => {
                    let there = owner::there(&self.shared.owners(), &owner)?;
                    owners.insert(owner, there);
                    there
                }
            },
        };
        Ok(Some(RunEntry {
            run: run.to_owned(),
            state: head.state,
            is_owned: there.is_some(),
            pid: there.and_then(|there| there.pid),
            kept: SystemTime::UNIX_EPOCH + Duration::from_secs(head.kept),
            bytes,
            about: head.about,
        }))
    }

    /// The header of a run where it was last kept, how large that is, and its number; none if the
    /// run does not exist.
    pub(crate) fn newest(
        &self,
        run: &str,
        files: &Files,
    ) -> Result<Option<(Head, u64, u64)>, ParkedRunError> {
        if let Some(number) = files.promised(run)
            && let Some((head, bytes)) = self.head(run, number, &promise_of(run, number))?
            && let Some(decision) = &head.decision
            && decision.is_made().map_err(unreadable(run))?
        {
            return Ok(Some((head, bytes, number)));
        }
        for number in files.numbers(run).into_iter().rev() {
            // Notes alone, or it went meanwhile.
            if let Some((head, bytes)) = self.head(run, number, &file_of(run, number))? {
                return Ok(Some((head, bytes, number)));
            }
        }
        Ok(None)
    }

    /// The header of a run in a file, and how large that is; none if there is none.
    fn head(
        &self,
        run: &str,
        number: u64,
        name: &str,
    ) -> Result<Option<(Head, u64)>, ParkedRunError> {
        let mut file = match self.folder.file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(run)(error)),
        };
        let bytes = file.metadata().map_err(unreadable(run))?.len();
        let damaged = |what| ParkedRunError::Damaged {
            run: run.to_owned(),
            what,
        };
        let most = self.shared.limits.each;
        let head = Head::read(&mut file, &self.shared.key, most).map_err(unreadable(run))?;
        let head = head.map_err(damaged)?;
        // Files that were given each other's names are not runs of these.
        if (&*head.run, head.number, &*head.principal) != (run, number, &*self.tag) {
            return Err(damaged("it belongs to another run"));
        }
        Ok(Some((head, bytes)))
    }

    pub(crate) fn owner_of(&self, run: &str) -> Result<Option<String>, ParkedRunError> {
        let mut owner = Vec::new();
        let read = self.folder.file(&owner_of(run));
        match read.and_then(|file| file.take(64).read_to_end(&mut owner)) {
            // What a power failure leaves of it names nobody.
            Ok(_) => Ok(Some(String::from_utf8_lossy(&owner).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(run)(error)),
        }
    }

    /// Removes a run that no process has, whatever is wrong with it.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Missing`], [`ParkedRunError::Busy`], [`ParkedRunError::Folder`].
    pub fn remove(&self, run: &str) -> Result<(), ParkedRunError> {
        let _claiming = self.claiming(run)?;
        self.remove_of(run, &Files::of(self, Some(run))?)
    }

    /// The same, while nobody claims one.
    fn remove_of(&self, run: &str, files: &Files) -> Result<(), ParkedRunError> {
        if !files.kept.contains_key(run) {
            return Err(ParkedRunError::Missing(run.to_owned()));
        }
        if let Some(owner) = self.owner_of(run)?
            && owner::there(&self.shared.owners(), &owner)?.is_some()
        {
            return Err(ParkedRunError::Busy(run.to_owned()));
        }
        self.remove_files(run, files)
    }

    /// Removes those that have been nobody's for too long, and what writers left that were killed.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn sweep(&self) -> Result<(), ParkedRunError> {
        self.folder.sweep_drafts();
        self.sweep_marks()?;
        let found = self.list()?.into_iter().flatten();
        let is_old = |found: &RunEntry| {
            let age = found.kept.elapsed().unwrap_or_default();
            !found.is_owned && age > self.shared.limits.age
        };
        let old: Vec<RunEntry> = found.filter(is_old).collect();
        if old.is_empty() {
            return Ok(());
        }
        // Looked at once: there may be thousands.
        let files = Files::of(self, None)?;
        for found in old {
            let (run, principal) = (&found.run, &self.tag);
            match self.remove_old(run, &files) {
                Ok(()) => tracing::warn!(
                    run,
                    principal,
                    "a parked run expired and was removed: no client resumed it, or read its outcome, in time"
                ),
                Err(ParkedRunError::Busy(_)) => {}
                Err(error) => {
                    tracing::warn!(run, principal, %error, "a parked run can't be removed")
                }
            }
        }
        Ok(())
    }

    /// Removes one, if it is still what it was when these files were looked at.
    fn remove_old(&self, run: &str, files: &Files) -> Result<(), ParkedRunError> {
        let _claiming = self.claiming(run)?;
        let newest = files.numbers(run).pop().unwrap_or_default();
        match self.folder.metadata(&file_of(run, newest)) {
            Ok(_) => self.remove_of(run, files),
            // Somebody resumed it meanwhile.
            Err(_) => Err(ParkedRunError::Busy(run.to_owned())),
        }
    }

    /// Removes the marks of runs that are not kept.
    fn sweep_marks(&self) -> Result<(), ParkedRunError> {
        let runs = Files::of(self, None)?;
        for name in self.folder.names()? {
            let run = name
                .strip_suffix(MARK)
                .and_then(|run| run.strip_suffix('.'));
            let Some(run) = run.filter(|run| !runs.kept.contains_key(*run)) else {
                continue;
            };
            let found = self
                .folder
                .metadata(&mark_of(run))
                .and_then(|found| found.modified());
            let age = found.ok().and_then(|modified| modified.elapsed().ok());
            if age.is_some_and(|age| age > MARK_AGE) {
                self.folder.clear(&name)?;
            }
        }
        Ok(())
    }

    /// How large all of them are.
    pub(crate) fn sizes(&self) -> Result<HashMap<String, u64>, ParkedRunError> {
        let files = Files::of(self, None)?;
        let size = |(run, numbers): (&String, &Vec<u64>)| {
            let sizes = numbers.iter().filter_map(|&number| {
                Some(self.folder.metadata(&file_of(run, number)).ok()?.len())
            });
            (run.clone(), sizes.sum())
        };
        Ok(files.kept.iter().map(size).collect())
    }
}

/// What is wrong with one run's files says nothing of the folder.
pub(crate) fn unreadable(run: &str) -> impl Fn(io::Error) -> ParkedRunError + use<> {
    let run = run.to_owned();
    move |why| ParkedRunError::Unreadable {
        run: run.clone(),
        why,
    }
}
