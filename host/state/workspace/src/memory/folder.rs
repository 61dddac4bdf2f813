//! Names, and what they mean.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::ID;
use crate::base::{Kind, Status};

pub(super) enum Node {
    /// A file, by its number.
    File(u64),
    Folder(Box<Folder>),
}

pub(super) struct Folder {
    pub(super) id: u64,
    /// When it was made, or something was put into it or taken out of it.
    pub(super) modified: u64,
    entries: BTreeMap<Box<str>, Node>,
}

impl Folder {
    pub(super) fn new(id: u64, now: u64) -> Self {
        Self {
            id,
            modified: now,
            entries: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.entries.get(name)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.entries.get_mut(name)
    }

    pub(super) fn put(&mut self, name: &str, node: Node) {
        self.entries.insert(name.into(), node);
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Node> {
        self.entries.remove(name)
    }

    /// What is in it after a name, in the order of names.
    pub(super) fn after(&self, name: &str) -> impl Iterator<Item = (&str, &Node)> {
        let after = match name {
            "" => Bound::Unbounded,
            name => Bound::Excluded(name),
        };
        let entries = self.entries.range::<str, _>((after, Bound::Unbounded));
        entries.map(|(name, node)| (&**name, node))
    }

    pub(super) fn status(&self) -> Status {
        Status {
            kind: Kind::Folder,
            size: 0,
            modified: self.modified,
            id: ID | self.id,
            writable: true,
        }
    }

    /// How many folders are one in the other, this one included. No path is deeper than a path may be,
    /// so neither is this.
    pub(super) fn height(&self) -> usize {
        let inner = self.entries.values().map(|node| match node {
            Node::File(_) => 1,
            Node::Folder(folder) => folder.height(),
        });
        1 + inner.max().unwrap_or(0)
    }
}
