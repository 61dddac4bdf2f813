//! What is in a folder, for a run.

use std::collections::BTreeMap;

use super::{Meter, Overlay};
use crate::base::{self, Kind};
use crate::error::{Code, FileError};
use crate::layer::Change;

/// How many names a part of a list has.
pub(crate) const LISTED: usize = 1_000;

/// What is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// A part of a folder's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// In the order of names.
    pub entries: Vec<Entry>,
    /// Whether there are more.
    pub more: bool,
}

impl Overlay {
    /// All that is in a folder, by name.
    pub(super) fn names(&mut self, path: &str, spend: Meter<'_>) -> Result<Vec<Entry>, FileError> {
        match self.status(path)? {
            None => return Err(Code::NoEntry.into()),
            Some(found) if found.kind == Kind::Folder => {}
            Some(found) if found.kind == Kind::Link => return Err(base::a_link(path)),
            Some(_) => return Err(Code::NotFolder.into()),
        }
        let is_new = self.layer.changes.contains_key(path) || self.hides(path);
        let mut names = Vec::new();
        if let Some(tree) = self.base.as_ref().filter(|_| !is_new) {
            let _turn = tree.look()?;
            names = base::list(&tree.root, path)?;
        }
        if !spend(names.len() as u64) {
            return Err(Code::BrokenOff.into());
        }
        let mut entries: BTreeMap<String, Kind> = names.into_iter().collect();
        let skipped = if path.is_empty() { 0 } else { path.len() + 1 };
        for (at, change) in self.layer.below(path) {
            let Some(name) = at.get(skipped..).filter(|name| !name.contains('/')) else {
                continue;
            };
            match change {
                Change::Gone => entries.remove(name),
                Change::File(_) => entries.insert(name.to_owned(), Kind::File),
                Change::Folder => entries.insert(name.to_owned(), Kind::Folder),
            };
        }
        let entry = |(name, kind)| Entry { name, kind };
        Ok(entries.into_iter().map(entry).collect())
    }

    pub(crate) fn list(
        &mut self,
        path: &str,
        after: &str,
        spend: Meter<'_>,
    ) -> Result<Listing, FileError> {
        let mut entries = self.names(path, spend)?;
        let first = entries.partition_point(|entry| !after.is_empty() && *entry.name <= *after);
        entries.drain(..first);
        let more = entries.len() > LISTED;
        entries.truncate(LISTED);
        Ok(Listing { entries, more })
    }
}
