//! A folder that runs read, and may change: with what the host keeps in it for itself.
//!
//! `.ampoule/lock` is locked: by many who look, or by one who merges. `.ampoule/layers/` has a
//! folder for each run that wrote something, and `.ampoule/journal` is there as long as a merge has
//! begun and not ended; `.ampoule/journal.promised` where something else decides whether one begins. Nothing of it is there in folders that are only read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, MetadataExt, OpenOptions, OpenOptionsExt};

use crate::error::FileError;
use crate::merge;
use crate::path::OWN;

/// What is locked, in the host's own folder.
const LOCK: &str = "lock";

/// How much there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// All files together, in bytes.
    pub bytes: u64,
    /// How many files and folders.
    pub files: u64,
}

impl Default for Quota {
    /// 256 MiB in 10,000 files.
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            files: 10_000,
        }
    }
}

/// A folder, open.
#[derive(Debug)]
pub struct Tree {
    pub(crate) root: Dir,
    /// For messages to the operator.
    path: PathBuf,
    pub(crate) writable: bool,
    pub(crate) quota: Quota,
    /// Whether what was there before counts for the quota.
    pub(crate) counts_all: bool,
}

/// While this is there, nobody merges; or nobody else looks.
pub(crate) struct Turn {
    _lock: Option<File>,
}

impl Tree {
    /// A workspace: made if need be. What is in it counts for the quota.
    ///
    /// # Errors
    ///
    /// It can't be made or opened.
    pub fn workspace(path: &Path, quota: Quota) -> io::Result<Arc<Self>> {
        std::fs::create_dir_all(path)?;
        Self::open(path, true, quota, true)
    }

    /// A workspace that is there: nothing is made.
    ///
    /// # Errors
    ///
    /// There is none, or it can't be opened.
    pub fn existing(path: &Path, quota: Quota) -> io::Result<Arc<Self>> {
        Self::open(path, true, quota, true)
    }

    /// A folder that is there. Of the quota, only what a run adds to it counts.
    ///
    /// # Errors
    ///
    /// There is none, or it can't be opened.
    pub fn folder(path: &Path, writable: bool, quota: Quota) -> io::Result<Arc<Self>> {
        Self::open(path, writable, quota, false)
    }

    fn open(path: &Path, writable: bool, quota: Quota, counts_all: bool) -> io::Result<Arc<Self>> {
        let root = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Arc::new(Self {
            root,
            path: path.to_owned(),
            writable,
            quota,
            counts_all,
        }))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until nobody merges. What somebody began to merge and was killed at is finished first.
    /// A folder whose lock is somebody else's is looked at without: nothing here could merge it.
    pub(crate) fn look(&self) -> Result<Turn, FileError> {
        let own = match self.own() {
            Err(error) if is_somebody_elses(&error) => None,
            own => own?,
        };
        let Some(own) = own else {
            return Ok(Turn { _lock: None });
        };
        let lock = match lock_to_look(&own) {
            Err(error) if is_somebody_elses(&error) => return Ok(Turn { _lock: None }),
            lock => lock?,
        };
        if !own.try_exists(merge::JOURNAL)? && !own.try_exists(merge::PROMISE)? {
            return Ok(Turn { _lock: lock });
        }
        drop(lock);
        self.change().map(|(turn, _)| turn)
    }

    /// Waits until nobody looks or merges. Gives the folder of the host's own.
    pub(crate) fn change(&self) -> Result<(Turn, Dir), FileError> {
        let own = self.own_made()?;
        let lock = lock_to_change(&own)?;
        merge::settle(&own)?;
        merge::finish(&self.root, &own)?;
        Ok((Turn { _lock: Some(lock) }, own))
    }

    /// Which folder it is, however it is called.
    pub(crate) fn id(&self) -> io::Result<(u64, u64)> {
        let found = self.root.dir_metadata()?;
        Ok((found.dev(), found.ino()))
    }

    /// Where the host's own folder is.
    pub(crate) fn own_path(&self) -> PathBuf {
        self.path.join(OWN)
    }

    /// The host's own folder, if there is one.
    pub(crate) fn own(&self) -> io::Result<Option<Dir>> {
        if !self.writable {
            return Ok(None);
        }
        match open_folder(&self.root, OWN) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            own => own.map(Some),
        }
    }

    pub(crate) fn own_made(&self) -> io::Result<Dir> {
        make_folder(&self.root, OWN)
    }
}

/// A folder that nobody else can look into, made if need be.
pub(crate) fn make_folder(within: &Dir, name: &str) -> io::Result<Dir> {
    let mut how = DirBuilder::new();
    how.mode(0o700);
    match within.create_dir_with(name, &how) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => open_folder(within, name),
    }
}

/// One of the host's own folders; a link in its place is not followed.
fn open_folder(within: &Dir, name: &str) -> io::Result<Dir> {
    if !within.symlink_metadata(name)?.is_dir() {
        return Err(io::Error::other("the host's own folder is not a folder"));
    }
    within.open_dir(name)
}

/// The lock of many who look, which a folder that can only be read has, too; none if it has no lock,
/// and can't have any.
fn lock_to_look(own: &Dir) -> io::Result<Option<File>> {
    let mut reading = OpenOptions::new();
    reading.read(true);
    let file = match own.open_with(LOCK, &reading) {
        Ok(file) => file.into_std(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match made_lock(own) {
            Ok(file) => file,
            Err(error) if is_for_reading(&error) => return Ok(None),
            Err(error) => return Err(error),
        },
        Err(error) => return Err(error),
    };
    file.lock_shared()?;
    Ok(Some(file))
}

fn lock_to_change(own: &Dir) -> io::Result<File> {
    let file = made_lock(own)?;
    file.lock()?;
    Ok(file)
}

fn made_lock(own: &Dir) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    Ok(own.open_with(LOCK, &options)?.into_std())
}

/// Whether what can't be made there can't be changed by this process, either.
fn is_for_reading(error: &io::Error) -> bool {
    is_somebody_elses(error) || error.kind() == io::ErrorKind::ReadOnlyFilesystem
}

fn is_somebody_elses(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
