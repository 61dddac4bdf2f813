//! The roots of a run, and what it has open.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::sync::Arc;

use crate::base::{Kind, Status};
use crate::carrier::{Carrier, LastCarried};
use crate::error::{Code, FileError};
use crate::layer_folder::OwnFile;
use crate::open_options::{OPEN, OpenOptions};
use crate::overlay::{Entry, Listing, Meter, OpenedFile, Overlay};
use crate::path::{self, FOLDERS, ResolvedPath, Root, WORKSPACE};

#[derive(Debug)]
pub(crate) struct State {
    pub(super) carrier: Option<CarrierState>,
    pub(crate) workspace: Option<Overlay>,
    pub(crate) folders: BTreeMap<String, Overlay>,
    pub(crate) open: BTreeMap<u32, OpenFile>,
    pub(crate) next: u32,
    /// Somebody has asked for one.
    pub(crate) used: bool,
}

/// The carrier of what was read.
pub(super) struct CarrierState {
    pub(super) carrier: Box<dyn Carrier>,
    /// The roots that were looked at, and what each told last.
    pub(super) looked: Vec<Root>,
    pub(super) seen: BTreeMap<Root, LastCarried>,
}

impl fmt::Debug for CarrierState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CarrierState").finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    /// None where the run was parked, and by now there is another one, or none.
    pub(crate) file: Option<Arc<File>>,
    /// The run's own file, if it is one: what is written to it counts.
    pub(crate) own: Option<Arc<OwnFile>>,
    pub(crate) root: Root,
    /// Where it was opened.
    pub(crate) path: String,
    pub(crate) how: OpenOptions,
}

impl OpenFile {
    pub(super) fn file(&self) -> Result<&File, FileError> {
        let file = self.file.as_deref();
        file.ok_or_else(|| {
            let advice = "it was changed while the run was parked; open it again";
            FileError::new(Code::Io, advice)
        })
    }
}

impl State {
    /// One of its roots, if there is such a one.
    pub(crate) fn root(&mut self, root: &Root) -> Option<&mut Overlay> {
        match root {
            // What is in memory is not here.
            Root::Top | Root::Folders | Root::Scratch => None,
            Root::Workspace => self.workspace.as_mut(),
            Root::Folder(name) => self.folders.get_mut(name),
        }
    }

    pub(super) fn opened(
        &mut self,
        path: &str,
        how: OpenOptions,
        spend: Meter<'_>,
    ) -> Result<u32, FileError> {
        let place = path::place(path)?;
        if self.open.len() >= OPEN {
            let advice = format!("{OPEN} are; close those that are not needed any more");
            return Err(FileError::new(Code::TooManyOpen, advice));
        }
        let ends_in_slash = path.ends_with('/');
        let changes = how.write || how.append || how.create || how.truncate;
        let (overlay, path) = self.at(&place)?;
        let OpenedFile { file, own } = if changes {
            if ends_in_slash {
                return Err(Code::IsFolder.into());
            }
            let options = OpenOptions {
                exclusive: how.exclusive && how.create,
                ..how
            };
            overlay.open_to_write(path, options, spend)?
        } else {
            overlay.open(path)?
        };
        let opened = OpenFile {
            file: Some(Arc::new(file)),
            own,
            path: place.path.clone(),
            root: place.root,
            how,
        };
        self.next += 1;
        let handle = self.next;
        self.open.insert(handle, opened);
        Ok(handle)
    }

    pub(super) fn found(&mut self, path: &str) -> Result<Status, FileError> {
        let place = path::place(path)?;
        if matches!(place.root, Root::Top | Root::Folders) {
            self.roots(&place)?;
            return Ok(Status {
                kind: Kind::Folder,
                size: 0,
                modified: 0,
                id: 0,
                writable: false,
            });
        }
        let (overlay, path) = self.at(&place)?;
        overlay.status(path)?.ok_or_else(|| Code::NoEntry.into())
    }

    pub(super) fn listed(
        &mut self,
        path: &str,
        after: &str,
        spend: Meter<'_>,
    ) -> Result<Listing, FileError> {
        let place = path::place(path)?;
        if matches!(place.root, Root::Top | Root::Folders) {
            let mut entries = self.roots(&place)?;
            entries.retain(|entry| *entry.name > *after);
            let more = false;
            return Ok(Listing { entries, more });
        }
        let (overlay, path) = self.at(&place)?;
        overlay.list(path, after, spend)
    }

    pub(super) fn renamed(
        &mut self,
        from: &str,
        to: &str,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        let (from, to) = (path::place(from)?, path::place(to)?);
        if from.root != to.root {
            let advice = "copy it, and remove it then";
            return Err(FileError::new(Code::CrossDevice, advice));
        }
        let (overlay, path) = self.at(&from)?;
        overlay.rename(path, &to.path, spend)
    }

