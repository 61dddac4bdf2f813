//! Files in memory as bytes, while their run is parked.
//!
//! First the length of a list, in eight bytes, then that list, as JSON: the names, and the files with
//! their sizes. Then what is in these, one after the other.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::content::Content;
use super::folder::{Folder, Node};
use super::open::OpenHandle;
use super::{File, Memory, NAME, Room};
use crate::error::{Code, FileError};
use crate::path::{self, ResolvedPath, Root};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemorySnapshot {
    /// Folders before what is in them.
    names: Vec<(Root, String, NameEntry)>,
    files: Vec<FileRecord>,
    open: Vec<(u32, OpenHandle)>,
    next_id: u64,
    next_handle: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NameEntry {
    File(u64),
    /// Its number, and when it was modified.
    Folder(u64, u64),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    id: u64,
    size: u64,
    modified: u64,
    has_name: bool,
}

impl Memory {
    /// All of it.
    pub fn keep(&self) -> Vec<u8> {
        let mut names = Vec::new();
        for (root, folder) in [
            (Root::Workspace, &self.workspace),
            (Root::Scratch, &self.scratch),
        ] {
            list(&root, "", folder, &mut names);
        }
        let file = |(id, file): (&u64, &File)| FileRecord {
            id: *id,
            size: file.content.size(),
            modified: file.modified,
            has_name: file.has_name,
        };
        let names = names.into_iter();
        let kept = MemorySnapshot {
            names: names.map(|it| (it.root, it.path, it.node)).collect(),
            files: self.files.iter().map(file).collect(),
            open: self
                .open
                .iter()
                .map(|(handle, open)| (*handle, *open))
                .collect(),
            next_id: self.next_id,
            next_handle: self.next_handle,
        };
        let kept = serde_json::to_vec(&kept).unwrap_or_default();
        let mut bytes = (kept.len() as u64).to_le_bytes().to_vec();
        bytes.extend(kept);
        for piece in self.files.values().flat_map(|file| file.content.pieces()) {
            bytes.extend_from_slice(piece);
        }
        bytes
    }

    /// What was kept.
    ///
    /// # Errors
    ///
    /// It can't have been written here, or there is no room for it.
    pub fn restore(
        bytes: &[u8],
        room: Arc<dyn Room>,
        absent: &'static str,
    ) -> Result<Self, FileError> {
        let damaged = || FileError::new(Code::Io, "the stored files in memory are damaged");
        let (length, rest) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (kept, mut contents) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let kept: MemorySnapshot = serde_json::from_slice(kept).map_err(|_| damaged())?;
        let mut memory = Self::new(room, absent);
        for file in kept.files {
            let size = usize::try_from(file.size).map_err(|_| damaged())?;
            let (content, rest) = contents.split_at_checked(size).ok_or_else(damaged)?;
            contents = rest;
            memory.take(Content::takes(file.size))?;
            let mut filled = Content::default();
            filled.resize(file.size);
            filled.put(0, content);
            let FileRecord {
                id,
                modified,
                has_name,
                ..
            } = file;
            let file = File {
                content: filled,
                modified,
                has_name,
            };
            memory.files.insert(id, file);
        }
        for (root, path, named) in kept.names {
            memory.name_again(ResolvedPath { root, path }, named)?;
        }
        let is_there = |(_, open): &(u32, OpenHandle)| memory.files.contains_key(&open.file);
        if !kept.open.iter().all(is_there) {
            return Err(damaged());
        }
        memory.open = kept.open.into_iter().collect();
        (memory.next_id, memory.next_handle) = (kept.next_id, kept.next_handle);
        Ok(memory)
    }

    fn name_again(&mut self, place: ResolvedPath, named: NameEntry) -> Result<(), FileError> {
        let damaged = || FileError::new(Code::Io, "the stored files in memory are damaged");
        let node = match named {
            NameEntry::File(file) if self.files.contains_key(&file) => Node::File(file),
            NameEntry::File(_) => return Err(damaged()),
            NameEntry::Folder(id, modified) if place.path.is_empty() => {
                let folder = self.folder_at(&place.root, "")?;
                (folder.id, folder.modified) = (id, modified);
                return Ok(());
            }
            NameEntry::Folder(id, modified) => Node::Folder(Box::new(Folder::new(id, modified))),
        };
        let (folder, name) = self.parent_of(&place).map_err(|_| damaged())?;
        folder.put(name, node);
        let bytes = NAME + name.len() as u64;
        self.names += 1;
        self.take(bytes)
    }
}

/// A name, and where it is.
struct PlacedName {
    root: Root,
    path: String,
    node: NameEntry,
}

fn list(root: &Root, at: &str, folder: &Folder, names: &mut Vec<PlacedName>) {
    let placed = |path: String, node| PlacedName {
        root: root.clone(),
        path,
        node,
    };
    let node = NameEntry::Folder(folder.id, folder.modified);
    names.push(placed(at.to_owned(), node));
    for (name, node) in folder.after("") {
        let at = path::join(at, name);
        match node {
            Node::File(file) => names.push(placed(at, NameEntry::File(*file))),
            Node::Folder(inner) => list(root, &at, inner, names),
        }
    }
}
