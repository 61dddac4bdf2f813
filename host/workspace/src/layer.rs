//! The files that one run wrote: in a folder of the host's own, by numbers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{FlockOperation, flock};

use crate::base::{self, Stamp, Status};
use crate::problem::{Code, Problem};
use crate::tree::{Tree, make_folder};

/// The folder with the layers.
pub(crate) const LAYERS: &str = "layers";
/// The file in a layer's folder that is locked as long as its run is there.
pub(crate) const ALIVE: &str = "alive";

/// What a run did at a path.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// There is a file of the run's.
    File(Arc<OwnFile>),
    /// There is a folder; nothing that was there before is in it, but for what the run says.
    Folder,
    /// There is nothing.
    Gone,
}

/// A file that a run wrote. It is removed when nothing means it any more.
#[derive(Debug)]
pub(crate) struct OwnFile {
    pub(crate) number: u64,
    place: Arc<Place>,
    size: AtomicU64,
    /// It is still the same file as one of the folder's, and must not be written to.
    shared: bool,
}

/// Where the files of a layer are.
#[derive(Debug)]
pub(crate) struct Place {
    /// What it is called among the layers.
    pub(crate) name: String,
    pub(crate) folder: Dir,
    layers: Dir,
    next: AtomicU64,
    bytes: AtomicU64,
    files: AtomicU64,
    _alive: File,
}

/// What a run changed, and what it has seen.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) changes: BTreeMap<String, Change>,
    /// What the folder had when the run first looked.
    pub(crate) seen: BTreeMap<String, Stamp>,
    /// How much of the folder's own the changes hide.
    pub(crate) hidden_bytes: u64,
    pub(crate) hidden_files: u64,
    /// How many of the changes are folders.
    pub(crate) folders: u64,
}

impl Layer {
    /// The changes to what is in a folder, and to all that are in it.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = (&String, &Change)> {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.changes
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
    }
}

impl Place {
    /// Makes a folder for a run's files, in that of the host's own.
    pub(crate) fn new(tree: &Tree) -> Result<Self, Problem> {
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
            flock(&alive, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)?;
            return Ok(Self {
                name,
                folder,
                layers,
                next: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
                files: AtomicU64::new(0),
                _alive: alive,
            });
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    pub(crate) fn files(&self) -> u64 {
        self.files.load(Relaxed)
    }

    /// Makes an empty file.
    pub(crate) fn file(self: &Arc<Self>) -> Result<Arc<OwnFile>, Problem> {
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
    ) -> Result<Arc<OwnFile>, Problem> {
        let number = self.next.fetch_add(1, Relaxed);
        let linked = root.hard_link(path, &self.folder, number.to_string());
        if linked.is_ok() {
            return Ok(self.counted(number, found.size, true));
        }
        let own = self.file()?;
        own.fill(base::open(root, path)?)?;
        Ok(own)
    }

    fn counted(self: &Arc<Self>, number: u64, size: u64, shared: bool) -> Arc<OwnFile> {
        self.bytes.fetch_add(size, Relaxed);
        self.files.fetch_add(1, Relaxed);
        Arc::new(OwnFile {
            number,
            place: Arc::clone(self),
            size: AtomicU64::new(size),
            shared,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
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

    pub(crate) fn open(&self, write: bool) -> Result<File, Problem> {
        let mut how = OpenOptions::new();
        how.read(true).write(write && !self.shared);
        Ok(self
            .place
            .folder
            .open_with(self.number.to_string(), &how)?
            .into_std())
    }

    pub(crate) fn status(&self) -> Result<Status, Problem> {
        let found = self.place.folder.metadata(self.number.to_string())?;
        Ok(base::status_of(&found, true))
    }

    /// Says that it has so many bytes now.
    pub(crate) fn resized(&self, size: u64) {
        let before = self.size.swap(size, Relaxed);
        self.place.bytes.fetch_add(size, Relaxed);
        self.place.bytes.fetch_sub(before, Relaxed);
    }

    /// Writes what a file has to it, with its mode and the time when it was modified.
    pub(crate) fn fill(&self, mut from: File) -> Result<(), Problem> {
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
pub(crate) fn clear(own: &Dir) -> Result<(), Problem> {
    let Ok(layers) = own.open_dir(LAYERS) else {
        return Ok(());
    };
    for entry in layers.entries()? {
        let name = entry?.file_name();
        let folder = layers.open_dir(&name)?;
        let mut how = OpenOptions::new();
        how.read(true).write(true).create(true).mode(0o600);
        let alive = folder.open_with(ALIVE, &how)?.into_std();
        if flock(&alive, FlockOperation::NonBlockingLockExclusive).is_ok() {
            layers.remove_dir_all(&name)?;
        }
    }
    Ok(())
}

/// What is refused, as the quota is used up.
pub(crate) fn full(what: &str, most: u64, unit: &str) -> Problem {
    Problem::new(
        Code::Full,
        format!("{what} may have {most} {unit} at most; remove what is not needed any more"),
    )
}
