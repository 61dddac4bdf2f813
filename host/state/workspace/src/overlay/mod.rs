//! A folder as one run sees it: what is there, and over it what the run changed.
//!
//! - `listing`: what is in folders; `moves`: what gets another path

mod listing;
mod moves;

use std::fs::File;
use std::io::Write;
use std::ops::Bound;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::base::{self, Kind, Stamp, Status};
use crate::error::{Code, FileError};
use crate::home::Home;
use crate::layer::{Change, Layer, full};
use crate::layer_folder::OwnFile;
use crate::open_options::{NewFile, OpenOptions};
use crate::path::{self, parent};
use crate::tree::{Tree, Turn};
pub(crate) use listing::LISTED;
pub use listing::{Entry, Listing};

/// How many paths of a folder a run may look at or change: what the host remembers of each is small.
const SEEN: usize = 100_000;

/// Pays for so many bytes or names before they are looked at; false where the run is over.
pub type Meter<'a> = &'a dyn Fn(u64) -> bool;

/// A root as one run sees it.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// What is there.
    pub(crate) base: Option<Arc<Tree>>,
    pub(crate) home: Arc<Home>,
    pub(crate) layer: Layer,
    /// What it is called in errors.
    name: String,
}

/// What was opened.
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    /// The run's own file, if it is one.
    pub(crate) own: Option<Arc<OwnFile>>,
}

impl Overlay {
    pub(crate) fn over(tree: Arc<Tree>, name: String) -> Self {
        Self {
            home: Home::new(Arc::clone(&tree)),
            base: Some(tree),
            layer: Layer::default(),
            name,
        }
    }

    fn look(&self) -> Result<Option<Turn>, FileError> {
        self.base.as_ref().map(|tree| tree.look()).transpose()
    }

    /// Whether the run hides what the folder has at a path.
    fn hides(&self, path: &str) -> bool {
        path::ancestors(path).any(|folder| self.layer.changes.contains_key(folder))
    }

    /// What the folder itself has, as far as the run does not hide it.
    fn below(&mut self, path: &str) -> Result<Option<Status>, FileError> {
        let Some(tree) = &self.base else {
            return Ok(None);
        };
        if self.hides(path) {
            return Ok(None);
        }
        let found = base::find(&tree.root, path)?;
        let found = found.map(|found| Status {
            writable: tree.writable,
            ..found
        });
        self.remember(path, found)?;
        Ok(found)
    }

    fn remember(&mut self, path: &str, found: Option<Status>) -> Result<(), FileError> {
        let seen = &mut self.layer.seen;
        if self.base.is_none() || seen.contains_key(path) {
            return Ok(());
        }
        if seen.len() >= SEEN {
            let advice = format!("a run may look at {SEEN} files of a folder at most");
            return Err(FileError::new(Code::TooManyOpen, advice));
        }
        seen.insert(path.to_owned(), Stamp::of(found));
        Ok(())
    }

    /// What is there, for the run.
    pub(crate) fn status(&mut self, path: &str) -> Result<Option<Status>, FileError> {
        if path.is_empty() {
            return Ok(Some(self.root_status()));
        }
        self.no_file_on_the_way(path)?;
        match self.layer.changes.get(path) {
            Some(Change::File(own)) => own.status().map(Some),
            Some(Change::Folder) => Ok(Some(Status {
                kind: Kind::Folder,
                ..self.root_status()
            })),
            Some(Change::Gone) => Ok(None),
            None => {
                let _turn = self.look()?;
                self.below(path)
            }
        }
    }

    fn root_status(&self) -> Status {
        let found = self.base.as_ref().and_then(|tree| {
            let found = tree.root.dir_metadata().ok()?;
            Some(base::status_of(&found, tree.writable))
        });
        found.unwrap_or(Status {
            kind: Kind::Folder,
            size: 0,
            modified: 0,
            id: 0,
            writable: true,
        })
    }

    /// A file of the run's is not a folder.
    fn no_file_on_the_way(&self, path: &str) -> Result<(), FileError> {
        for folder in path::ancestors(path) {
            if let Some(Change::File(_)) = self.layer.changes.get(folder) {
                return Err(Code::NotFolder.into());
            }
        }
        Ok(())
    }

