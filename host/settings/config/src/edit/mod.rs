//! Files changed where they must be, with comments and layout kept.
//!
//! - `entries`: one entry put into a table, or taken out, in each format; `yaml` splices lines
//! - `diff`: a change as a diff, without secrets
//! - `ampoule_file`: `ampoule.toml`, begun and changed; `packages`: its `[python] packages`; `install`: Ampoule in a client's file, and out again

mod ampoule_file;
mod diff;
mod entries;
mod install;
mod packages;
#[cfg(test)]
mod tests;
mod yaml;

use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use ampoule_file::{NewServer, add, import, init, remove};
pub use install::{InstallRecord, Plan, install, uninstall};
pub use packages::set_packages;

/// The largest file that is edited, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Who may read a new file: it may get secrets.
const NEW_FILE: u32 = 0o600;

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The file.
    pub file: PathBuf,
    /// What it has; `None` if there is none.
    before: Option<String>,
    /// What it will have; `None` if there will be none.
    after: Option<String>,
    /// The permissions beyond which the file has none afterwards: those of the file that its new
    /// secrets come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    most: Option<u32>,
}

impl Edit {
    /// What `change` makes of a file's text, which is empty where there is none.
    ///
    /// # Errors
    ///
    /// A sentence about what is wrong with the file.
    pub fn of(
        file: &Path,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Self, String> {
        let before = text_of(file)?;
        let after = change(before.as_deref().unwrap_or_default())
            .map_err(|error| format!("{}: {error}", file.display()))?;
        // Nothing is made of nothing.
        let is_there = before.is_some() || !after.is_empty();
        Ok(Self {
            file: file.to_owned(),
            before,
            after: is_there.then_some(after),
            most: None,
        })
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.before == self.after
    }

    /// The same for secrets that come from another file: who could not read that one can't read this
    /// one afterwards.
    fn with_secrets_of(mut self, file: &Path) -> Self {
        let found = std::fs::metadata(file).ok();
        self.most = found.map(|found| found.permissions().mode());
        self
    }

    /// Writes the file: all of it, or nothing. What a link leads to is written, and not the link;
    /// whose it is stays, and who may read it: where it gets secrets of another file, nobody may
    /// read it who may not read that one.
    ///
    /// # Errors
    ///
    /// The file can't be written, or is not what it was.
    pub fn apply(&self) -> io::Result<()> {
        let file = self
            .file
            .canonicalize()
            .unwrap_or_else(|_| self.file.clone());
        // Nobody else changes it between the comparison and the end.
        let _lock = locked(&file)?;
        if text_of(&file).map_err(io::Error::other)? != self.before {
            let changed = format!("{} has changed meanwhile; try again", file.display());
            return Err(io::Error::other(changed));
        }
        match &self.after {
            Some(text) => written(&file, text, self.most),
            None => std::fs::remove_file(&file),
        }
    }
}

/// Waits for the turn to change files in the folder of one, and has it until what this gives is gone.
/// The folder is what is locked: a file is replaced, and one more beside it would stay. Where
/// a file system has no locks, there are none.
fn locked(file: &Path) -> io::Result<Option<File>> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    let folder = File::open(folder)?;
    match folder.lock() {
        Ok(()) => Ok(Some(folder)),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(error),
    }
}

fn text_of(file: &Path) -> Result<Option<String>, String> {
    match super::text::of(file, MAX_FILE_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{} can't be read: {error}", file.display())),
    }
}

/// Writes a file by way of another one beside it, with no more permissions than `most`.
fn written(file: &Path, text: &str, most: Option<u32>) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let found = std::fs::metadata(file).ok();
    let mode = match &found {
        Some(found) => {
            let most = most.unwrap_or(u32::MAX);
            Permissions::from_mode(found.permissions().mode() & most)
        }
        None => Permissions::from_mode(NEW_FILE),
    };
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(text.as_bytes())?;
    if let Some(found) = found {
        keep_owner(draft.as_file(), &found)?;
    }
    draft.as_file().set_permissions(mode)?;
    draft.as_file().sync_all()?;
    draft.persist(file)?;
    Ok(())
}

/// Gives a draft to whom the file belongs that it takes the place of: else root, who may change
/// everybody's files, would make them root's.
fn keep_owner(draft: &File, file: &Metadata) -> io::Result<()> {
    let given = fchown(draft, Some(file.uid()), Some(file.gid()));
    // Who is in another group than the file's could always do this.
    if given.is_err() && draft.metadata()?.uid() != file.uid() {
        return Err(io::Error::other(
            "the file belongs to another user; run the command as that user",
        ));
    }
    Ok(())
}
