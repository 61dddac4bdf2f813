//! The parked runs of one principal: a folder for each.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use ampoule_store::folder::PrivateFolder;
use serde_json::value::RawValue;

use crate::parked::file::{Head, State};
use crate::parked::kept::{KeptRun, Place};
use crate::parked::notes::{self, At};
use crate::parked::owner::{self, There};
use crate::parked::problem::Problem;
use crate::parked::store::Shared;

/// How the files of runs end, and those of notes, and of whose they are.
const RUN: &str = "run";
const NOTES: &str = "notes";
const OWNER: &str = "owner";
/// How the empty files end that are there as long as runs are kept which have files of their own.
const MARK: &str = "mark";
/// How the file ends that says how a run ended, while that is not decided.
const PROMISED: &str = "promised";
/// How old a mark without a run must be, so that none is about to be kept.
const MARK_AGE: Duration = Duration::from_hours(1);
/// The file that is locked while somebody claims a run.
const CLAIMING: &str = ".claiming";
/// How long others may take to claim one.
const PATIENCE: Duration = Duration::from_secs(10);

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
pub struct Found {
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
    /// What whoever kept it says of it.
    pub about: Box<RawValue>,
}

/// A run that was another process's, and is this one's now.
#[derive(Debug)]
pub struct Claimed {
    /// The run.
    pub run: KeptRun,
    /// What it has come to.
    pub state: State,
    /// What whoever kept it says of it.
    pub about: Box<RawValue>,
    /// What was noted since, in order.
    pub notes: Vec<Vec<u8>>,
}

/// A run by its name, and what came of claiming it.
pub type Each = (String, Result<Claimed, Problem>);

pub(crate) fn file_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{RUN}")
}

pub(crate) fn notes_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{NOTES}")
}

pub(crate) fn promise_of(run: &str, number: u64) -> String {
    format!("{run}.{number}.{PROMISED}")
}

pub(crate) fn mark_of(run: &str) -> String {
    format!("{run}.{MARK}")
}

pub(crate) fn owner_of(run: &str) -> String {
    format!("{run}.{OWNER}")
}

/// The numbers by which runs are kept, by the runs.
pub(crate) struct Files {
    kept: BTreeMap<String, Vec<u64>>,
    promised: BTreeMap<String, u64>,
}

impl Files {
    /// Those in a folder, or those of one run.
    pub(crate) fn of(shelf: &Shelf, only: Option<&str>) -> io::Result<Self> {
        let mut files: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut promised = BTreeMap::new();
        for name in shelf.folder.names()? {
            let mut parts = name.split('.');
            let (run, number, kind) = (parts.next(), parts.next(), parts.next());
            let (Some(run), Some(number), Some(kind)) = (run, number, kind) else {
                continue;
            };
            let Ok(number) = number.parse() else { continue };
            if run.is_empty() || only.is_some_and(|only| only != run) {
                continue;
            }
            match kind {
                RUN | NOTES => files.entry(run.to_owned()).or_default().push(number),
                PROMISED => drop(promised.insert(run.to_owned(), number)),
                _ => {}
            }
        }
        for numbers in files.values_mut() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Ok(Self {
            kept: files,
            promised,
        })
    }

    /// The number by which a run would be kept if a promise is.
    pub(crate) fn promised(&self, run: &str) -> Option<u64> {
        self.promised.get(run).copied()
    }

    /// Those of a run, the newest last.
    pub(crate) fn numbers(&self, run: &str) -> Vec<u64> {
        self.kept.get(run).cloned().unwrap_or_default()
    }
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
    pub fn run(self: &Arc<Self>, run: String) -> KeptRun {
        KeptRun::new(Arc::clone(self), run, Place::default())
    }

    /// All of them, by their names; and what is wrong with those that can't be read.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn list(&self) -> Result<Vec<Result<Found, Problem>>, Problem> {
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
    /// [`Problem::Missing`], [`Problem::Damaged`], [`Problem::Unreadable`], [`Problem::Folder`].
    pub fn find(&self, run: &str) -> Result<Found, Problem> {
        let files = Files::of(self, Some(run))?;
        let found = self.found(run, &files, &mut HashMap::new())?;
        found.ok_or_else(|| Problem::Missing(run.to_owned()))
    }