    /// What there must be before something is made at a path: a folder to make it in.
    fn ready_for(&mut self, path: &str) -> Result<(), FileError> {
        self.writable()?;
        let Some(parent) = parent(path) else {
            return Err(Code::Exists.into());
        };
        match self.status(parent)? {
            None => Err(Code::NoEntry.into()),
            Some(found) if found.kind == Kind::Folder => Ok(()),
            Some(_) => Err(Code::NotFolder.into()),
        }
    }

    pub(crate) fn writable(&self) -> Result<(), FileError> {
        match &self.base {
            Some(tree) if !tree.writable => {
                let advice = format!("`{}` is granted for reading only", self.name);
                Err(FileError::new(Code::ReadOnly, advice))
            }
            _ => Ok(()),
        }
    }

    /// Whether so much more may be there.
    pub(crate) fn room(&self, bytes: u64, files: u64) -> Result<(), FileError> {
        let quota = self.home.tree().quota;
        let before = self.home.before()?;
        let (own_bytes, own_files) = self
            .home
            .place()
            .map_or((0, 0), |place| (place.bytes(), place.files()));
        let folders = self.layer.folders;
        let hidden = if self.home.tree().counts_all {
            (self.layer.hidden_bytes, self.layer.hidden_files)
        } else {
            (0, 0)
        };
        let kept = |all: u64, hidden: u64| all.saturating_sub(hidden);
        if kept(before.bytes, hidden.0) + own_bytes + bytes > quota.bytes && bytes > 0 {
            return Err(full(&self.name, quota.bytes, "bytes"));
        }
        if kept(before.files, hidden.1) + own_files + folders + files > quota.files && files > 0 {
            return Err(full(&self.name, quota.files, "files and folders"));
        }
        Ok(())
    }

    /// Puts a change in the place of what is there.
    fn change(&mut self, path: &str, change: Change) -> Result<(), FileError> {
        let is_first = !self.layer.changes.contains_key(path);
        if is_first {
            let found = {
                let _turn = self.look()?;
                self.below(path)?
            };
            if let Some(found) = found {
                self.layer.hidden_files += 1;
                self.layer.hidden_bytes += found.size;
            }
        }
        self.layer.folders += u64::from(matches!(change, Change::Folder));
        let before = self.layer.changes.insert(path.to_owned(), change);
        self.layer.folders -= u64::from(matches!(before, Some(Change::Folder)));
        Ok(())
    }

    /// Opens a file to be read.
    pub(crate) fn open(&mut self, path: &str) -> Result<OpenedFile, FileError> {
        match self.status(path)? {
            None => return Err(Code::NoEntry.into()),
            Some(found) if found.kind == Kind::Folder => return Err(Code::IsFolder.into()),
            Some(found) if found.kind == Kind::Link => return Err(base::a_link(path)),
            Some(_) => {}
        }
        if let Some(Change::File(own)) = self.layer.changes.get(path) {
            return Ok(OpenedFile {
                file: own.open(false)?,
                own: Some(Arc::clone(own)),
            });
        }
        let _turn = self.look()?;
        let tree = self.base.as_ref().ok_or(Code::NoEntry)?;
        Ok(OpenedFile {
            file: base::open(&tree.root, path)?,
            own: None,
        })
    }

    /// Opens a file to be written: one of the run's own, with what the folder has unless that is to
    /// go.
    pub(crate) fn open_to_write(
        &mut self,
        path: &str,
        options: OpenOptions,
        spend: Meter<'_>,
    ) -> Result<OpenedFile, FileError> {
        let found = self.status(path)?;
        match found {
            Some(_) if options.exclusive => return Err(Code::Exists.into()),
            Some(found) if found.kind == Kind::Folder => return Err(Code::IsFolder.into()),
            Some(found) if found.kind == Kind::Link => return Err(base::a_link(path)),
            Some(found) if found.kind == Kind::Other => {
                return Err(FileError::new(
                    Code::Access,
                    "it is neither a file nor a folder",
                ));
            }
            None if !options.create => return Err(Code::NoEntry.into()),
            _ => {}
        }
        self.ready_for(path)?;
        let own = match self.layer.changes.get(path) {
            Some(Change::File(own)) if !own.is_shared() => Arc::clone(own),
            _ => self.own_copy(path, found.filter(|_| !options.truncate), spend)?,
        };
        let file = own.open(true)?;
        if options.truncate {
            file.set_len(0)?;
            own.resized(0);
        }
        Ok(OpenedFile {
            file,
            own: Some(own),
        })
    }

