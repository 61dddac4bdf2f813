//! The files that one run wrote: in a folder of the host's own, by numbers.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use parking_lot::Mutex;

use crate::base::{self, Status};
use crate::error::{Code, FileError};
use crate::tree::{Tree, make_folder};

/// The folder with the layers.
pub(crate) const LAYERS: &str = "layers";
/// The file in a layer's folder that is locked as long as its run is there.
pub(crate) const ALIVE: &str = "alive";
/// The file in a layer's folder that names a file which is there as long as the run is kept, though
/// no process may have it.
const KEPT: &str = "kept";

/// A file that a run wrote. It is removed when nothing means it any more.
#[derive(Debug)]
pub(crate) struct OwnFile {
    pub(crate) number: u64,
    place: Arc<LayerFolder>,
    size: AtomicU64,
    /// It is still the same file as one of the folder's, and must not be written to.
    shared: bool,
    /// How often it was changed.
    changed: AtomicU64,
    /// The number of the file that is kept of it, and how often it had been changed by then.
    kept: Mutex<Option<(u64, u64)>>,
}

/// Where the files of a layer are.
#[derive(Debug)]
pub(crate) struct LayerFolder {
    /// What it is called among the layers.
    pub(crate) name: String,
    pub(crate) folder: Dir,
    layers: Dir,
    next: AtomicU64,
    bytes: AtomicU64,
    files: AtomicU64,
    kept: Mutex<SnapshotNumbers>,
    _alive: File,
}

/// What of a layer is kept, where its run is parked.
#[derive(Debug, Default)]
struct SnapshotNumbers {
    /// What is there as long as the run is kept.
    mark: Option<PathBuf>,
    /// The copies that there are: those that what is kept needs, and such as may be used again.
    copies: BTreeSet<u64>,
    /// Those that what is about to be kept needs.
    next: BTreeSet<u64>,
}

