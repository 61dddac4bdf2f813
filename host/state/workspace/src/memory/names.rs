//! What is at a place, and what gets a name there or loses it.

use super::folder::{Folder, Node};
use super::{MOST, Memory, NAME};
use crate::error::{Code, FileError};
use crate::path::{ResolvedPath, Root, parent};

/// What is at a place.
pub(super) enum Lookup<'m> {
    Nothing,
    File(u64),
    /// One that may be a root.
    Folder(&'m Folder),
}

impl Memory {
    /// What is at a place.
    pub(super) fn found(&self, place: &ResolvedPath) -> Result<Lookup<'_>, FileError> {
        let mut folder = match place.root {
            Root::Workspace => &self.workspace,
            Root::Scratch => &self.scratch,
            _ => return Err(Code::NoEntry.into()),
        };
        let mut names = place.path.split('/').filter(|name| !name.is_empty());
        while let Some(name) = names.next() {
            folder = match folder.get(name) {
                None => return Ok(Lookup::Nothing),
                Some(Node::Folder(inner)) => inner,
                Some(Node::File(_)) if names.next().is_some() => return Err(Code::NotFolder.into()),
                Some(Node::File(file)) => return Ok(Lookup::File(*file)),
            };
        }
        Ok(Lookup::Folder(folder))
    }

    /// There is nothing at a place.
    pub(super) fn no_entry(&self, place: &ResolvedPath) -> FileError {
        let advice = match place.root {
            Root::Workspace => self.absent,
            _ => "",
        };
        FileError::new(Code::NoEntry, advice)
    }

    /// The folder at a path, which may be a root.
    pub(super) fn folder_at(&mut self, root: &Root, path: &str) -> Result<&mut Folder, FileError> {
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
    pub(super) fn parent_of<'p>(
        &mut self,
        place: &'p ResolvedPath,
    ) -> Result<(&mut Folder, &'p str), FileError> {
        let above = parent(&place.path).ok_or(Code::Access)?;
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let absent = self.no_entry(place);
        let folder = self.folder_at(&place.root, above);
        let folder = folder.map_err(|error| match error.code {
            Code::NoEntry => absent,
            _ => error,
        })?;
        Ok((folder, name))
    }

    /// Whether there may be one more name, and a folder is there for it.
    pub(super) fn may_name(&mut self, place: &ResolvedPath) -> Result<(), FileError> {
        self.parent_of(place)?;
        if self.names >= MOST {
            let advice = format!(
                "there may be {MOST} files and folders in memory at most; remove what is not needed any more"
            );
            return Err(FileError::new(Code::Full, advice));
        }
        Ok(())
    }

    /// Gives something a name where there is nothing of that name. A file that can't have it goes.
    pub(super) fn give_name(
        &mut self,
        place: &ResolvedPath,
        node: Node,
        now: u64,
    ) -> Result<(), FileError> {
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
            Err(error) => {
                if let Node::File(file) = node {
                    self.file(file).has_name = false;
                    self.drop_unused(file);
                }
                Err(error)
            }
        }
    }

    /// Takes away what is at a place: a file, or a folder with nothing in it.
    pub(super) fn take_away(&mut self, place: &ResolvedPath, now: u64) -> Result<(), FileError> {
        if let Node::File(file) = self.take_name(place, now)? {
            self.file(file).has_name = false;
            self.drop_unused(file);
        }
        Ok(())
    }

    /// Takes a name away. Gives what had it.
    pub(super) fn take_name(&mut self, place: &ResolvedPath, now: u64) -> Result<Node, FileError> {
        let (folder, name) = self.parent_of(place)?;
        let node = folder.remove(name).ok_or(Code::NoEntry)?;
        folder.modified = now;
        self.names -= 1;
        self.give_back(NAME + name.len() as u64);
        Ok(node)
    }
}
