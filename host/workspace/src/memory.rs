//! Files in memory: those of one run, which nobody else has, and which are gone with it.
//!
//! - `content`: what is in a file
//! - `folder`: names, and what they mean
//! - `moved`: what gets another name, or is copied
//! - `kept`: all of it as bytes, while its run is parked
//!
//! Each file, and each name, counts for the [`Room`] that whoever has the run gives. Nothing here looks
//! at the file system, and there are no links.

mod content;
mod folder;
mod kept;
mod moved;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{Kind, Status};
use crate::files::{How, OPEN};
use crate::overlay::{Entry, LISTED, Listing};
use crate::path::{Place, Root, parent};
use crate::problem::{Code, Problem};

use content::Content;
use folder::{Folder, Node};
pub use moved::Pieces;

/// Numbers of files that are open in memory have this bit; those of others do not.
const HANDLE: u32 = 1 << 31;
/// Numbers by which files in memory are told apart have this bit, so that none is that of a file on a
/// disk. They are exact as JavaScript's numbers.
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
    fn take(&self, bytes: u64) -> Result<(), Problem>;

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
    open: BTreeMap<u32, Open>,
    next_id: u64,
    next_handle: u32,
}

/// A file. It is there as long as it has a name, or is open.
struct File {
    content: Content,
    modified: u64,
    has_name: bool,
}

/// A file that is open.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Open {
    file: u64,
    how: How,
    /// Something was written by it.
    wrote: bool,
}

