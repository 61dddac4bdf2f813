//! What a run has: its roots, and the files that it opened.
//!
//! - `state`: what there is of that, behind a lock; `promises`: what becomes of what the run wrote

mod promises;
mod state;

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::{self, Status};
use crate::carrier::Carrier;
use crate::error::{Code, FileError};
use crate::open_options::{NewFile, OpenOptions};
use crate::overlay::{Listing, Meter, Overlay};
use crate::path::{self, FOLDERS};
use crate::tree::Tree;

pub use promises::{MergeOutcome, Promises};
use state::CarrierState;
pub(crate) use state::{OpenFile, State};

/// The files of one run. What it changes, nobody else sees until [`merge`](Self::merge); dropped
/// before that, nothing of it is left.
#[derive(Debug)]
pub struct Files(pub(crate) Mutex<State>);

impl Files {
    /// Those of a workspace, and of folders by their names.
    pub fn new(workspace: Option<Arc<Tree>>, folders: Vec<(String, Arc<Tree>)>) -> Self {
        let workspace = workspace.map(|tree| Overlay::over(tree, "the workspace".to_owned()));
        let folders = folders.into_iter().map(|(name, tree)| {
            let overlay = Overlay::over(tree, format!("/{FOLDERS}/{name}"));
            (name, overlay)
        });
        Self(Mutex::new(State {
            carrier: None,
            workspace,
            folders: folders.collect(),
            open: BTreeMap::new(),
            next: 0,
            used: false,
        }))
    }

    /// Whether a workspace is among them, and not only folders.
    pub fn have_workspace(&self) -> bool {
        self.0.lock().workspace.is_some()
    }

