//! A run's files, as they are kept while it is parked: another process may continue with it.
//!
//! What the run wrote is kept beside itself, in the layer's folder, as copies that nobody writes
//! to; the rest is listed. So a run that continued, and whose process was killed then, continues
//! from what was kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{self, Stamp, Usage};
use crate::error::{Code, FileError};
use crate::files::{Files, OpenFile, State};
use crate::layer::{Change, Layer};
use crate::layer_folder::{LayerFolder, OwnFile};
use crate::open_options::OpenOptions;
use crate::overlay::Overlay;
use crate::path::Root;

/// What each path that a run looked at or changed takes to be kept, in bytes.
const ENTRY: u64 = 64;

/// The files of a run that is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesSnapshot {
    /// What is there as long as they are kept.
    mark: PathBuf,
    roots: Vec<RootSnapshot>,
    open: Vec<(u32, OpenFileSnapshot)>,
    next: u32,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RootSnapshot {
    root: Root,
    /// The folder that it was.
    folder: PathBuf,
    /// The name of its layer, if the run wrote something.
    layer: Option<String>,
    /// How much there was before.
    before: Option<Usage>,
    changes: Vec<(String, ChangeSnapshot)>,
    seen: BTreeMap<String, Stamp>,
    hidden: (u64, u64),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ChangeSnapshot {
    File(OwnFileSnapshot),
    Folder,
    Gone,
}

/// A file of the run's own.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct OwnFileSnapshot {
    /// Which one it was: a file that is open may have another path, or none.
    own: u64,
    /// The number of what is kept of it.
    kept: u64,
    shared: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenFileSnapshot {
    root: Root,
    path: String,
    how: OpenOptions,
    what: FileSnapshot,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileSnapshot {
    Own(OwnFileSnapshot),
    /// One of the folder's, as it was.
    There(Stamp),
}

impl FilesSnapshot {
    /// Whether a run that had them can continue with these.
    ///
    /// # Errors
    ///
    /// It had those of another folder.
    pub fn fit(&self, files: Option<&Files>) -> Result<(), FileError> {
        let mut state = files.map(|files| files.0.lock());
        for root in &self.roots {
            let state = state.as_mut().ok_or_else(|| root.is_missing())?;
            root.overlay(state)?;
        }
        Ok(())
    }
}

impl Files {
    /// What keeping them takes: bytes that are copied or told.
    pub fn keeping_takes(&self) -> u64 {
        let state = self.0.lock();
        let layers = || state.overlays().map(|it| &it.layer);
        let paths = layers().flat_map(|layer| layer.changes.keys().chain(layer.seen.keys()));
        let told: u64 = paths.map(|path| path.len() as u64 + ENTRY).sum();
        let written = layers().flat_map(|layer| layer.changes.values());
        let written = written.filter_map(|change| match change {
            Change::File(own) => Some(own),
            Change::Folder | Change::Gone => None,
        });
        // One that is open may have a path, or more, or none.
        let open = state.open.values().filter_map(|open| open.own.as_ref());
        let all: BTreeMap<_, _> = written
            .chain(open)
            .map(|own| (Arc::as_ptr(own), own.unkept_bytes()))
            .collect();
        told + all.values().sum::<u64>()
    }

    /// Keeps them as they are, as long as there is a file with the name of `mark`. It counts once
    /// that is [said](Self::settle).
    ///
    /// # Errors
    ///
    /// They can't be copied.
    pub fn keep(&self, mark: &Path) -> Result<FilesSnapshot, FileError> {
        let state = self.0.lock();
        let mut roots = Vec::new();
        let named = state.folders.iter();
        let named = named.map(|(name, overlay)| (Root::Folder(name.clone()), overlay));
        let workspace = state.workspace.iter().map(|it| (Root::Workspace, it));
        for (root, overlay) in workspace.chain(named) {
            roots.push(RootSnapshot::of(root, overlay, mark)?);
        }
        let open = state.open.iter();
        let open = open.map(|(handle, open)| Ok((*handle, OpenFileSnapshot::of(open)?)));
        Ok(FilesSnapshot {
            mark: mark.to_owned(),
            roots,
            open: open.collect::<Result<_, FileError>>()?,
            next: state.next,
        })
    }

    /// Says whether they are kept now, in place of what was kept before.
    pub fn settle(&self, are_kept: bool) {
        let state = self.0.lock();
        for place in state.overlays().filter_map(|overlay| overlay.home.place()) {
            place.settle(are_kept);
        }
    }

    /// They are as they were when they were kept. These must not have been used.
    ///
    /// # Errors
    ///
    /// What was kept is gone, or is of another folder.
    pub fn restore(&self, kept: FilesSnapshot) -> Result<(), FileError> {
        let mut state = self.0.lock();
        let mut restored = Restoration::default();
        for root in &kept.roots {
            let needed = needed(&kept, root.layer.as_deref());
            root.restore(&mut state, &kept.mark, needed, &mut restored)?;
        }
        for (handle, open) in kept.open {
            let opened = open.restore(&mut state, &mut restored)?;
            state.open.insert(handle, opened);
        }
        state.next = kept.next;
        state.used = true;
        Ok(())
    }
}

/// A path that means the same wherever a process is.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What several roots and open files share, once the first of them has restored it.
#[derive(Default)]
struct Restoration {
    /// Layers by their names.
    layers: BTreeMap<String, Arc<LayerFolder>>,
    /// Files of the run's own by the layer and their number.
    own_files: BTreeMap<(String, u64), Arc<OwnFile>>,
}

/// The numbers of what is kept in a layer; of others, too, which have no such files.
fn needed(kept: &FilesSnapshot, layer: Option<&str>) -> BTreeSet<u64> {
    let roots = kept
        .roots
        .iter()
        .filter(|root| root.layer.as_deref() == layer);
    let mut needed: BTreeSet<u64> = roots
        .flat_map(|root| &root.changes)
        .filter_map(|(_, change)| match change {
            ChangeSnapshot::File(own) => Some(own.kept),
            ChangeSnapshot::Folder | ChangeSnapshot::Gone => None,
        })
        .collect();
    needed.extend(kept.open.iter().filter_map(|(_, open)| match open.what {
        FileSnapshot::Own(own) => Some(own.kept),
        FileSnapshot::There(_) => None,
    }));
    needed
}

impl OwnFileSnapshot {
    fn of(own: &OwnFile) -> Result<Self, FileError> {
        Ok(Self {
            own: own.number,
            kept: own.keep()?,
            shared: own.is_shared(),
        })
    }

    /// The file, which is one for all that mean it.
    fn restored(
        self,
        place: &Arc<LayerFolder>,
        restored: &mut Restoration,
    ) -> Result<Arc<OwnFile>, FileError> {
        let key = (place.name.clone(), self.own);
        if let Some(own) = restored.own_files.get(&key) {
            return Ok(Arc::clone(own));
        }
        let own = place.restored(self.kept, self.shared)?;
        restored.own_files.insert(key, Arc::clone(&own));
        Ok(own)
    }
}

impl RootSnapshot {
    fn of(root: Root, overlay: &Overlay, mark: &Path) -> Result<Self, FileError> {
        let Overlay { home, layer, .. } = overlay;
        if let Some(place) = home.place() {
            place.mark(mark)?;
        }
        let change = |change: &Change| {
            Ok::<_, FileError>(match change {
                Change::File(own) => ChangeSnapshot::File(OwnFileSnapshot::of(own)?),
                Change::Folder => ChangeSnapshot::Folder,
                Change::Gone => ChangeSnapshot::Gone,
            })
        };
        let changes = layer.changes.iter();
        let changes = changes.map(|(path, it)| Ok((path.clone(), change(it)?)));
        Ok(Self {
            root,
            folder: whole(home.tree().path()),
            layer: home.place().map(|place| place.name.clone()),
            before: home.known_before(),
            changes: changes.collect::<Result<_, FileError>>()?,
            seen: layer.seen.clone(),
            hidden: (layer.hidden_bytes, layer.hidden_files),
        })
    }

    /// The same root of other files.
    fn overlay<'s>(&self, state: &'s mut State) -> Result<&'s mut Overlay, FileError> {
        let overlay = state.root(&self.root).ok_or_else(|| self.is_missing())?;
        match whole(overlay.home.tree().path()) == self.folder {
            true => Ok(overlay),
            false => Err(self.is_missing()),
        }
    }

    fn is_missing(&self) -> FileError {
        let folder = self.folder.display();
        let advice = format!("it had the files of {folder}, which it does not have here");
        FileError::new(Code::Io, advice)
    }

    fn restore(
        &self,
        state: &mut State,
        mark: &Path,
        needed: BTreeSet<u64>,
        restored: &mut Restoration,
    ) -> Result<(), FileError> {
        let overlay = self.overlay(state)?;
        let place = match &self.layer {
            None => None,
            Some(name) => Some(match restored.layers.get(name) {
                Some(place) => Arc::clone(place),
                None => {
                    let place = LayerFolder::again(overlay.home.tree(), name, mark, needed)?;
                    let place = Arc::new(place);
                    restored.layers.insert(name.clone(), Arc::clone(&place));
                    place
                }
            }),
        };
        let mut layer = Layer {
            seen: self.seen.clone(),
            hidden_bytes: self.hidden.0,
            hidden_files: self.hidden.1,
            ..Layer::default()
        };
        for (path, change) in &self.changes {
            let change = match (change, &place) {
                (ChangeSnapshot::File(own), Some(place)) => {
                    Change::File(own.restored(place, restored)?)
                }
                (ChangeSnapshot::File(_), None) => return Err(self.is_missing()),
                (ChangeSnapshot::Folder, _) => Change::Folder,
                (ChangeSnapshot::Gone, _) => Change::Gone,
            };
            layer.folders += u64::from(matches!(change, Change::Folder));
            layer.changes.insert(path.clone(), change);
        }
        overlay.layer = layer;
        overlay.home.restore(place, self.before);
        Ok(())
    }
}

