//! The processes that have runs in a store. Each keeps a file locked; the system unlocks it where the
//! process dies.

use std::fs::File;
use std::io;
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

/// A process that has runs in a store, or a runtime of one.
#[derive(Debug)]
pub(crate) struct Owner {
    name: String,
    folder: PrivateFolder,
    lock: File,
}

impl Owner {
    /// A new one.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        loop {
            let name = format!("{:016x}", getrandom::u64().map_err(io::Error::other)?);
            if let Some(lock) = folder.try_lock_named(&name)? {
                return Ok(Self { name, folder, lock });
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.folder.clear(&self.name);
        // A process that is being started has the file for a moment, and with it the lock.
        let _ = self.lock.unlock();
    }
}

/// Whether the owner of this name is still there. The files of those that are not are removed.
pub(crate) fn is_there(path: &Path, name: &str) -> io::Result<bool> {
    let is_name = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_name || !path.join(name).exists() {
        return Ok(false);
    }
    let folder = PrivateFolder::open(path, OTHERS_REACH)?;
    match folder.try_lock_named(name)? {
        None => Ok(true),
        Some(lock) => {
            folder.clear(name)?;
            lock.unlock()?;
            Ok(false)
        }
    }
}
