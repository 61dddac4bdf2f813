//! The processes that have runs in a store. Each keeps a file locked; the system unlocks it where the
//! process dies.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

/// How much is read of which process an owner is, in bytes.
const MOST_PID_BYTES: u64 = 20;

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
            if let Some(mut lock) = folder.try_lock_named(&name)? {
                // For people alone: it is an owner without that, too.
                let _ = write!(lock, "{}", std::process::id());
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

/// An owner that is still there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveOwner {
    /// The process, if it could say so.
    pub(crate) pid: Option<u32>,
}

/// The owner of this name, if it is still there. The files of those that are not are removed.
pub(crate) fn there(path: &Path, name: &str) -> io::Result<Option<LiveOwner>> {
    let is_name = name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_name || !path.join(name).exists() {
        return Ok(None);
    }
    let folder = PrivateFolder::open(path, OTHERS_REACH)?;
    let file = match folder.file(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match file.try_lock() {
        Ok(()) => {
            // Where nothing can be removed, it stays, and is nobody's.
            let _ = folder.clear(name);
            file.unlock()?;
            Ok(None)
        }
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            let read = file.take(MOST_PID_BYTES).read_to_string(&mut pid);
            let pid = read.ok().and_then(|_| pid.parse().ok());
            Ok(Some(LiveOwner { pid }))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}