    /// From now on, this one uses them.
    pub fn used_by(&self, carrier: impl Carrier) {
        self.0.lock().carrier = Some(CarrierState {
            carrier: Box::new(carrier),
            looked: Vec::new(),
            seen: BTreeMap::new(),
        });
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// There is none, or it can't be used so.
    pub fn open(&self, path: &str, how: OpenOptions, spend: Meter<'_>) -> Result<u32, FileError> {
        self.looked(|state| state.opened(path, how, spend))
    }

    /// Closes a file.
    ///
    /// # Errors
    ///
    /// It is not open.
    pub fn close(&self, handle: u32) -> Result<(), FileError> {
        let closed = self.0.lock().open.remove(&handle);
        closed.map(drop).ok_or_else(|| Code::BadHandle.into())
    }

    /// At most so many bytes from a place on; fewer only at the end.
    ///
    /// # Errors
    ///
    /// It is not open to be read.
    pub fn read(&self, handle: u32, at: u64, count: usize) -> Result<Vec<u8>, FileError> {
        let open = self.0.lock().file(handle)?;
        if !open.how.read {
            return Err(Code::BadHandle.into());
        }
        let file = open.file()?;
        let size = file.metadata()?.len();
        let left = usize::try_from(size.saturating_sub(at)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; count.min(left)];
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read_at(&mut bytes[filled..], at + filled as u64)? {
                0 => break,
                more => filled += more,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Writes bytes to a place, or to the end. Gives where the next one goes.
    ///
    /// # Errors
    ///
    /// It is not open to be written, or there is no room.
    pub fn write(&self, handle: u32, at: u64, bytes: &[u8]) -> Result<u64, FileError> {
        let state = self.0.lock();
        let (open, own) = state.written(handle)?;
        let before = own.size();
        let at = if open.how.append { before } else { at };
        let end = at.checked_add(bytes.len() as u64).ok_or(Code::Invalid)?;
        state.grow(&open.root, before, end)?;
        open.file()?.write_all_at(bytes, at)?;
        own.resized(before.max(end));
        Ok(end)
    }

    /// Cuts it, or makes it longer by zeros.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    pub fn resize(&self, handle: u32, size: u64) -> Result<(), FileError> {
        let state = self.0.lock();
        let (open, own) = state.written(handle)?;
        state.grow(&open.root, own.size(), size)?;
        open.file()?.set_len(size)?;
        own.resized(size);
        Ok(())
    }

    /// What is known of a file that is open.
    ///
    /// # Errors
    ///
    /// It is not.
    pub fn status_of(&self, handle: u32) -> Result<Status, FileError> {
        let open = self.0.lock().file(handle)?;
        let found = cap_std::fs::Metadata::from_just_metadata(open.file()?.metadata()?);
        Ok(base::status_of(&found, open.own.is_some()))
    }

    /// What is known of what is at a path.
    ///
    /// # Errors
    ///
    /// There is nothing.
    pub fn status(&self, path: &str) -> Result<Status, FileError> {
        self.looked(|state| state.found(path))
    }

    /// What is in a folder, after a name: some of it at once.
    ///
    /// # Errors
    ///
    /// The folder does not exist.
    pub fn list(&self, path: &str, after: &str, spend: Meter<'_>) -> Result<Listing, FileError> {
        self.looked(|state| state.listed(path, after, spend))
    }

    /// Makes a folder.
    ///
    /// # Errors
    ///
    /// There is something, or there is no folder to make it in.
    pub fn make_folder(&self, path: &str) -> Result<(), FileError> {
        self.within(path, |overlay, path| overlay.make_folder(path))
    }

    /// Removes a file, or a link.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn remove(&self, path: &str) -> Result<(), FileError> {
        self.within(path, |overlay, path| overlay.remove(path))
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    ///
    /// There is none, or it is not empty.
    pub fn remove_folder(&self, path: &str) -> Result<(), FileError> {
        self.within(path, |overlay, path| overlay.remove_folder(path))
    }

    /// Gives something another path, in place of what is there.
    ///
    /// # Errors
    ///
    /// There is nothing, or it is not possible there.
    pub fn rename(&self, from: &str, to: &str, spend: Meter<'_>) -> Result<(), FileError> {
        self.looked(|state| state.renamed(from, to, spend))
    }

    /// Copies a file.
    ///
    /// # Errors
    ///
    /// There is none, or no room; or, where it is not to be replaced, one there.
    pub fn copy(
        &self,
        from: &str,
        to: &str,
        exclusive: bool,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        self.looked(|state| state.copied(from, to, exclusive, spend))
    }

    /// Makes a file of what one in memory has, in place of what is there: of all of it, or of nothing.
    ///
    /// # Errors
    ///
    /// There is no room; or, where it is not to be replaced, a file there.
    pub fn put(&self, path: &str, new: NewFile<'_>, spend: Meter<'_>) -> Result<(), FileError> {
        if path.ends_with('/') {
            return Err(Code::IsFolder.into());
        }
        self.within(path, |overlay, path| overlay.put(path, new, spend))
    }

    /// Says when a file was last modified, in nanoseconds since 1970.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn touch(&self, path: &str, modified: u64, spend: Meter<'_>) -> Result<(), FileError> {
        self.within(path, |overlay, path| overlay.touch(path, modified, spend))
    }

    /// Whether the run has found a file, or changed one.
    pub fn are_used(&self) -> bool {
        self.0.lock().used
    }

    fn within<T>(
        &self,
        path: &str,
        action: impl FnOnce(&mut Overlay, &str) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let place = path::place(path)?;
        self.looked(|state| {
            let (overlay, path) = state.at(&place)?;
            action(overlay, path)
        })
    }

    /// A lookup that finds nothing has used no file: interpreters look for the source of what
    /// fails.
    fn looked<T>(
        &self,
        look: impl FnOnce(&mut State) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let mut state = self.0.lock();
        let found = look(&mut state);
        // That something is not there, is something that was read.
        state.tell_carrier()?;
        if !matches!(&found, Err(error) if error.code == Code::NoEntry) {
            state.used = true;
        }
        found
    }
}
