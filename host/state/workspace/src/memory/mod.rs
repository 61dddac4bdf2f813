//! Files in memory: those of one run, which nobody else has, and which are gone with it.
//!
//! - `content`: what is in a file
//! - `folder`: what is in a folder; `names`: what is at a place
//! - `open`: files that are open
//! - `moves`: what gets another name, or is copied
//! - `snapshot`: all of it as bytes, while its run is parked
//!
//! Each file, and each name, counts for the [`Room`] that the run's owner gives. Nothing here looks
//! at the file system, and there are no links.

mod content;
mod folder;
mod moves;
mod names;
mod open;
mod snapshot;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::{Kind, Status};
use crate::error::{Code, FileError};
use crate::overlay::{Entry, LISTED, Listing};
use crate::path::ResolvedPath;

use content::Content;
pub use content::Pieces;
use folder::{Folder, Node};
use names::Lookup;
use open::{HANDLE, OpenHandle};

/// Numbers by which files in memory are distinguished have this bit, so that none is that of a file
/// on a disk. They are exact as JavaScript's numbers.
const ID: u64 = 1 << 52;
/// What a name takes in memory besides its bytes: a file or folder, and its place in a folder.
const NAME: u64 = 512;
/// How many files and folders there may be.
const MOST: u64 = 10_000;

/// What the files of a run may take.
pub trait Room: Send + Sync + 'static {
    /// Takes so many bytes more.
    ///
    /// # Errors
    ///
    /// There is no room for them. Nothing is taken.
    fn take(&self, bytes: u64) -> Result<(), FileError>;

    /// Gives so many back.
    fn give_back(&self, bytes: u64);
}

/// The files in memory of one run: `/tmp`, and `/workspace` where it is not given a folder for that.
pub struct Memory {
    room: Arc<dyn Room>,
    absent: &'static str,
    /// How much of the room is taken.
    taken: u64,
    workspace: Folder,
    scratch: Folder,
    /// How many names there are.
    names: u64,
    files: BTreeMap<u64, File>,
    open: BTreeMap<u32, OpenHandle>,
    next_id: u64,
    next_handle: u32,
}

/// A file. It is there as long as it has a name, or is open.
struct File {
    content: Content,
    modified: u64,
    has_name: bool,
}

impl Memory {
    /// No files yet.
    ///
    /// What is not in the working folder, the run may look for because it was given no other: `absent`
    /// says so.
    pub fn new(room: Arc<dyn Room>, absent: &'static str) -> Self {
        Self {
            room,
            absent,
            taken: 0,
            workspace: Folder::new(1, 0),
            scratch: Folder::new(2, 0),
            names: 0,
            files: BTreeMap::new(),
            open: BTreeMap::new(),
            next_id: 3,
            next_handle: 0,
        }
    }

    /// Whether the number of an open file is that of one in memory.
    pub fn has(handle: u32) -> bool {
        handle & HANDLE != 0
    }

    /// How many files and folders there are.
    pub fn count(&self) -> u64 {
        self.names
    }

    /// It is not used any more, and takes no room from now on. Gives how many bytes it took, and how
    /// many files and folders there are.
    pub fn let_go(&mut self) -> (u64, u64) {
        let taken = std::mem::take(&mut self.taken);
        self.room.give_back(taken);
        (taken, self.names)
    }

    /// How many bytes are in the file at a place; zero if there is none.
    pub fn size(&self, place: &ResolvedPath) -> u64 {
        match self.found(place) {
            Ok(Lookup::File(file)) => self.files[&file].content.size(),
            _ => 0,
        }
    }

    /// What is known of what is at a place.
    ///
    /// # Errors
    ///
    /// There is nothing.
    pub fn status(&self, place: &ResolvedPath) -> Result<Status, FileError> {
        match self.found(place)? {
            Lookup::Nothing => Err(self.no_entry(place)),
            Lookup::File(file) => Ok(self.status_of_file(file)),
            Lookup::Folder(folder) => Ok(folder.status()),
        }
    }