impl OpenFileSnapshot {
    fn of(open: &OpenFile) -> Result<Self, FileError> {
        let what = match (&open.own, &open.file) {
            (Some(own), _) => FileSnapshot::Own(OwnFileSnapshot::of(own)?),
            (None, Some(file)) => {
                let found = cap_std::fs::Metadata::from_just_metadata(file.metadata()?);
                FileSnapshot::There(Stamp::of(Some(base::status_of(&found, false))))
            }
            (None, None) => FileSnapshot::There(Stamp::Absent),
        };
        Ok(Self {
            root: open.root.clone(),
            path: open.path.clone(),
            how: open.how,
            what,
        })
    }

    fn restore(self, state: &mut State, restored: &mut Restoration) -> Result<OpenFile, FileError> {
        let Self {
            root,
            path,
            how,
            what,
        } = self;
        let gone = || FileError::new(Code::Io, "what the run wrote is gone");
        let overlay = state.root(&root).ok_or_else(gone)?;
        let (file, own) = match what {
            FileSnapshot::Own(own) => {
                let place = overlay.home.place().ok_or_else(gone)?;
                let place = restored.layers.get(&place.name).ok_or_else(gone)?;
                let own = own.restored(&Arc::clone(place), restored)?;
                (Some(own.open(how.write || how.append)?), Some(own))
            }
            FileSnapshot::There(then) => {
                let tree = overlay.base.as_ref().ok_or_else(gone)?;
                let found = base::find(&tree.root, &path);
                let same = found.map(Stamp::of).is_ok_and(|now| now == then);
                let file = same.then(|| base::open(&tree.root, &path));
                (file.and_then(Result::ok), None)
            }
        };
        Ok(OpenFile {
            file: file.map(Arc::new),
            own,
            root,
            path,
            how,
        })
    }
}