    /// A file of the run's own at a path, with what was there.
    fn own_copy(
        &mut self,
        path: &str,
        found: Option<Status>,
        spend: Meter<'_>,
    ) -> Result<Arc<OwnFile>, FileError> {
        let from = found.map(|_| self.open(path)).transpose()?;
        let bytes = found.map_or(0, |found| found.size);
        if !spend(bytes) {
            return Err(Code::BrokenOff.into());
        }
        // What it takes the place of is not counted for it.
        let replaces = from.is_some() || self.status(path)?.is_some();
        self.room(0, u64::from(!replaces))?;
        let own = self.home.made()?.file()?;
        if let Some(from) = from {
            own.fill(from.file)?;
        }
        self.change(path, Change::File(Arc::clone(&own)))?;
        Ok(own)
    }

    /// Makes a file of what one in memory has, in place of what is there. Until all of it is written,
    /// nothing is changed.
    pub(crate) fn put(
        &mut self,
        path: &str,
        new: NewFile<'_>,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        let NewFile {
            content,
            modified,
            exclusive,
        } = new;
        let found = self.status(path)?;
        match found {
            Some(_) if exclusive => return Err(Code::Exists.into()),
            Some(found) if found.kind == Kind::Folder => return Err(Code::IsFolder.into()),
            Some(found) if found.kind == Kind::Link => return Err(base::a_link(path)),
            Some(found) if found.kind == Kind::Other => return Err(Code::Access.into()),
            _ => {}
        }
        self.ready_for(path)?;
        let size = content.size();
        if !spend(size) {
            return Err(Code::BrokenOff.into());
        }
        // What it takes the place of is not counted for it.
        let before = found.map_or(0, |found| found.size);
        self.room(size.saturating_sub(before), u64::from(found.is_none()))?;
        let own = self.home.made()?.file()?;
        let mut file = own.open(true)?;
        for piece in content.all() {
            file.write_all(piece)?;
        }
        file.set_modified(UNIX_EPOCH + Duration::from_nanos(modified))?;
        own.resized(size);
        self.change(path, Change::File(own))
    }

    pub(crate) fn make_folder(&mut self, path: &str) -> Result<(), FileError> {
        if self.status(path)?.is_some() {
            return Err(Code::Exists.into());
        }
        self.ready_for(path)?;
        self.room(0, 1)?;
        self.change(path, Change::Folder)
    }

    pub(crate) fn remove(&mut self, path: &str) -> Result<(), FileError> {
        self.writable()?;
        match self.status(path)? {
            None => Err(Code::NoEntry.into()),
            Some(found) if found.kind == Kind::Folder => Err(Code::IsFolder.into()),
            Some(_) => self.change(path, Change::Gone),
        }
    }

    pub(crate) fn remove_folder(&mut self, path: &str) -> Result<(), FileError> {
        self.writable()?;
        match self.status(path)? {
            _ if path.is_empty() => Err(Code::Access.into()),
            None => Err(Code::NoEntry.into()),
            Some(found) if found.kind != Kind::Folder => Err(Code::NotFolder.into()),
            Some(_) if !self.names(path, &|_| true)?.is_empty() => Err(Code::NotEmpty.into()),
            Some(_) => self.change(path, Change::Gone),
        }
    }

    /// Says when a file was last modified.
    pub(crate) fn touch(
        &mut self,
        path: &str,
        modified: u64,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        let found = self.status(path)?.ok_or(Code::NoEntry)?;
        self.writable()?;
        if found.kind == Kind::Folder {
            // A folder's own time says when something was put into it, and stays that.
            return Ok(());
        }
        let opened = self.open_to_write(path, OpenOptions::default(), spend)?;
        opened
            .file
            .set_modified(UNIX_EPOCH + Duration::from_nanos(modified))?;
        if let Some(own) = opened.own {
            own.changed();
        }
        Ok(())
    }

    /// What the run changed below a path, to be merged.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&str, &Change)> {
        let all = (Bound::<&str>::Unbounded, Bound::Unbounded);
        self.layer
            .changes
            .range::<str, _>(all)
            .map(|(path, change)| (path.as_str(), change))
    }
}