    pub(super) fn copied(
        &mut self,
        from: &str,
        to: &str,
        exclusive: bool,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        let (from, to) = (path::place(from)?, path::place(to)?);
        let (overlay, path) = self.at(&from)?;
        let source = overlay.open(path)?;
        let size = source.file.metadata()?.len();
        if from == to {
            return if exclusive {
                Err(Code::Exists.into())
            } else {
                Ok(())
            };
        }
        if !spend(size) {
            return Err(Code::BrokenOff.into());
        }
        let (overlay, path) = self.at(&to)?;
        overlay.room(size, 0)?;
        let options = OpenOptions {
            create: true,
            exclusive,
            truncate: true,
            ..OpenOptions::default()
        };
        let made = overlay.open_to_write(path, options, spend)?;
        let own = made.own.ok_or(Code::Io)?;
        own.fill(source.file)
    }

    /// The root that a place is in, and its path there.
    pub(super) fn at<'p>(
        &mut self,
        place: &'p ResolvedPath,
    ) -> Result<(&mut Overlay, &'p str), FileError> {
        let is_there = match &place.root {
            Root::Folder(name) => self.folders.contains_key(name),
            Root::Scratch => false,
            _ => self.workspace.is_some(),
        };
        if !is_there {
            return Err(FileError::new(Code::NoEntry, self.what_there_is()));
        }
        let advice = "this works only in the workspace and in granted folders";
        if let Some(carried) = &mut self.carrier {
            carried.looked.push(place.root.clone());
        }
        let overlay = self.root(&place.root);
        let overlay = overlay.ok_or_else(|| FileError::new(Code::Access, advice))?;
        Ok((overlay, &place.path))
    }

    /// The carrier learns what those had read who left what was looked at: before it has that, and
    /// after it was looked at, since it may have been left meanwhile.
    pub(super) fn tell_carrier(&mut self) -> Result<(), FileError> {
        let Some(carried) = &mut self.carrier else {
            return Ok(());
        };
        for root in std::mem::take(&mut carried.looked) {
            let overlay = match &root {
                Root::Workspace => self.workspace.as_ref(),
                Root::Folder(name) => self.folders.get(name),
                _ => None,
            };
            if let Some(tree) = overlay.and_then(|overlay| overlay.base.as_ref()) {
                tree.tell(&*carried.carrier, carried.seen.entry(root).or_default())?;
            }
        }
        Ok(())
    }

    pub(super) fn what_there_is(&self) -> String {
        let mut roots: Vec<_> = self
            .folders
            .keys()
            .map(|name| format!("/{FOLDERS}/{name}"))
            .collect();
        if self.workspace.is_some() {
            roots.insert(0, format!("/{WORKSPACE}"));
        }
        format!("this run has {}", roots.join(", "))
    }

    /// What is in `/`, or in `/folders`.
    pub(super) fn roots(&self, place: &ResolvedPath) -> Result<Vec<Entry>, FileError> {
        let names: Vec<&str> = if place.root == Root::Folders {
            self.folders.keys().map(String::as_str).collect()
        } else {
            let own = self.workspace.is_some();
            let all = [(FOLDERS, !self.folders.is_empty()), (WORKSPACE, own)];
            let there = all.iter().filter(|(_, is_there)| *is_there);
            there.map(|(name, _)| *name).collect()
        };
        if names.is_empty() {
            return Err(Code::NoEntry.into());
        }
        let entry = |name: &str| Entry {
            name: name.to_owned(),
            kind: Kind::Folder,
        };
        Ok(names.into_iter().map(entry).collect())
    }

    pub(crate) fn overlays(&self) -> impl Iterator<Item = &Overlay> {
        self.workspace.iter().chain(self.folders.values())
    }

    pub(super) fn file(&self, handle: u32) -> Result<OpenFile, FileError> {
        let open = self.open.get(&handle).cloned();
        open.ok_or_else(|| Code::BadHandle.into())
    }

    pub(super) fn written(&self, handle: u32) -> Result<(OpenFile, Arc<OwnFile>), FileError> {
        let open = self.file(handle)?;
        let own = open
            .own
            .clone()
            .filter(|_| open.how.write || open.how.append);
        let own = own.ok_or(Code::BadHandle)?;
        Ok((open, own))
    }

    /// Whether a file may become so large.
    pub(super) fn grow(&self, root: &Root, before: u64, size: u64) -> Result<(), FileError> {
        let overlay = match root {
            Root::Folder(name) => self.folders.get(name),
            _ => self.workspace.as_ref(),
        };
        match overlay {
            Some(overlay) if size > before => overlay.room(size - before, 0),
            _ => Ok(()),
        }
    }
}
