//! Files and folders that get another path.

use std::sync::Arc;

use super::{Meter, Overlay};
use crate::base::{self, Kind, Status};
use crate::error::{Code, FileError};
use crate::layer::Change;
use crate::path;

impl Overlay {
    /// Gives what is at one path another, in place of what is there.
    pub(crate) fn rename(
        &mut self,
        from: &str,
        to: &str,
        spend: Meter<'_>,
    ) -> Result<(), FileError> {
        self.writable()?;
        let found = self.status(from)?.ok_or(Code::NoEntry)?;
        if from.is_empty() || to.is_empty() {
            return Err(Code::Access.into());
        }
        if from == to {
            return Ok(());
        }
        let into_itself = to
            .strip_prefix(from)
            .is_some_and(|rest| rest.starts_with('/'));
        if into_itself {
            return Err(FileError::new(
                Code::Invalid,
                "a folder can't be moved into itself",
            ));
        }
        self.ready_for(to)?;
        let there = self.status(to)?;
        match (found.kind, there.map(|there| there.kind)) {
            (Kind::Link, _) => return Err(base::a_link(from)),
            (Kind::Other, _) => return Err(Code::Access.into()),
            (Kind::Folder, Some(Kind::Folder)) => self.remove_folder(to)?,
            (Kind::Folder, Some(_)) => return Err(Code::NotFolder.into()),
            (_, Some(Kind::Folder)) => return Err(Code::IsFolder.into()),
            _ => {}
        }
        if found.kind == Kind::Folder {
            self.move_folder(from, to, spend)
        } else {
            self.move_file(from, to, found)
        }
    }

    fn move_file(&mut self, from: &str, to: &str, found: Status) -> Result<(), FileError> {
        let own = match self.layer.changes.get(from) {
            Some(Change::File(own)) => Arc::clone(own),
            _ => {
                // Made before it is looked at: that waits until nobody looks.
                let place = Arc::clone(self.home.made()?);
                let _turn = self.look()?;
                let tree = self.base.as_ref().ok_or(Code::NoEntry)?;
                place.share(&tree.root, from, found)?
            }
        };
        self.change(to, Change::File(own))?;
        self.change(from, Change::Gone)
    }

    fn move_folder(&mut self, from: &str, to: &str, spend: Meter<'_>) -> Result<(), FileError> {
        // Looked at as a whole first: a link in it is not moved, and then nothing is.
        let (mut all, mut at) = (vec![(String::new(), Kind::Folder)], 0);
        while let Some((path, kind)) = all.get(at).cloned() {
            at += 1;
            match kind {
                Kind::Folder => {
                    for entry in self.names(&path::join(from, &path), spend)? {
                        all.push((path::join(&path, &entry.name), entry.kind));
                    }
                }
                Kind::File => {}
                Kind::Link => return Err(base::a_link(&path)),
                Kind::Other => return Err(Code::Access.into()),
            }
        }
        for (path, kind) in &all {
            let (from, to) = (path::join(from, path), path::join(to, path));
            if *kind == Kind::Folder {
                self.change(&to, Change::Folder)?;
            } else {
                let found = self.status(&from)?.ok_or(Code::NoEntry)?;
                self.move_file(&from, &to, found)?;
            }
        }
        for (path, _) in all.iter().rev().filter(|(_, kind)| *kind == Kind::Folder) {
            self.change(&path::join(from, path), Change::Gone)?;
        }
        Ok(())
    }
}
