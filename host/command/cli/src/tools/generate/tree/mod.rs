//! Files that are written only where they changed.
//!
//! Files are of two kinds. Most belong to this command. Starters are for people to extend: a
//! starter that a person has changed is the person's from then on.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Files by their paths in the folder.
pub(super) struct Tree {
    /// The file that lists the others, for the next run.
    list: &'static str,
    files: BTreeMap<PathBuf, File>,
    /// Paths to leave alone.
    kept: Vec<PathBuf>,
}

struct File {
    content: String,
    starter: bool,
}

/// The counts of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Changes {
    /// Files that are new, or changed.
    pub(crate) changed: usize,
    /// Files that were as they should be.
    pub(crate) unchanged: usize,
    /// Earlier files that are no longer part of the tree.
    pub(crate) removed: usize,
    /// Starters that a person has changed; left alone.
    pub(crate) kept: usize,
}

/// The files that were written earlier; of a starter, the digest of what was written.
type EarlierFiles = BTreeMap<PathBuf, Option<String>>;

/// What is to be done about a file.
enum Step {
    Write,
    Nothing,
    Keep,
}

impl Tree {
    pub(super) fn new(list: &'static str) -> Self {
        Self {
            list,
            files: BTreeMap::new(),
            kept: Vec::new(),
        }
    }

    /// Leaves what was written earlier at this place, or below it, as it is.
    pub(super) fn keep(&mut self, path: impl Into<PathBuf>) {
        self.kept.push(path.into());
    }

    pub(super) fn add(&mut self, path: impl Into<PathBuf>, content: impl Into<String>) {
        self.insert(path.into(), content.into(), false);
    }

    /// Adds a starter. It is written only if it is missing, or unchanged since it was written.
    pub(super) fn add_starter(&mut self, path: impl Into<PathBuf>, content: impl Into<String>) {
        self.insert(path.into(), content.into(), true);
    }

    fn insert(&mut self, path: PathBuf, content: String, starter: bool) {
        self.files.insert(path, File { content, starter });
    }

    /// Writes new and changed files, and removes listed files that are gone from the tree. If that
    /// would replace a file of another origin, nothing is written.
    pub(super) fn write(self, folder: &Path) -> io::Result<Changes> {
        let earlier = self.listed(folder)?;
        let mut written = Changes::default();
        let mut changed = Vec::new();
        let mut list = String::new();
        for (path, file) in &self.files {
            match file.step(path, folder, &earlier)? {
                Step::Write => changed.push((path, &file.content)),
                Step::Nothing => written.unchanged += 1,
                Step::Keep => {
                    written.kept += 1;
                    // The old digest stays listed: a starter that is changed back is updated again.
                    if let Some(digest) = earlier.get(path) {
                        list.push_str(&line(path, digest.as_deref()));
                    }
                    continue;
                }
            }
            let digest = file.starter.then(|| digest(file.content.as_bytes()));
            list.push_str(&line(path, digest.as_deref()));
        }
        written.changed = changed.len();
        for (stale, digest) in &earlier {
            if self.kept.iter().any(|kept| stale.starts_with(kept)) {
                list.push_str(&line(stale, digest.as_deref()));
                continue;
            }
            if !self.files.contains_key(stale) && remove(&folder.join(stale), digest.as_deref())? {
                remove_empty_folders(stale, folder);
                written.removed += 1;
            }
        }
        // Before the files: the next run also knows the files of an interrupted run.
        fs::create_dir_all(folder)?;
        fs::write(folder.join(self.list), list)?;
        for (path, content) in changed {
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content)?;
        }
        Ok(written)
    }

    /// The files written earlier. The list may have been edited: paths that lead elsewhere are
    /// ignored.
    fn listed(&self, folder: &Path) -> io::Result<EarlierFiles> {
        let list = match fs::read_to_string(folder.join(self.list)) {
            Ok(list) => list,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(EarlierFiles::new()),
            Err(error) => return Err(error),
        };
        let inside = |path: &PathBuf| {
            path.components()
                .all(|component| matches!(component, Component::Normal(_)))
        };
        let entries = list.lines().map(|line| match line.split_once(BETWEEN) {
            Some((path, digest)) => (PathBuf::from(path), Some(digest.to_owned())),
            None => (PathBuf::from(line), None),
        });
        Ok(entries.filter(|(path, _)| inside(path)).collect())
    }
}

impl File {
    fn step(&self, path: &Path, folder: &Path, earlier: &EarlierFiles) -> io::Result<Step> {
        let there = match fs::read(folder.join(path)) {
            Ok(there) => there,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Step::Write),
            Err(error) => return Err(error),
        };
        if there == self.content.as_bytes() {
            return Ok(Step::Nothing);
        }
        Ok(match (earlier.get(path), self.starter) {
            (Some(Some(written)), true) if *written == digest(&there) => Step::Write,
            (_, true) => Step::Keep,
            (Some(_), false) => Step::Write,
            (None, false) => {
                let problem = format!(
                    "{} already exists and was not written by this command; move it, or choose another folder",
                    path.display()
                );
                return Err(io::Error::new(ErrorKind::AlreadyExists, problem));
            }
        })
    }
}

/// What is between a starter's path and its digest in the list.
const BETWEEN: char = '\t';

fn line(path: &Path, digest: Option<&str>) -> String {
    match digest {
        Some(digest) => format!("{}{BETWEEN}{digest}\n", path.display()),
        None => format!("{}\n", path.display()),
    }
}

fn digest(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

/// Removes a file, if it exists; a starter only if it is unchanged.
fn remove(path: &Path, starter: Option<&str>) -> io::Result<bool> {
    let removed = match (starter, fs::read(path)) {
        (Some(written), Ok(there)) if digest(&there) != written => return Ok(false),
        (_, Ok(_)) => fs::remove_file(path),
        (_, Err(error)) => Err(error),
    };
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes the empty folders of a removed file: readers of WIT reject a folder without packages.
fn remove_empty_folders(removed: &Path, folder: &Path) {
    for inside in removed.ancestors().skip(1) {
        if inside == Path::new("") || fs::remove_dir(folder.join(inside)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