impl LayerFolder {
    /// Makes a folder for a run's files, in that of the host's own.
    pub(crate) fn new(tree: &Tree) -> Result<Self, FileError> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // Meanwhile nobody clears layers away that no run has.
        let (_turn, own) = tree.change()?;
        let layers = make_folder(&own, LAYERS)?;
        loop {
            let made = MADE.fetch_add(1, Relaxed);
            let since = base::nanoseconds(std::time::SystemTime::now());
            let name = format!("{}-{since}-{made}", std::process::id());
            if layers.try_exists(&name)? {
                continue;
            }
            let folder = make_folder(&layers, &name)?;
            let alive = folder.create(ALIVE)?.into_std();
            alive.try_lock().map_err(io::Error::from)?;
            return Ok(Self {
                name,
                folder,
                layers,
                next: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
                files: AtomicU64::new(0),
                kept: Mutex::default(),
                _alive: alive,
            });
        }
    }

    /// That of a run that was kept, with the files that are needed of it.
    pub(crate) fn again(
        tree: &Tree,
        name: &str,
        mark: &Path,
        needed: BTreeSet<u64>,
    ) -> Result<Self, FileError> {
        let gone = || FileError::new(Code::Io, "what the run wrote is gone");
        let is_sound = |byte: u8| byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || !name.bytes().all(is_sound) {
            return Err(gone());
        }
        // Meanwhile nobody clears it away.
        let (_turn, own) = tree.change()?;
        let layers = make_folder(&own, LAYERS)?;
        if !layers.try_exists(name)? {
            return Err(gone());
        }
        let folder = make_folder(&layers, name)?;
        let alive = folder.create(ALIVE)?.into_std();
        if alive.try_lock().is_err() {
            let advice = "another process holds what the run wrote";
            return Err(FileError::new(Code::Io, advice));
        }
        let mut last = 0;
        for entry in folder.entries()? {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u64>().ok());
            let Some(number) = number else { continue };
            last = last.max(number + 1);
            if !needed.contains(&number) {
                folder.remove_file(&name)?;
            }
        }
        Ok(Self {
            name: name.to_owned(),
            folder,
            layers,
            next: AtomicU64::new(last),
            bytes: AtomicU64::new(0),
            files: AtomicU64::new(0),
            kept: Mutex::new(SnapshotNumbers {
                mark: Some(mark.to_owned()),
                copies: needed,
                next: BTreeSet::new(),
            }),
            _alive: alive,
        })
    }

    /// From now on, what is kept of this layer stays as long as there is a file of that name.
    pub(crate) fn mark(&self, mark: &Path) -> Result<(), FileError> {
        let mut kept = self.kept.lock();
        if kept.mark.as_deref() != Some(mark) {
            self.folder
                .write(KEPT, mark.as_os_str().as_encoded_bytes())?;
            kept.mark = Some(mark.to_owned());
        }
        Ok(())
    }

    /// What was about to be kept is kept now, and what it does not need goes; or it is not, and all
    /// copies stay, since what was kept before needs them.
    pub(crate) fn settle(&self, is_kept: bool) {
        let mut kept = self.kept.lock();
        let next = std::mem::take(&mut kept.next);
        if !is_kept {
            return;
        }
        for number in kept.copies.difference(&next) {
            // The folder goes as a whole in the end.
            let _ = self.folder.remove_file(number.to_string());
        }
        kept.copies = next;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    pub(crate) fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Makes an empty file.
    pub(crate) fn file(self: &Arc<Self>) -> Result<Arc<OwnFile>, FileError> {
        let number = self.next.fetch_add(1, Relaxed);
        self.folder.create(number.to_string())?;
        Ok(self.counted(number, 0, false))
    }

    /// Makes one of the folder's files also one of the layer's, without copying it where the system
    /// can do that.
    pub(crate) fn share(
        self: &Arc<Self>,
        root: &Dir,
        path: &str,
        found: Status,
    ) -> Result<Arc<OwnFile>, FileError> {
        let number = self.next.fetch_add(1, Relaxed);
        let linked = root.hard_link(path, &self.folder, number.to_string());
        if linked.is_ok() {
            return Ok(self.counted(number, found.size, true));
        }
        let own = self.file()?;
        own.fill(base::open(root, path)?)?;
        Ok(own)
    }

    /// One of a run's files as it was kept: from now on, the run changes this one.
    pub(crate) fn restored(
        self: &Arc<Self>,
        number: u64,
        shared: bool,
    ) -> Result<Arc<OwnFile>, FileError> {
        let size = self.folder.metadata(number.to_string())?.len();
        let own = self.counted(self.copy(number, shared)?, size, shared);
        *own.kept.lock() = Some((number, 0));
        Ok(own)
    }

    /// Copies one of its files; one that nobody writes to is the same under both numbers. Gives the
    /// number of the copy.
    fn copy(&self, number: u64, shared: bool) -> Result<u64, FileError> {
        let copy = self.next.fetch_add(1, Relaxed);
        let (from, to) = (number.to_string(), copy.to_string());
        if !shared || (self.folder).hard_link(&from, &self.folder, &to).is_err() {
            let found = self.folder.metadata(&from)?;
            self.folder.copy(&from, &self.folder, &to)?;
            let file = self.folder.open_with(&to, OpenOptions::new().write(true))?;
            file.into_std().set_modified(found.modified()?.into_std())?;
        }
        Ok(copy)
    }

    fn counted(self: &Arc<Self>, number: u64, size: u64, shared: bool) -> Arc<OwnFile> {
        self.bytes.fetch_add(size, Relaxed);
        self.files.fetch_add(1, Relaxed);
        Arc::new(OwnFile {
            number,
            place: Arc::clone(self),
            size: AtomicU64::new(size),
            shared,
            changed: AtomicU64::new(0),
            kept: Mutex::new(None),
        })
    }
}

