//! Files that are open.

use serde::{Deserialize, Serialize};

use super::Memory;
use super::content::Content;
use super::folder::Node;
use super::names::Lookup;
use crate::base::Status;
use crate::error::{Code, FileError};
use crate::open_options::{OPEN, OpenOptions};
use crate::path::ResolvedPath;

/// Numbers of files that are open in memory have this bit; those of others do not.
pub(super) const HANDLE: u32 = 1 << 31;

/// A file that is open.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct OpenHandle {
    pub(super) file: u64,
    pub(super) how: OpenOptions,
    /// Something was written by it.
    pub(super) wrote: bool,
}

impl Memory {
    /// How many bytes an open file has.
    ///
    /// # Errors
    ///
    /// It is not open.
    pub fn size_of(&self, handle: u32) -> Result<u64, FileError> {
        let open = self.opened(handle)?;
        Ok(self.files[&open.file].content.size())
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// There is none, or it can't be used so.
    pub fn open(
        &mut self,
        place: &ResolvedPath,
        how: OpenOptions,
        now: u64,
    ) -> Result<u32, FileError> {
        self.may_open()?;
        let file = match self.found(place)? {
            Lookup::Nothing if how.create => {
                self.may_name(place)?;
                let file = self.new_file(now);
                self.give_name(place, Node::File(file), now)?;
                file
            }
            Lookup::Nothing => return Err(self.no_entry(place)),
            _ if how.create && how.exclusive => return Err(Code::Exists.into()),
            Lookup::Folder(_) => return Err(Code::IsFolder.into()),
            Lookup::File(file) if how.truncate => {
                self.fill_to(file, 0)?;
                self.file(file).modified = now;
                file
            }
            Lookup::File(file) => file,
        };
        Ok(self.new_handle(file, how))
    }

    /// Opens a file that has no name, to be written; [`place`](Self::place) may give it one.
    ///
    /// # Errors
    ///
    /// Too many are open.
    pub fn stage(&mut self, now: u64) -> Result<u32, FileError> {
        self.may_open()?;
        let file = self.new_file(now);
        self.file(file).has_name = false;
        let how = OpenOptions {
            write: true,
            ..OpenOptions::default()
        };
        Ok(self.new_handle(file, how))
    }

    /// Closes a file.
    ///
    /// # Errors
    ///
    /// It is not open.
    pub fn close(&mut self, handle: u32, now: u64) -> Result<(), FileError> {
        let open = self.open.remove(&handle).ok_or(Code::BadHandle)?;
        if open.wrote {
            self.file(open.file).modified = now;
        }
        self.drop_unused(open.file);
        Ok(())
    }

    /// At most so many bytes from a place on; fewer only at the end.
    ///
    /// # Errors
    ///
    /// It is not open to be read.
    pub fn read(&self, handle: u32, at: u64, count: usize) -> Result<Vec<u8>, FileError> {
        let open = self.opened(handle)?;
        if !open.how.read {
            return Err(Code::BadHandle.into());
        }
        Ok(self.files[&open.file].content.read(at, count))
    }

    /// How many bytes a file that is open would become longer by, if it had so many: zero where there
    /// is no room for that.
    pub fn growth(&self, handle: u32, end: u64) -> u64 {
        let size = self.size_of(handle).unwrap_or(u64::MAX);
        let grows = end.saturating_sub(size);
        let more = Content::takes(end).saturating_sub(Content::takes(size));
        // It is asked whether there is room, and taken once it is needed.
        match self.room.take(more) {
            Ok(()) => {
                self.room.give_back(more);
                grows
            }
            Err(_) => 0,
        }
    }

    /// Writes bytes to a place, or to the end. Gives where the next one goes.
    ///
    /// # Errors
    ///
    /// It is not open to be written, or there is no room.
    pub fn write(&mut self, handle: u32, at: u64, bytes: &[u8]) -> Result<u64, FileError> {
        let open = self.written(handle)?;
        let size = self.files[&open.file].content.size();
        let at = if open.how.append { size } else { at };
        let end = at.checked_add(bytes.len() as u64).ok_or(Code::Invalid)?;
        if end > size && !bytes.is_empty() {
            self.fill_to(open.file, end)?;
        }
        self.file(open.file).content.put(at, bytes);
        self.has_written(handle);
        Ok(end)
    }

    /// Cuts it, or makes it longer by zeros.
    ///
    /// # Errors
    ///
    /// As for [`write`](Self::write).
    pub fn resize(&mut self, handle: u32, size: u64) -> Result<(), FileError> {
        let open = self.written(handle)?;
        self.fill_to(open.file, size)?;
        self.has_written(handle);
        Ok(())
    }

    /// What is known of a file that is open.
    ///
    /// # Errors
    ///
    /// It is not.
    pub fn status_of(&self, handle: u32) -> Result<Status, FileError> {
        let open = self.opened(handle)?;
        Ok(self.status_of_file(open.file))
    }

    pub(super) fn may_open(&self) -> Result<(), FileError> {
        if self.open.len() >= OPEN {
            let advice = format!("{OPEN} are; close those that are not needed any more");
            return Err(FileError::new(Code::TooManyOpen, advice));
        }
        Ok(())
    }

    pub(super) fn new_handle(&mut self, file: u64, how: OpenOptions) -> u32 {
        self.next_handle += 1;
        let handle = HANDLE | self.next_handle;
        let open = OpenHandle {
            file,
            how,
            wrote: false,
        };
        self.open.insert(handle, open);
        handle
    }

    pub(super) fn opened(&self, handle: u32) -> Result<OpenHandle, FileError> {
        let open = self.open.get(&handle).copied();
        open.ok_or_else(|| Code::BadHandle.into())
    }

    fn written(&self, handle: u32) -> Result<OpenHandle, FileError> {
        let open = self.opened(handle)?;
        match open.how.write || open.how.append {
            true => Ok(open),
            false => Err(Code::BadHandle.into()),
        }
    }

    fn has_written(&mut self, handle: u32) {
        if let Some(open) = self.open.get_mut(&handle) {
            open.wrote = true;
        }
    }
}
