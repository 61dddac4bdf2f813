//! Files that are being written.

use std::fs::File;
use std::io::{self, Seek, Write};

use rustix::io::Errno;

use super::PrivateFolder;

/// How the names of drafts end.
pub(super) const PART: &str = "part";

/// What a file is called until it is whole.
pub fn draft_of(name: &str) -> String {
    format!(".{name}.{PART}")
}

/// A file that is being written, and that nobody sees before it is whole. It goes away where it is
/// not kept.
pub struct Draft<'folder> {
    pub(super) folder: &'folder PrivateFolder,
    pub(super) name: String,
    pub(super) file: Option<File>,
}

impl Draft<'_> {
    /// Writes it, and gives it its name: all of it, or nothing. The file can be read.
    pub fn keep(self, name: &str, content: &[u8]) -> io::Result<File> {
        self.keep_written(name, |file| {
            write(file, content)?;
            file.sync_all()
        })
    }

    /// The same, without waiting for the disk: after a power failure, the file may be there with
    /// anything in it. For what is checked when it is read.
    pub fn keep_unsynced(self, name: &str, content: &[u8]) -> io::Result<File> {
        self.keep_written(name, |file| write(file, content))
    }

    fn keep_written(
        mut self,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<File> {
        let Some(mut file) = self.file.take() else {
            return Err(io::Error::other("it has been kept already"));
        };
        let written = write(&mut file).and_then(|()| self.rename(name));
        if let Err(error) = written {
            self.file = Some(file);
            return Err(error);
        }
        Ok(file)
    }

    fn rename(&self, name: &str) -> io::Result<()> {
        let folder = &self.folder.folder;
        let rename = || rustix::fs::renameat(folder, &self.name, folder, name);
        match rename() {
            Err(Errno::ISDIR | Errno::EXIST | Errno::NOTEMPTY) => {
                self.folder.clear(name)?;
                Ok(rename()?)
            }
            renamed => Ok(renamed?),
        }
    }
}

fn write(file: &mut File, content: &[u8]) -> io::Result<()> {
    // What a writer left that was killed. A new file is not cut: file systems take that for a sign
    // that its content is to be on the disk at once.
    if file.metadata()?.len() > 0 {
        file.set_len(0)?;
        file.rewind()?;
    }
    file.write_all(content)
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // While it is locked, the name is that of this file.
        if self.file.is_some() {
            let _ = self.folder.clear(&self.name);
        }
    }
}