impl Drop for LayerFolder {
    fn drop(&mut self) {
        let is_kept = |mark: &PathBuf| mark.exists();
        if self.kept.get_mut().mark.as_ref().is_some_and(is_kept) {
            return;
        }
        // What is left behind, the next merge clears away.
        let _ = self.layers.remove_dir_all(&self.name);
    }
}

impl OwnFile {
    pub(crate) fn size(&self) -> u64 {
        self.size.load(Relaxed)
    }

    /// Whether it may be written to.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    pub(crate) fn open(&self, write: bool) -> Result<File, FileError> {
        let mut how = OpenOptions::new();
        how.read(true).write(write && !self.shared);
        Ok(self
            .place
            .folder
            .open_with(self.number.to_string(), &how)?
            .into_std())
    }

    pub(crate) fn status(&self) -> Result<Status, FileError> {
        let found = self.place.folder.metadata(self.number.to_string())?;
        Ok(base::status_of(&found, true))
    }

    /// How many bytes must be copied to keep it as it is.
    pub(crate) fn unkept_bytes(&self) -> u64 {
        let changed = self.changed.load(Relaxed);
        match *self.kept.lock() {
            Some((_, then)) if then == changed => 0,
            _ if self.shared => 0,
            _ => self.size(),
        }
    }

    /// Keeps it as it is, beside itself. Gives the number of what is kept.
    pub(crate) fn keep(&self) -> Result<u64, FileError> {
        let changed = self.changed.load(Relaxed);
        let mut kept = self.kept.lock();
        let number = match *kept {
            Some((number, then)) if then == changed => number,
            _ => {
                let number = self.place.copy(self.number, self.shared)?;
                *kept = Some((number, changed));
                number
            }
        };
        let mut numbers = self.place.kept.lock();
        numbers.copies.insert(number);
        numbers.next.insert(number);
        Ok(number)
    }

    /// Says that something of it is another by now.
    pub(crate) fn changed(&self) {
        self.changed.fetch_add(1, Relaxed);
    }

    /// Says that it has so many bytes now, and others than before.
    pub(crate) fn resized(&self, size: u64) {
        self.changed();
        let before = self.size.swap(size, Relaxed);
        self.place.bytes.fetch_add(size, Relaxed);
        self.place.bytes.fetch_sub(before, Relaxed);
    }

    /// Writes what a file has to it, with its mode and the time when it was modified.
    pub(crate) fn fill(&self, mut from: File) -> Result<(), FileError> {
        let mut to = self.open(true)?;
        let size = io::copy(&mut from, &mut to)?;
        let found = from.metadata()?;
        to.set_permissions(found.permissions())?;
        if let Ok(modified) = found.modified() {
            to.set_modified(modified)?;
        }
        self.resized(size);
        Ok(())
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        self.place.bytes.fetch_sub(self.size(), Relaxed);
        self.place.files.fetch_sub(1, Relaxed);
        // The folder goes as a whole, if it does not do so alone.
        let _ = self.place.folder.remove_file(self.number.to_string());
    }
}

/// Removes what runs left that are gone.
pub(crate) fn clear(own: &Dir) -> Result<(), FileError> {
    let Ok(layers) = own.open_dir(LAYERS) else {
        return Ok(());
    };
    for entry in layers.entries()? {
        match clear_one(&layers, entry?.file_name().as_ref()) {
            // Its run has removed it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            cleared => cleared?,
        }
    }
    Ok(())
}

fn clear_one(layers: &Dir, name: &Path) -> io::Result<()> {
    let folder = layers.open_dir(name)?;
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).mode(0o600);
    let alive = folder.open_with(ALIVE, &how)?.into_std();
    if alive.try_lock().is_ok() && !is_kept(&folder) {
        layers.remove_dir_all(name)?;
    }
    Ok(())
}

/// Whether somebody keeps what is in a layer's folder, and may continue with it.
fn is_kept(folder: &Dir) -> bool {
    let Ok(mark) = folder.read(KEPT) else {
        return false;
    };
    PathBuf::from(OsString::from_vec(mark)).exists()
}