/// What is at a place.
enum Found<'m> {
    Nothing,
    File(u64),
    /// One that may be a root.
    Folder(&'m Folder),
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
    pub fn size(&self, place: &Place) -> u64 {
        match self.found(place) {
            Ok(Found::File(file)) => self.files[&file].content.size(),
            _ => 0,
        }
    }

    /// How many bytes an open file has.
    ///
    /// # Errors
    ///
    /// It is not open.
    pub fn size_of(&self, handle: u32) -> Result<u64, Problem> {
        let open = self.opened(handle)?;
        Ok(self.files[&open.file].content.size())
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// There is none, or it can't be used so.
    pub fn open(&mut self, place: &Place, how: How, now: u64) -> Result<u32, Problem> {
        self.may_open()?;
        let file = match self.found(place)? {
            Found::Nothing if how.create => {
                self.may_name(place)?;
                let file = self.new_file(now);
                self.give_name(place, Node::File(file), now)?;
                file
            }
            Found::Nothing => return Err(self.no_entry(place)),
            _ if how.create && how.exclusive => return Err(Code::Exists.into()),
            Found::Folder(_) => return Err(Code::IsFolder.into()),
            Found::File(file) if how.truncate => {
                self.fill_to(file, 0)?;
                self.file(file).modified = now;
                file
            }
            Found::File(file) => file,
        };
        Ok(self.new_handle(file, how))
    }

    /// Opens a file that has no name, to be written; [`place`](Self::place) may give it one.
    ///
    /// # Errors
    ///
    /// Too many are open.
    pub fn stage(&mut self, now: u64) -> Result<u32, Problem> {
        self.may_open()?;
        let file = self.new_file(now);
        self.file(file).has_name = false;
        let how = How {
            write: true,
            ..How::default()
        };
        Ok(self.new_handle(file, how))
    }

    /// Closes a file.
    ///
    /// # Errors
    ///
    /// It is not open.
    pub fn close(&mut self, handle: u32, now: u64) -> Result<(), Problem> {
        let open = self.open.remove(&handle).ok_or(Code::BadHandle)?;
        if open.wrote {
            self.file(open.file).modified = now;
        }
        self.drop_unused(open.file);
        Ok(())
    }

    /// At most so many bytes from a place on; fewer only at the end.
    ///
    /// # Errors
    ///
    /// It is not open to be read.
    pub fn read(&self, handle: u32, at: u64, count: usize) -> Result<Vec<u8>, Problem> {
        let open = self.opened(handle)?;
        if !open.how.read {
            return Err(Code::BadHandle.into());
        }
        Ok(self.files[&open.file].content.read(at, count))
    }

    /// How many bytes a file that is open would become longer by, if it had so many: zero where there
    /// is no room for that.
    pub fn growth(&self, handle: u32, end: u64) -> u64 {
        let size = self.size_of(handle).unwrap_or(u64::MAX);
        let grows = end.saturating_sub(size);
        let more = Content::takes(end).saturating_sub(Content::takes(size));
        // It is asked whether there is room, and taken once it is needed.
        match self.room.take(more) {
            Ok(()) => {
                self.room.give_back(more);
                grows
            }
            Err(_) => 0,
        }
    }

    /// Writes bytes to a place, or to the end. Gives where the next one goes.
    ///
    /// # Errors
    ///
    /// It is not open to be written, or there is no room.
    pub fn write(&mut self, handle: u32, at: u64, bytes: &[u8]) -> Result<u64, Problem> {
        let open = self.written(handle)?;
        let size = self.files[&open.file].content.size();
        let at = if open.how.append { size } else { at };
        let end = at.checked_add(bytes.len() as u64).ok_or(Code::Invalid)?;
        if end > size && !bytes.is_empty() {
            self.fill_to(open.file, end)?;
        }
        self.file(open.file).content.put(at, bytes);
        self.has_written(handle);
        Ok(end)
    }

    /// Cuts it, or makes it longer by zeros.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    pub fn resize(&mut self, handle: u32, size: u64) -> Result<(), Problem> {
        let open = self.written(handle)?;
        self.fill_to(open.file, size)?;
        self.has_written(handle);
        Ok(())
    }

    /// What is known of a file that is open.
    ///
    /// # Errors
    ///
    /// It is not.
    pub fn status_of(&self, handle: u32) -> Result<Status, Problem> {
        let open = self.opened(handle)?;
        Ok(self.status_of_file(open.file))
    }

    /// What is known of what is at a place.
    ///
    /// # Errors
    ///
    /// There is nothing.
    pub fn status(&self, place: &Place) -> Result<Status, Problem> {
        match self.found(place)? {
            Found::Nothing => Err(self.no_entry(place)),
            Found::File(file) => Ok(self.status_of_file(file)),
            Found::Folder(folder) => Ok(folder.status()),
        }
    }

    /// What is in a folder, after a name: some of it at once.
    ///
    /// # Errors
    ///
    /// There is no such folder.
    pub fn list(&self, place: &Place, after: &str) -> Result<Listing, Problem> {
        let folder = match self.found(place)? {
            Found::Nothing => return Err(self.no_entry(place)),
            Found::File(_) => return Err(Code::NotFolder.into()),
            Found::Folder(folder) => folder,
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
    pub fn make_folder(&mut self, place: &Place, now: u64) -> Result<(), Problem> {
        if !matches!(self.found(place)?, Found::Nothing) {
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
    pub fn remove(&mut self, place: &Place, now: u64) -> Result<(), Problem> {
        match self.found(place)? {
            Found::Nothing => Err(self.no_entry(place)),
            Found::Folder(_) => Err(Code::IsFolder.into()),
            Found::File(_) => self.take_away(place, now),
        }
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    ///
    /// There is none, or it is not empty.
    pub fn remove_folder(&mut self, place: &Place, now: u64) -> Result<(), Problem> {
        match self.found(place)? {
            _ if place.path.is_empty() => Err(Code::Access.into()),
            Found::Nothing => Err(self.no_entry(place)),
            Found::File(_) => Err(Code::NotFolder.into()),
            Found::Folder(folder) if !folder.is_empty() => Err(Code::NotEmpty.into()),
            Found::Folder(_) => self.take_away(place, now),
        }
    }

    /// Says when something was last modified, in nanoseconds since 1970.
    ///
    /// # Errors
    ///
    /// There is nothing.
    pub fn touch(&mut self, place: &Place, modified: u64) -> Result<(), Problem> {
        match self.found(place)? {
            Found::Nothing => return Err(self.no_entry(place)),
            Found::File(file) => self.file(file).modified = modified,
            Found::Folder(_) => self.folder_at(&place.root, &place.path)?.modified = modified,
        }
        Ok(())
    }

    /// What is at a place.
    fn found(&self, place: &Place) -> Result<Found<'_>, Problem> {
        let mut folder = match place.root {
            Root::Workspace => &self.workspace,
            Root::Scratch => &self.scratch,
            _ => return Err(Code::NoEntry.into()),
        };
        let mut names = place.path.split('/').filter(|name| !name.is_empty());
        while let Some(name) = names.next() {
            folder = match folder.get(name) {
                None => return Ok(Found::Nothing),
                Some(Node::Folder(inner)) => inner,
                Some(Node::File(_)) if names.next().is_some() => return Err(Code::NotFolder.into()),
                Some(Node::File(file)) => return Ok(Found::File(*file)),
            };
        }
        Ok(Found::Folder(folder))
    }

    /// There is nothing at a place.
    fn no_entry(&self, place: &Place) -> Problem {
        let advice = match place.root {
            Root::Workspace => self.absent,
            _ => "",
        };
        Problem::new(Code::NoEntry, advice)
    }

    /// The folder at a path, which may be a root.
    fn folder_at(&mut self, root: &Root, path: &str) -> Result<&mut Folder, Problem> {
        let mut folder = match root {
            Root::Workspace => &mut self.workspace,
            Root::Scratch => &mut self.scratch,
            _ => return Err(Code::NoEntry.into()),
        };
        for name in path.split('/').filter(|name| !name.is_empty()) {
            folder = match folder.get_mut(name) {
                Some(Node::Folder(inner)) => inner,
                Some(Node::File(_)) => return Err(Code::NotFolder.into()),
                None => return Err(Code::NoEntry.into()),
            };
        }
        Ok(folder)
    }

    /// The folder that something is in, and its name there.
    fn parent_of<'p>(&mut self, place: &'p Place) -> Result<(&mut Folder, &'p str), Problem> {
        let above = parent(&place.path).ok_or(Code::Access)?;
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let absent = self.no_entry(place);
        let folder = self.folder_at(&place.root, above);
        let folder = folder.map_err(|problem| match problem.code {
            Code::NoEntry => absent,
            _ => problem,
        })?;
        Ok((folder, name))
    }

    /// Whether there may be one more name, and a folder is there for it.
    fn may_name(&mut self, place: &Place) -> Result<(), Problem> {
        self.parent_of(place)?;
        if self.names >= MOST {
            let advice = format!(
                "there may be {MOST} files and folders in memory at most; remove what is not needed any more"
            );
            return Err(Problem::new(Code::Full, advice));
        }
        Ok(())
    }

    /// Gives something a name where there is nothing of that name. A file that can't have it goes.
    fn give_name(&mut self, place: &Place, node: Node, now: u64) -> Result<(), Problem> {
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let room = self.take(NAME + name.len() as u64);
        let given = room.and_then(|()| {
            let (folder, name) = self.parent_of(place)?;
            folder.modified = now;
            Ok((folder, name))
        });
        match given {
            Ok((folder, name)) => {
                folder.put(name, node);
                self.names += 1;
                Ok(())
            }
            Err(problem) => {
                if let Node::File(file) = node {
                    self.file(file).has_name = false;
                    self.drop_unused(file);
                }
                Err(problem)
            }
        }
    }

    /// Takes away what is at a place: a file, or a folder with nothing in it.
    fn take_away(&mut self, place: &Place, now: u64) -> Result<(), Problem> {
        if let Node::File(file) = self.take_name(place, now)? {
            self.file(file).has_name = false;
            self.drop_unused(file);
        }
        Ok(())
    }

    /// Takes a name away. Gives what had it.
    fn take_name(&mut self, place: &Place, now: u64) -> Result<Node, Problem> {
        let (folder, name) = self.parent_of(place)?;
        let node = folder.remove(name).ok_or(Code::NoEntry)?;
        folder.modified = now;
        self.names -= 1;
        self.give_back(NAME + name.len() as u64);
        Ok(node)
    }

    fn may_open(&self) -> Result<(), Problem> {
        if self.open.len() >= OPEN {
            let advice = format!("{OPEN} are; close those that are not needed any more");
            return Err(Problem::new(Code::TooManyOpen, advice));
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

    fn new_handle(&mut self, file: u64, how: How) -> u32 {
        self.next_handle += 1;
        let handle = HANDLE | self.next_handle;
        let open = Open {
            file,
            how,
            wrote: false,
        };
        self.open.insert(handle, open);
        handle
    }

    /// A file that is known to be there.
    fn file(&mut self, file: u64) -> &mut File {
        let file = self.files.get_mut(&file);
        file.expect("a file is there as long as a name or an open file means it")
    }

    fn opened(&self, handle: u32) -> Result<Open, Problem> {
        let open = self.open.get(&handle).copied();
        open.ok_or_else(|| Code::BadHandle.into())
    }

    fn written(&self, handle: u32) -> Result<Open, Problem> {
        let open = self.opened(handle)?;
        match open.how.write || open.how.append {
            true => Ok(open),
            false => Err(Code::BadHandle.into()),
        }
    }

    fn has_written(&mut self, handle: u32) {
        if let Some(open) = self.open.get_mut(&handle) {
            open.wrote = true;
        }
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
    fn fill_to(&mut self, file: u64, size: u64) -> Result<(), Problem> {
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

    fn take(&mut self, bytes: u64) -> Result<(), Problem> {
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
