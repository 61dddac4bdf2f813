//! The files that runs have.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::Table;
use super::server::{self, Surroundings};
use super::{ConfigError, keys};

/// `workspace`: where runs have files that outlive them. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceConfig {
    /// `folder`: where they are.
    pub folder: Option<PathBuf>,
    /// `shared`: all principals have the same one.
    pub shared: bool,
    /// `bytes`: how much each may hold.
    pub bytes: Option<u64>,
    /// `files`: how many files and folders each may hold.
    pub files: Option<u64>,
}

/// One of `folders`: a folder of the operator's that runs see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderConfig {
    /// `path`: where it is.
    pub path: PathBuf,
    /// `writable`: runs may change it.
    pub writable: bool,
}

pub(super) fn workspace(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<WorkspaceConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("workspace")));
    let folder = table.read("folder", |entry| server::path(entry, around));
    let folder = mistakes.unless(folder).flatten();
    let shared = mistakes.unless(table.read("shared", |entry| entry.boolean()));
    let bytes = table.read("bytes", |entry| entry.quantity(units::parse_bytes));
    let bytes = mistakes.unless(bytes).flatten();
    let files = table.read("files", |entry| entry.quantity(units::parse_count));
    let files = mistakes.unless(files).flatten();
    mistakes.none()?;
    Ok(WorkspaceConfig {
        folder,
        shared: shared.flatten().unwrap_or_default(),
        bytes,
        files,
    })
}

pub(super) fn folders(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<BTreeMap<String, FolderConfig>, ConfigError> {
    let (mut mistakes, mut folders) = (Mistakes::default(), BTreeMap::new());
    for (name, _, entry) in table.entries() {
        let read = || {
            if !is_name(name) {
                return Err(entry.refuse(
                    "a folder's name has letters, digits, `.`, `_` and `-`, a letter or digit first, and at most 64 of them",
                ));
            }
            let folder = entry.table()?;
            folder.only(keys::kept::FOLDER)?;
            let path = folder.read("path", |entry| server::path(entry, around))?;
            let path = path.ok_or_else(|| folder.refuse("the key `path` is missing"))?;
            let writable = folder.read("writable", |entry| entry.boolean())?;
            let writable = writable.unwrap_or_default();
            Ok(FolderConfig { path, writable })
        };
        if let Some(folder) = mistakes.unless(read()) {
            folders.insert(name.to_owned(), folder);
        }
    }
    mistakes.none().map(|()| folders)
}

/// Whether scripts can write a name in a path, and nobody takes it for another.
fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}