    /// What is in a folder, after a name: some of it at once.
    ///
    /// # Errors
    ///
    /// The folder does not exist.
    pub fn list(&self, place: &ResolvedPath, after: &str) -> Result<Listing, FileError> {
        let folder = match self.found(place)? {
            Lookup::Nothing => return Err(self.no_entry(place)),
            Lookup::File(_) => return Err(Code::NotFolder.into()),
            Lookup::Folder(folder) => folder,
        };
        let mut entries = folder.after(after).map(|(name, node)| Entry {
            name: name.to_owned(),
            kind: match node {
                Node::File(_) => Kind::File,
                Node::Folder(_) => Kind::Folder,
            },
        });
        let first: Vec<_> = entries.by_ref().take(LISTED).collect();
        Ok(Listing {
            entries: first,
            more: entries.next().is_some(),
        })
    }

    /// Makes a folder.
    ///
    /// # Errors
    ///
    /// There is something, or there is no folder to make it in.
    pub fn make_folder(&mut self, place: &ResolvedPath, now: u64) -> Result<(), FileError> {
        if !matches!(self.found(place)?, Lookup::Nothing) {
            return Err(Code::Exists.into());
        }
        self.may_name(place)?;
        let folder = Folder::new(self.new_id(), now);
        self.give_name(place, Node::Folder(Box::new(folder)), now)
    }

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn remove(&mut self, place: &ResolvedPath, now: u64) -> Result<(), FileError> {
        match self.found(place)? {
            Lookup::Nothing => Err(self.no_entry(place)),
            Lookup::Folder(_) => Err(Code::IsFolder.into()),
            Lookup::File(_) => self.take_away(place, now),
        }
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    ///
    /// There is none, or it is not empty.
    pub fn remove_folder(&mut self, place: &ResolvedPath, now: u64) -> Result<(), FileError> {
        match self.found(place)? {
            _ if place.path.is_empty() => Err(Code::Access.into()),
            Lookup::Nothing => Err(self.no_entry(place)),
            Lookup::File(_) => Err(Code::NotFolder.into()),
            Lookup::Folder(folder) if !folder.is_empty() => Err(Code::NotEmpty.into()),
            Lookup::Folder(_) => self.take_away(place, now),
        }
    }

    /// Says when something was last modified, in nanoseconds since 1970.
    ///
    /// # Errors
    ///
    /// There is nothing.
    pub fn touch(&mut self, place: &ResolvedPath, modified: u64) -> Result<(), FileError> {
        match self.found(place)? {
            Lookup::Nothing => return Err(self.no_entry(place)),
            Lookup::File(file) => self.file(file).modified = modified,
            Lookup::Folder(_) => self.folder_at(&place.root, &place.path)?.modified = modified,
        }
        Ok(())
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn new_file(&mut self, now: u64) -> u64 {
        let id = self.new_id();
        let file = File {
            content: Content::default(),
            modified: now,
            has_name: true,
        };
        self.files.insert(id, file);
        id
    }

    /// A file that is known to be there.
    fn file(&mut self, file: u64) -> &mut File {
        let file = self.files.get_mut(&file);
        file.expect("a file exists as long as a name or an open file refers to it")
    }

    fn status_of_file(&self, id: u64) -> Status {
        let file = &self.files[&id];
        Status {
            kind: Kind::File,
            size: file.content.size(),
            modified: file.modified,
            id: ID | id,
            writable: true,
        }
    }

    /// Has a file have so many bytes: zeros, where they are more.
    fn fill_to(&mut self, file: u64, size: u64) -> Result<(), FileError> {
        let before = Content::takes(self.file(file).content.size());
        let after = Content::takes(size);
        if after > before {
            self.take(after - before)?;
        }
        self.file(file).content.resize(size);
        if before > after {
            self.give_back(before - after);
        }
        Ok(())
    }

    /// A file that has no name and is not open is gone.
    fn drop_unused(&mut self, file: u64) {
        let is_open = self.open.values().any(|open| open.file == file);
        let has_name = self.files.get(&file).is_none_or(|file| file.has_name);
        if is_open || has_name {
            return;
        }
        if let Some(gone) = self.files.remove(&file) {
            self.give_back(Content::takes(gone.content.size()));
        }
    }

    fn take(&mut self, bytes: u64) -> Result<(), FileError> {
        self.room.take(bytes)?;
        self.taken += bytes;
        Ok(())
    }

    fn give_back(&mut self, bytes: u64) {
        self.room.give_back(bytes);
        self.taken = self.taken.saturating_sub(bytes);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.let_go();
    }
}
