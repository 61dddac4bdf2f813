//! Workspaces as runs use them, without a run.

mod changes;
mod conflicts;
mod hostile;
mod killed;
mod memory;
mod mounts;
mod promised;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::{
    ChangeKind, Code, FileChange, FileError, Files, Kind, Meter, OpenOptions, Quota, Tree,
};

const FREELY: Meter<'static> = &|_| true;
const READ: OpenOptions = OpenOptions {
    read: true,
    write: false,
    append: false,
    create: false,
    exclusive: false,
    truncate: false,
};
const WRITE: OpenOptions = OpenOptions {
    write: true,
    create: true,
    truncate: true,
    ..READ
};
const APPEND: OpenOptions = OpenOptions {
    append: true,
    truncate: false,
    ..WRITE
};

/// A workspace in a folder of its own.
struct Fixture {
    _above: TempDir,
    path: PathBuf,
    tree: Arc<Tree>,
}

impl Fixture {
    fn new() -> Self {
        Self::limited(Quota::default())
    }

    fn limited(quota: Quota) -> Self {
        let above = tempfile::tempdir().unwrap();
        fs::write(above.path().join("secret"), "secret").unwrap();
        let path = above.path().join("workspace");
        let tree = Tree::workspace(&path, quota).unwrap();
        Self {
            _above: above,
            path,
            tree,
        }
    }

    /// A run's files.
    fn run(&self) -> Files {
        Files::new(Some(Arc::clone(&self.tree)), Vec::new())
    }

    /// What a file has, on the disk.
    fn on_disk(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path.join(path)).ok()
    }

    /// The names at the top, on the disk; the host's own are not among them.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != ".ampoule").collect();
        names.sort();
        names
    }

    /// What is left of layers.
    fn layers(&self) -> usize {
        let layers = fs::read_dir(self.path.join(".ampoule/layers"));
        layers.map_or(0, Iterator::count)
    }
}

fn write(files: &Files, path: &str, text: &str) {
    try_write(files, path, text).unwrap_or_else(|error| panic!("{path}: {error}"));
}

fn try_write(files: &Files, path: &str, text: &str) -> Result<(), FileError> {
    let file = files.open(path, WRITE, FREELY)?;
    files.write(file, 0, text.as_bytes())?;
    files.close(file)
}

fn read(files: &Files, path: &str) -> Result<String, FileError> {
    let file = files.open(path, READ, FREELY)?;
    let bytes = files.read(file, 0, 1 << 20)?;
    files.close(file)?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn names(files: &Files, path: &str) -> Vec<String> {
    let listing = files.list(path, "", FREELY).unwrap();
    listing
        .entries
        .into_iter()
        .map(|entry| entry.name)
        .collect()
}

fn code<T: std::fmt::Debug>(done: Result<T, FileError>) -> Code {
    done.unwrap_err().code
}
