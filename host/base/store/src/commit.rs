//! What several stores do together: all of it or nothing, whenever a process is killed.
//!
//! Each store that takes part first writes down what it is about to do, in a file of its own: its
//! *promise*, which names one more file, the *decision*. While there is no decision, nothing has
//! been done, and a process that finds a promise whose process is gone takes it back. Once the
//! decision is there, all of it is done, and a process that finds a promise keeps it. The decision
//! names the promises, and is removed when none of them is left.
//!
//! The process that made a promise holds the lock of its store until the promise is kept or taken
//! back; so a promise that others find under that lock is one of a process that is gone.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

/// The folder of decisions, in that of the store that has them.
pub const FOLDER: &str = "commits";
/// What the names of decisions begin with that are not whole.
const DRAFT: &str = ".draft-";
/// What a folder must have of decisions before the ones that nobody needs are looked for.
const LOOKS: u64 = 16;

/// Where it is said that promises are to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decision(PathBuf);

impl Decision {
    /// Whether promises that name it are to be kept.
    ///
    /// # Errors
    ///
    /// It can't be found out.
    pub fn is_made(&self) -> io::Result<bool> {
        match fs::symlink_metadata(&self.0) {
            Ok(found) => Ok(found.is_file()),
            Err(error) if is_absent(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Something that several stores are about to do together.
#[derive(Debug)]
pub struct Commit {
    folder: PathBuf,
    name: String,
    promises: Vec<PathBuf>,
}

impl Commit {
    /// One whose decision will be in a folder of this store's folder.
    ///
    /// # Errors
    ///
    /// The folder can't be made.
    pub fn within(store: &Path) -> io::Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let folder = std::path::absolute(store)?.join(FOLDER);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if !fs::symlink_metadata(&folder)?.is_dir() {
            return Err(io::Error::other("the folder of decisions is not a folder"));
        }
        if MADE.fetch_add(1, Relaxed).is_multiple_of(LOOKS) {
            sweep(&folder);
        }
        let mut name = [0; 16];
        getrandom::fill(&mut name).map_err(io::Error::other)?;
        Ok(Self {
            folder,
            name: format!("{:032x}", u128::from_le_bytes(name)),
            promises: Vec::new(),
        })
    }

    /// What its promises name.
    pub fn decision(&self) -> Decision {
        Decision(self.folder.join(&self.name))
    }

    /// A promise is in this file, until it is kept.
    ///
    /// # Errors
    ///
    /// The file has no absolute path.
    pub fn promised(&mut self, file: &Path) -> io::Result<()> {
        self.promises.push(std::path::absolute(file)?);
        Ok(())
    }

    /// From now on, all promises are kept. They must all be in their files.
    ///
    /// # Errors
    ///
    /// The folder's. No promise is to be kept then.
    pub fn decide(self) -> io::Result<DecidedCommit> {
        let draft = self.folder.join(format!("{DRAFT}{}", self.name));
        let decided = DecidedCommit {
            file: self.folder.join(&self.name),
            promises: self.promises,
        };
        let text = serde_json::to_vec(&decided.promises).map_err(io::Error::other)?;
        let written = File::create_new(&draft).and_then(|mut file| file.write_all(&text));
        let written = written.and_then(|()| fs::rename(&draft, &decided.file));
        if let Err(error) = written {
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        Ok(decided)
    }
}

/// Something that is done, though not every store may know it yet.
#[derive(Debug)]
#[must_use = "the prepared changes are still to be applied"]
pub struct DecidedCommit {
    file: PathBuf,
    promises: Vec<PathBuf>,
}

impl DecidedCommit {
    /// Removes the decision, where every promise was kept. Where one was not, it stays.
    pub fn kept(self) {
        if let Err(error) = forget(&self.file, &self.promises) {
            tracing::debug!(%error, "a decision stays");
        }
    }
}

/// Removes the decisions that no promise names any more, and what was never decided.
fn sweep(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    for file in files.map(|entry| entry.path()) {
        let name = file.file_name().and_then(|name| name.to_str());
        let swept = match name {
            Some(name) if name.starts_with(DRAFT) => abandoned(&file),
            _ => named(&file).and_then(|promises| forget(&file, &promises)),
        };
        if let Err(error) = swept {
            tracing::debug!(file = %file.display(), %error, "a decision can't be removed");
        }
    }
}

/// The promises that a decision names.
fn named(file: &Path) -> io::Result<Vec<PathBuf>> {
    serde_json::from_slice(&fs::read(file)?).map_err(io::Error::other)
}

/// Removes a decision, unless a promise is left.
fn forget(file: &Path, promises: &[PathBuf]) -> io::Result<()> {
    for promise in promises {
        match fs::symlink_metadata(promise) {
            Err(error) if is_absent(&error) => {}
            // It is there, or nobody knows.
            _ => return Ok(()),
        }
    }
    fs::remove_file(file)
}

/// Removes a draft that a killed process left. Writing one takes less than a millisecond.
fn abandoned(draft: &Path) -> io::Result<()> {
    const LONG: std::time::Duration = std::time::Duration::from_mins(10);
    let age = fs::symlink_metadata(draft)?.modified()?.elapsed();
    match age {
        Ok(age) if age > LONG => fs::remove_file(draft),
        _ => Ok(()),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_made_at_once_and_stays_while_a_promise_is_left() {
        let store = tempfile::tempdir().unwrap();
        let mut commit = Commit::within(store.path()).unwrap();
        let (decision, promise) = (commit.decision(), store.path().join("promise"));
        fs::write(&promise, "").unwrap();
        commit.promised(&promise).unwrap();
        assert!(!decision.is_made().unwrap());
        commit.decide().unwrap().kept();
        assert!(decision.is_made().unwrap());
        let commits = store.path().join(FOLDER);
        sweep(&commits);
        assert!(decision.is_made().unwrap());
        fs::remove_file(&promise).unwrap();
        sweep(&commits);
        assert!(!decision.is_made().unwrap());
        assert_eq!(fs::read_dir(&commits).unwrap().count(), 0);
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_of_decisions_is_refused() {
        let (store, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), store.path().join(FOLDER)).unwrap();
        Commit::within(store.path()).unwrap_err();
    }
}
