//! What gets another name, or is copied: within memory, and out of it or into it.

use super::content::{Content, Pieces};
use super::folder::Node;
use super::names::Lookup;
use super::open::OpenHandle;
use super::{Memory, NAME};
use crate::error::{Code, FileError};
use crate::path::{DEPTH, ResolvedPath};

impl Memory {
    /// Gives something another path, in place of what is there.
    ///
    /// # Errors
    ///
    /// There is nothing, or it is not possible there. Then nothing is changed.
    pub fn rename(
        &mut self,
        from: &ResolvedPath,
        to: &ResolvedPath,
        now: u64,
    ) -> Result<(), FileError> {
        if from.path.is_empty() || to.path.is_empty() {
            return Err(Code::Access.into());
        }
        let (is_folder, height) = match self.found(from)? {
            Lookup::Nothing => return Err(self.no_entry(from)),
            Lookup::File(_) => (false, 1),
            Lookup::Folder(folder) => (true, folder.height()),
        };
        if from == to {
            return Ok(());
        }
        let rest = to.path.strip_prefix(&from.path);
        if from.root == to.root && rest.is_some_and(|rest| rest.starts_with('/')) {
            let advice = "a folder can't be moved into itself";
            return Err(FileError::new(Code::Invalid, advice));
        }
        self.may_go(to, is_folder)?;
        // A path has the root's name, too.
        if 1 + to.path.split('/').count() + height - 1 > DEPTH {
            let advice = format!("folders are nested at most {DEPTH} deep");
            return Err(FileError::new(Code::NameTooLong, advice));
        }
        // Room for a longer name is there before anything is moved.
        let longer = name(to).len().saturating_sub(name(from).len()) as u64;
        self.take(longer)?;
        if self.is_there(to)? {
            self.take_away(to, now)?;
        }
        self.give_back(longer);
        let node = self.take_name(from, now)?;
        self.give_name(to, node, now)
    }

    /// Copies a file.
    ///
    /// # Errors
    ///
    /// There is none, or no room; or, where it is not to be replaced, one there.
    pub fn copy(
        &mut self,
        from: &ResolvedPath,
        to: &ResolvedPath,
        exclusive: bool,
        now: u64,
    ) -> Result<(), FileError> {
        let file = self.file_at(from)?;
        if exclusive && self.is_there(to)? {
            return Err(Code::Exists.into());
        }
        if from == to {
            return Ok(());
        }
        let modified = self.file(file).modified;
        let staged = self.stage(now)?;
        let copied = self.fill_with(staged, file);
        let copied = copied.and_then(|()| self.place(staged, to, exclusive, modified));
        self.close(staged, now)?;
        copied
    }

    /// Gives a file that is open, and has no name, this one, in place of a file that is there.
    ///
    /// # Errors
    ///
    /// It is not possible there.
    pub fn place(
        &mut self,
        handle: u32,
        to: &ResolvedPath,
        exclusive: bool,
        modified: u64,
    ) -> Result<(), FileError> {
        let file = self.opened(handle)?.file;
        if exclusive && self.is_there(to)? {
            return Err(Code::Exists.into());
        }
        self.may_go(to, false)?;
        if self.is_there(to)? {
            self.take_away(to, modified)?;
        } else {
            self.may_name(to)?;
        }
        self.file(file).has_name = true;
        self.give_name(to, Node::File(file), modified)?;
        if let Some(open) = self.open.get_mut(&handle) {
            open.wrote = false;
        }
        self.file(file).modified = modified;
        Ok(())
    }

    /// Whether a file that is open, and has no name, can have this one, in place of what is there.
    ///
    /// # Errors
    ///
    /// Why it can't.
    pub fn may_place(&mut self, to: &ResolvedPath) -> Result<(), FileError> {
        self.may_go(to, false)?;
        if self.is_there(to)? {
            return Ok(());
        }
        self.may_name(to)?;
        let bytes = NAME + name(to).len() as u64;
        self.take(bytes)?;
        self.give_back(bytes);
        Ok(())
    }

    /// What is in the file at a place, piece by piece, and when it was last modified: for who moves or
    /// copies it out of memory.
    ///
    /// # Errors
    ///
    /// There is no file. Where it is to be moved: a folder is copied name by name, and what is written
    /// to one that is open would be lost.
    pub fn contents(
        &self,
        place: &ResolvedPath,
        moves: bool,
    ) -> Result<(Pieces<'_>, u64), FileError> {
        if moves && matches!(self.found(place)?, Lookup::Folder(_)) {
            let advice = "from the run's memory to its workspace, or back, files are moved one by one: copy the folder, and remove it then";
            return Err(FileError::new(Code::CrossDevice, advice));
        }
        let id = self.file_at(place)?;
        let is_written = |open: &OpenHandle| open.file == id && (open.how.write || open.how.append);
        if moves && self.open.values().any(is_written) {
            let advice = "it is open to be written: close it, and move it then";
            return Err(FileError::new(Code::CrossDevice, advice));
        }
        let file = &self.files[&id];
        Ok((Pieces(&file.content), file.modified))
    }

    /// The file at a place.
    fn file_at(&self, place: &ResolvedPath) -> Result<u64, FileError> {
        match self.found(place)? {
            Lookup::File(file) => Ok(file),
            Lookup::Folder(_) => Err(Code::IsFolder.into()),
            Lookup::Nothing => Err(self.no_entry(place)),
        }
    }

    fn is_there(&self, place: &ResolvedPath) -> Result<bool, FileError> {
        Ok(!matches!(self.found(place)?, Lookup::Nothing))
    }

    /// Whether something can go to a place, over what is there.
    fn may_go(&mut self, to: &ResolvedPath, is_folder: bool) -> Result<(), FileError> {
        if !to.path.is_empty() {
            self.parent_of(to)?;
        }
        match (is_folder, self.found(to)?) {
            (_, Lookup::Nothing) | (false, Lookup::File(_)) => Ok(()),
            (true, Lookup::Folder(there)) if there.is_empty() => Ok(()),
            (true, Lookup::Folder(_)) => Err(Code::NotEmpty.into()),
            (true, Lookup::File(_)) => Err(Code::NotFolder.into()),
            (false, Lookup::Folder(_)) => Err(Code::IsFolder.into()),
        }
    }

    /// Gives an empty file that is open what another one has.
    fn fill_with(&mut self, handle: u32, from: u64) -> Result<(), FileError> {
        let file = self.opened(handle)?.file;
        let bytes = Content::takes(self.file(from).content.size());
        self.take(bytes)?;
        let content = self.file(from).content.clone();
        self.file(file).content = content;
        Ok(())
    }
}

/// The last name of a path.
fn name(place: &ResolvedPath) -> &str {
    place.path.rsplit('/').next().unwrap_or_default()
}