    /// The names of all that is there.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn names(&self) -> Result<Vec<String>, Problem> {
        Ok(Files::of(self, None)?.kept.into_keys().collect())
    }

    fn found(
        &self,
        run: &str,
        files: &Files,
        owners: &mut HashMap<String, Option<There>>,
    ) -> Result<Option<Found>, Problem> {
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
        Ok(Some(Found {
            run: run.to_owned(),
            state: head.state,
            is_owned: there.is_some(),
            pid: there.and_then(|there| there.pid),
            kept: SystemTime::UNIX_EPOCH + Duration::from_secs(head.kept),
            bytes,
            about: head.about,
        }))
    }

    /// What is told of a run where it was last kept, how large that is, and its number; none if there
    /// is no such run.
    fn newest(&self, run: &str, files: &Files) -> Result<Option<(Head, u64, u64)>, Problem> {
        if let Some(number) = files.promised(run)
            && let Some((head, bytes)) = self.head((run, number), &promise_of(run, number))?
            && let Some(decision) = &head.decision
            && decision.is_made().map_err(unreadable(run))?
        {
            return Ok(Some((head, bytes, number)));
        }
        for number in files.numbers(run).into_iter().rev() {
            // Notes alone, or it went meanwhile.
            if let Some((head, bytes)) = self.head((run, number), &file_of(run, number))? {
                return Ok(Some((head, bytes, number)));
            }
        }
        Ok(None)
    }

    /// What is told of a run in a file, and how large that is; none if there is none.
    fn head(&self, (run, number): (&str, u64), name: &str) -> Result<Option<(Head, u64)>, Problem> {
        let mut file = match self.folder.file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(run)(error)),
        };
        let bytes = file.metadata().map_err(unreadable(run))?.len();
        let damaged = |what| Problem::Damaged {
            run: run.to_owned(),
            what,
        };
        let most = self.shared.limits.bytes;
        let head = Head::read(&mut file, (&self.shared.key, most)).map_err(unreadable(run))?;
        let head = head.map_err(damaged)?;
        // Files that were given each other's names are no runs of these.
        if (&*head.run, head.number, &*head.principal) != (run, number, &*self.tag) {
            return Err(damaged("it is another run's"));
        }
        Ok(Some((head, bytes)))
    }

    /// Keeps or takes back what a process promised that is gone.
    fn settle(&self, run: &str, (newest, files): (u64, &Files)) -> io::Result<()> {
        match files.promised(run) {
            None => Ok(()),
            Some(number) if number == newest => self
                .folder
                .rename(&promise_of(run, number), &file_of(run, number)),
            Some(number) => self.folder.clear(&promise_of(run, number)),
        }
    }

    fn owner_of(&self, run: &str) -> Result<Option<String>, Problem> {
        let mut owner = Vec::new();
        let read = self.folder.file(&owner_of(run));
        match read.and_then(|file| file.take(64).read_to_end(&mut owner)) {
            // What a power failure leaves of it names nobody.
            Ok(_) => Ok(Some(String::from_utf8_lossy(&owner).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(run)(error)),
        }
    }

    /// Makes a run this process's, whose process is gone.
    ///
    /// # Errors
    ///
    /// [`Problem::Busy`] while that is still there; [`Problem::Missing`], [`Problem::Damaged`],
    /// [`Problem::Unreadable`], [`Problem::Folder`].
    pub fn claim(self: &Arc<Self>, run: &str) -> Result<Claimed, Problem> {
        let _claiming = self.claiming(run)?;
        let files = Files::of(self, Some(run))?;
        self.claim_of(run, &files)
    }

    /// Makes all runs this process's that wait, and whose processes are gone.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`]; for each of them, as for [`claim`](Self::claim).
    pub fn claim_all(self: &Arc<Self>) -> Result<Vec<Each>, Problem> {
        let _claiming = self.claiming("")?;
        let files = Files::of(self, None)?;
        let mut claimed = Vec::new();
        for run in files.kept.keys() {
            match self.claim_of(run, &files) {
                Err(Problem::Busy(_) | Problem::Missing(_)) => {}
                Ok(ended) if ended.state == State::Ended => ended.run.release()?,
                found => claimed.push((run.clone(), found)),
            }
        }
        Ok(claimed)
    }

    fn claim_of(self: &Arc<Self>, run: &str, files: &Files) -> Result<Claimed, Problem> {
        if let Some(owner) = self.owner_of(run)?
            && owner::there(&self.shared.owners(), &owner)?.is_some()
        {
            return Err(Problem::Busy(run.to_owned()));
        }
        let missing = || Problem::Missing(run.to_owned());
        let (head, _, number) = self.newest(run, files)?.ok_or_else(missing)?;
        self.settle(run, (number, files)).map_err(unreadable(run))?;
        let damaged = |what| Problem::Damaged {
            run: run.to_owned(),
            what,
        };
        let at = At {
            run,
            number,
            offset: 0,
        };
        let noted = self.noted(run, number).map_err(unreadable(run))?;
        let (notes, noted) = notes::read(&noted, at, &self.shared.key).map_err(damaged)?;
        let kept = KeptRun::new(Arc::clone(self), run.to_owned(), Place { number, noted });
        kept.own()?;
        // What was kept before that, where its writer was killed.
        for before in files.numbers(run) {
            if before < number {
                self.folder.clear(&file_of(run, before))?;
                self.folder.clear(&notes_of(run, before))?;
            }
        }
        Ok(Claimed {
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
    fn claiming(&self, run: &str) -> Result<Claiming, Problem> {
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            if let Some(lock) = self.folder.try_lock(CLAIMING)? {
                return Ok(Claiming(lock));
            }
            if std::time::Instant::now() > until {
                return Err(Problem::Busy(run.to_owned()));
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Removes a run that no process has, whatever is wrong with it.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::Busy`], [`Problem::Folder`].
    pub fn remove(&self, run: &str) -> Result<(), Problem> {
        let _claiming = self.claiming(run)?;
        self.remove_of(run, &Files::of(self, Some(run))?)
    }

    /// The same, while nobody claims one.
    fn remove_of(&self, run: &str, files: &Files) -> Result<(), Problem> {
        if !files.kept.contains_key(run) {
            return Err(Problem::Missing(run.to_owned()));
        }
        if let Some(owner) = self.owner_of(run)?
            && owner::there(&self.shared.owners(), &owner)?.is_some()
        {
            return Err(Problem::Busy(run.to_owned()));
        }
        self.remove_files(run, files)
    }

    /// Removes those that have been nobody's for too long, and what writers left that were killed.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn sweep(&self) -> Result<(), Problem> {
        self.folder.sweep_drafts();
        self.sweep_marks()?;
        let found = self.list()?.into_iter().flatten();
        let is_old = |found: &Found| {
            let age = found.kept.elapsed().unwrap_or_default();
            !found.is_owned && age > self.shared.limits.age
        };
        let old: Vec<Found> = found.filter(is_old).collect();
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
                    "a parked run was removed: nobody has gone on with it, or asked for its end, for too long"
                ),
                Err(Problem::Busy(_)) => {}
                Err(error) => {
                    tracing::warn!(run, principal, %error, "a parked run can't be removed")
                }
            }
        }
        Ok(())
    }

    /// Removes one, if it is still what it was when these files were looked at.
    fn remove_old(&self, run: &str, files: &Files) -> Result<(), Problem> {
        let _claiming = self.claiming(run)?;
        let newest = files.numbers(run).pop().unwrap_or_default();
        match self.folder.metadata(&file_of(run, newest)) {
            Ok(_) => self.remove_of(run, files),
            // Somebody went on with it meanwhile.
            Err(_) => Err(Problem::Busy(run.to_owned())),
        }
    }

    /// Removes the marks of runs that are not kept.
    fn sweep_marks(&self) -> Result<(), Problem> {
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
    pub(crate) fn sizes(&self) -> Result<HashMap<String, u64>, Problem> {
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
fn unreadable(run: &str) -> impl Fn(io::Error) -> Problem + use<> {
    let run = run.to_owned();
    move |why| Problem::Unreadable {
        run: run.clone(),
        why,
    }
}

/// Nobody else claims a run.
struct Claiming(std::fs::File);

impl Drop for Claiming {
    fn drop(&mut self) {
        // Closing the file gives it back, too.
        let _ = self.0.unlock();
    }
}
