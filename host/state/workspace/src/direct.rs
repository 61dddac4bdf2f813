//! A workspace's files for people and for clients, without a run: each change is one of its own,
//! merged at once.

use std::io::{Read, Write};
use std::sync::Arc;

use crate::OpenOptions;
use crate::base::{self, Kind, Status};
use crate::error::{Code, FileError};
use crate::files::Files;
use crate::overlay::Meter;
use crate::path;
use crate::tree::Tree;

/// How much is read and written at once.
const PIECE: usize = 1 << 20;
/// The caller pays with time of its own.
const FREELY: Meter<'static> = &|_| true;

/// A file in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path from the workspace on.
    pub path: String,
    /// What is known of it.
    pub status: Status,
}

impl Tree {
    /// All files, by path: at most so many, and whether there are more.
    ///
    /// # Errors
    ///
    /// The folder can't be read.
    pub fn all(&self, most: usize) -> Result<(Vec<FileEntry>, bool), FileError> {
        let _turn = self.look()?;
        let (mut found, mut folders) = (Vec::new(), vec![String::new()]);
        // Folders that are one in the other, or many of them, count as files do.
        let mut looked = 0;
        while let Some(folder) = folders.pop() {
            let mut names = base::list(&self.root, &folder)?;
            names.sort_by(|one, other| one.0.cmp(&other.0));
            for (name, kind) in names {
                looked += 1;
                if found.len() >= most || looked > most.saturating_mul(8) {
                    found.sort_by(|one: &FileEntry, other| one.path.cmp(&other.path));
                    return Ok((found, true));
                }
                let path = path::join(&folder, &name);
                match kind {
                    Kind::Folder => folders.push(path),
                    _ => {
                        // One that is gone meanwhile spoils nothing.
                        if let Ok(Some(status)) = base::find(&self.root, &path) {
                            found.push(FileEntry { path, status });
                        }
                    }
                }
            }
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        Ok((found, false))
    }

    /// What is known of a file.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn status(self: &Arc<Self>, path: &str) -> Result<Status, FileError> {
        self.alone().status(path)
    }

    /// What a file has, from a place on: at most so many bytes.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn read(self: &Arc<Self>, path: &str, at: u64, most: usize) -> Result<Vec<u8>, FileError> {
        let files = self.alone();
        let how = OpenOptions {
            read: true,
            ..OpenOptions::default()
        };
        let file = files.open(path, how, FREELY)?;
        files.read(file, at, most)
    }

    /// Writes what a file has to somebody.
    ///
    /// # Errors
    ///
    /// The file does not exist, or nobody takes it.
    pub fn get(self: &Arc<Self>, path: &str, to: &mut dyn Write) -> Result<u64, FileError> {
        let files = self.alone();
        let how = OpenOptions {
            read: true,
            ..OpenOptions::default()
        };
        let file = files.open(path, how, FREELY)?;
        let mut at = 0;
        loop {
            let piece = files.read(file, at, PIECE)?;
            if piece.is_empty() {
                return Ok(at);
            }
            to.write_all(&piece)?;
            at += piece.len() as u64;
        }
    }

    /// Makes a file of what somebody gives, and the folders that it is in.
    ///
    /// # Errors
    ///
    /// There is no room.
    pub fn put(self: &Arc<Self>, path: &str, from: &mut dyn Read) -> Result<u64, FileError> {
        let files = self.alone();
        let place = path::place(path)?;
        for folder in path::ancestors(&place.path) {
            match files.make_folder(folder) {
                Err(error) if error.code != Code::Exists => return Err(error),
                _ => {}
            }
        }
        let how = OpenOptions {
            write: true,
            create: true,
            truncate: true,
            ..OpenOptions::default()
        };
        let file = files.open(path, how, FREELY)?;
        let (mut at, mut piece) = (0, vec![0; PIECE]);
        loop {
            let bytes = from.read(&mut piece)?;
            if bytes == 0 {
                files.merge()?;
                return Ok(at);
            }
            at = files.write(file, at, &piece[..bytes])?;
        }
    }

    /// Removes a file, or a folder with all that is in it.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn remove(self: &Arc<Self>, path: &str) -> Result<(), FileError> {
        let files = self.alone();
        remove_all(&files, path)?;
        files.merge().map(drop)
    }

    fn alone(self: &Arc<Self>) -> Files {
        Files::new(Some(Arc::clone(self)), Vec::new())
    }
}

fn remove_all(files: &Files, path: &str) -> Result<(), FileError> {
    if files.status(path)?.kind != Kind::Folder {
        return files.remove(path);
    }
    loop {
        let listing = files.list(path, "", FREELY)?;
        if listing.entries.is_empty() {
            return files.remove_folder(path);
        }
        for entry in listing.entries {
            remove_all(files, &path::join(path.trim_end_matches('/'), &entry.name))?;
        }
    }
}
