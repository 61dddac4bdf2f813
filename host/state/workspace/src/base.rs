//! A folder of the file system as it is. Links are not followed, and what is neither a file nor a
//! folder is not opened: whatever somebody has put there, nothing leads out of it.

use std::fs::File;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, FileType, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::error::{Code, FileError};
use crate::path::{self, OWN};

/// What something in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, which is not followed.
    Link,
    /// A device, a pipe or the like.
    Other,
}

/// What is known of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What it is.
    pub kind: Kind,
    /// Bytes; zero for what is not a file.
    pub size: u64,
    /// When it was last modified, in nanoseconds since 1970.
    pub modified: u64,
    /// The same for two paths only where both mean the same file.
    pub id: u64,
    /// Whether it can be changed.
    pub writable: bool,
}

/// What tells whether somebody changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stamp {
    Absent,
    Folder,
    File { id: u64, size: u64, modified: u64 },
    Other,
}

impl Stamp {
    pub(crate) fn of(status: Option<Status>) -> Self {
        let Some(status) = status else {
            return Self::Absent;
        };
        match status.kind {
            Kind::Folder => Self::Folder,
            Kind::File => Self::File {
                id: status.id,
                size: status.size,
                modified: status.modified,
            },
            Kind::Link | Kind::Other => Self::Other,
        }
    }
}

/// How much there is in a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

pub(crate) fn kind_of(found: FileType) -> Kind {
    if found.is_symlink() {
        Kind::Link
    } else if found.is_dir() {
        Kind::Folder
    } else if found.is_file() {
        Kind::File
    } else {
        Kind::Other
    }
}

/// What the system says, as we tell it.
pub(crate) fn status_of(found: &Metadata, writable: bool) -> Status {
    let kind = kind_of(found.file_type());
    let modified = found
        .modified()
        .map_or(0, |time| nanoseconds(time.into_std()));
    Status {
        kind,
        size: if kind == Kind::File { found.len() } else { 0 },
        modified,
        id: found.ino(),
        writable,
    }
}

pub(crate) fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// What is there.
///
/// # Errors
///
/// A link, or a file, is on the way.
pub(crate) fn find(root: &Dir, path: &str) -> Result<Option<Status>, FileError> {
    for folder in path::ancestors(path) {
        match kind_at(root, folder)? {
            None => return Ok(None),
            Some(Kind::Folder) => {}
            Some(Kind::Link) => return Err(a_link(folder)),
            Some(_) => return Err(Code::NotFolder.into()),
        }
    }
    let found = if path.is_empty() {
        root.dir_metadata()
    } else {
        root.symlink_metadata(path)
    };
    match found {
        Ok(found) => Ok(Some(status_of(&found, false))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn kind_at(root: &Dir, path: &str) -> Result<Option<Kind>, FileError> {
    match root.symlink_metadata(path) {
        Ok(found) => Ok(Some(kind_of(found.file_type()))),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

pub(crate) fn a_link(path: &str) -> FileError {
    let name = path.rsplit('/').next().unwrap_or(path);
    FileError::new(Code::Link, format!("`{name}` is a link"))
}

/// Opens a file to be read.
///
/// # Errors
///
/// It is not a file.
pub(crate) fn open(root: &Dir, path: &str) -> Result<File, FileError> {
    let mut how = OpenOptions::new();
    // What was swapped in since it was looked at is not followed, and keeps nobody waiting.
    how.read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = root.open_with(path, &how)?.into_std();
    if !file.metadata()?.is_file() {
        return Err(FileError::new(
            Code::Access,
            "it is neither a file nor a folder",
        ));
    }
    Ok(file)
}

/// The names in a folder, with what they are. Names that are not text are not among them, and
/// neither is what is the host's own.
pub(crate) fn list(root: &Dir, path: &str) -> Result<Vec<(String, Kind)>, FileError> {
    let folder = if path.is_empty() {
        root.entries()?
    } else {
        root.read_dir(path)?
    };
    let mut names = Vec::new();
    for entry in folder {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if path.is_empty() && name == OWN {
            continue;
        }
        names.push((name, kind_of(entry.file_type()?)));
    }
    Ok(names)
}

/// How much there is in a folder and all that are in it, as far as it is no more than `most` files.
pub(crate) fn usage(root: &Dir, most: u64) -> Result<Usage, FileError> {
    let (mut usage, mut folders) = (Usage::default(), vec![String::new()]);
    while let Some(folder) = folders.pop() {
        for (name, kind) in list(root, &folder)? {
            usage.files += 1;
            if usage.files > most {
                return Ok(usage);
            }
            let path = path::join(&folder, &name);
            match kind {
                Kind::Folder => folders.push(path),
                Kind::File => usage.bytes += find(root, &path)?.map_or(0, |found| found.size),
                Kind::Link | Kind::Other => {}
            }
        }
    }
    Ok(usage)
}
