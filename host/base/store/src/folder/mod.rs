//! Folders that nobody but this user can write, and the files that are kept in them.
//!
//! What is found is looked at through the descriptor that it is read through, and folders are
//! opened one within the other: a process that swaps one of them in between changes nothing.
//! Nothing under the name of a file makes anybody wait, whatever it is.

mod draft;
mod ownership;

use std::ffi::OsStr;
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

use draft::PART;
pub use draft::{Draft, draft_of};
use ownership::{ROOT, not_others, on_the_way, ourselves, ownership, private, refused};

/// The bits of a mode by which others may write.
pub const OTHERS_WRITE: u32 = 0o022;
/// Those by which others may do anything.
pub const OTHERS_REACH: u32 = 0o077;

/// How a folder on the way is opened: its content may be hidden from us.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = OFlags::empty();
const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// Nothing is followed, and what is not a file, such as a pipe, keeps nobody waiting.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Opens a file, of an installation or of an operator, that nobody other than this user or the superuser
/// can write or put another in the place of. What is looked at is what was opened.
///
/// # Errors
///
/// It can't be opened, is not a file, or others can write it, or a folder that it is in.
pub fn open_what_only_owners_write(path: &Path) -> io::Result<File> {
    let path = path.canonicalize()?;
    let mut at = PathBuf::from("/");
    let mut folder = rustix::fs::openat(CWD, "/", FOLDER | ON_THE_WAY, Mode::empty())?;
    let folders = path.parent().into_iter().flat_map(Path::components);
    for part in folders {
        if let Component::Normal(name) = part {
            not_others(&at, &ownership(&folder)?)?;
            at.push(name);
            folder = rustix::fs::openat(&folder, name, FOLDER | ON_THE_WAY, Mode::empty())?;
        }
    }
    not_others(&at, &ownership(&folder)?)?;
    let name = path.file_name().unwrap_or_default();
    let file = rustix::fs::openat(&folder, name, OFlags::RDONLY | FILE, Mode::empty())?;
    let file = File::from(file);
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused("it is not a file"));
    }
    match [ROOT, ourselves()].contains(&found.uid()) && found.mode() & OTHERS_WRITE == 0 {
        true => Ok(file),
        false => Err(refused(
            "others can write the file; it must belong to this user or to root: chown it, and chmod go-w it",
        )),
    }
}

/// A folder of this user's, in none that others could swap it in.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    folder: OwnedFd,
}

impl PrivateFolder {
    /// Opens a folder, and makes it if need be. `forbidden`: the bits that its mode must not have.
    ///
    /// # Errors
    ///
    /// It can't be made or opened, or others can write to it, or to a folder that it is in; the
    /// error says what to do then.
    pub fn open(path: &Path, forbidden: u32) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let (mut at, missing) = existing(&path)?;
        let mut folder = rustix::fs::openat(CWD, "/", FOLDER | ON_THE_WAY, Mode::empty())?;
        let found = std::mem::replace(&mut at, PathBuf::from("/"));
        let found = found.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        });
        for name in found.chain(missing) {
            on_the_way(&at, &ownership(&folder)?)?;
            at.push(name);
            folder = enter(&folder, name)?;
        }
        private(&at, &ownership(&folder)?, forbidden)?;
        let folder = rustix::fs::openat(&folder, ".", FOLDER, Mode::empty())?;
        Ok(Self { path: at, folder })
    }

    /// A folder in it, which is made if need be.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn within(&self, name: &str, forbidden: u32) -> io::Result<Self> {
        let open = || rustix::fs::openat(&self.folder, name, FOLDER, Mode::empty());
        let folder = match open() {
            Err(Errno::NOENT) => {
                match rustix::fs::mkdirat(&self.folder, name, Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                open()?
            }
            opened => opened?,
        };
        let path = self.path.join(name);
        private(&path, &ownership(&folder)?, forbidden)?;
        Ok(Self { path, folder })
    }

    /// Whether its path still leads to it: somebody may have removed it, or put another in its place.
    pub fn is_in_place(&self) -> bool {
        let (here, there) = (
            rustix::fs::fstat(&self.folder),
            rustix::fs::stat(&self.path),
        );
        let same = here.ok().zip(there.ok());
        same.is_some_and(|(here, there)| (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino))
    }

    /// Where it is, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of what is in it.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.folder)? {
            // What is not text is not one of ours.
            if let Ok(name) = entry?.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// A file to be read: one of this user's, which nobody else can write.
    ///
    /// # Errors
    ///
    /// The file is missing, or not one of these.
    pub fn file(&self, name: &str) -> io::Result<File> {
        self.opened(name, OFlags::RDONLY)
    }

    /// What the system says of such a file.
    pub fn metadata(&self, name: &str) -> io::Result<Metadata> {
        self.file(name)?.metadata()
    }

    fn opened(&self, name: &str, how: OFlags) -> io::Result<File> {
        let file = rustix::fs::openat(&self.folder, name, how | FILE, Mode::RUSR | Mode::WUSR)?;
        let file = File::from(file);
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(refused("it is not a file"));
        }
        if found.uid() != ourselves() || found.mode() & OTHERS_WRITE != 0 {
            return Err(refused("others can write the file"));
        }
        Ok(file)
    }

    /// Waits until the names of what was kept are on the disk.
    ///
    /// # Errors
    ///
    /// The disk's.
    pub fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.folder)?)
    }

    /// Opens a file to add to its end; it is made if need be.
    ///
    /// # Errors
    ///
    /// It is not a file of ours, or can't be written.
    pub fn append(&self, name: &str) -> io::Result<File> {
        self.opened(name, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)
    }

    /// Takes the lock of this name, unless another process or thread has it. It ends with the file
    /// that is returned, or with the process.
    ///
    /// # Errors
    ///
    /// The folder can't be written, or files in it can't be locked.
    pub fn try_lock(&self, name: &str) -> io::Result<Option<File>> {
        let file = self.opened(name, OFlags::RDWR | OFlags::CREATE)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// The same for a lock whose file goes away with what it is for.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn try_lock_named(&self, name: &str) -> io::Result<Option<File>> {
        loop {
            let Some(file) = self.try_lock(name)? else {
                return Ok(None);
            };
            // The process that had it before may have removed it.
            if self.is_named(&file, name)? {
                return Ok(Some(file));
            }
        }
    }

    /// Makes a name free, whatever is under it. A folder is only moved aside: what is in it is
    /// somebody's.
    pub fn clear(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.folder, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => {
                let aside = format!(".aside-{:08x}", getrandom::u32().unwrap_or_default());
                rustix::fs::renameat(&self.folder, name, &self.folder, &aside)?;
                tracing::warn!(
                    folder = %self.path.join(&aside).display(),
                    "a folder had the name of a file that belongs here; it has been renamed to this, and can be removed"
                );
                Ok(())
            }
            Err(Errno::NOENT) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Begins to write what will be kept under a name that begins like this. Only one process, and
    /// one thread, writes it at a time: the others wait, and `waiting` learns that they do. The
    /// system ends a writer's turn where it dies.
    ///
    /// # Errors
    ///
    /// The folder can't be written, or files in it can't be locked.
    pub fn draft(&self, name: &str, waiting: impl FnOnce()) -> io::Result<Draft<'_>> {
        let name = draft_of(name);
        let mut waiting = Some(waiting);
        loop {
            let file = match self.opened(&name, OFlags::RDWR | OFlags::CREATE) {
                Ok(file) => file,
                // It is not a file of ours, and in the way of one.
                Err(_) => {
                    self.clear(&name)?;
                    self.opened(&name, OFlags::RDWR | OFlags::CREATE)?
                }
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if let Some(waiting) = waiting.take() {
                        waiting();
                    }
                    file.lock()?;
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The process that had it before may have kept it under its own name.
            if self.is_named(&file, &name)? {
                return Ok(Draft {
                    folder: self,
                    name,
                    file: Some(file),
                });
            }
        }
    }

    /// Makes a file under a name that nothing has yet, for one that is written bit by bit: nobody
    /// takes it for [abandoned](Self::sweep_drafts) while it is open, if its name is that of a
    /// [draft](draft_of).
    ///
    /// # Errors
    ///
    /// There is something of this name, or the folder can't be written.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let file = self.opened(name, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?;
        file.lock()?;
        Ok(file)
    }

    /// Gives a file in it one more name, in another folder of the same disk.
    ///
    /// # Errors
    ///
    /// The file does not exist, something has that name, or the disk can't.
    pub fn link(&self, name: &str, folder: &Self, new: &str) -> io::Result<()> {
        let flags = AtFlags::empty();
        Ok(rustix::fs::linkat(
            &self.folder,
            name,
            &folder.folder,
            new,
            flags,
        )?)
    }

    /// Gives a file in it another name, in place of what has that.
    ///
    /// # Errors
    ///
    /// The file does not exist, or the folder can't be written.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.folder, from, &self.folder, to)?)
    }

    /// Whether the name is that of this very file.
    fn is_named(&self, file: &File, name: &str) -> io::Result<bool> {
        let open = file.metadata()?;
        match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => Ok(named.st_ino == open.ino() && named.st_dev == open.dev()),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes what writers left that were killed.
    pub fn sweep_drafts(&self) {
        for name in self.names().unwrap_or_default() {
            let draft = name.starts_with('.') && name.ends_with(&format!(".{PART}"));
            if (draft || name.starts_with(".tmp")) && self.is_abandoned(&name).unwrap_or(false) {
                tracing::debug!(folder = %self.path.display(), name, "removed half-written files");
            }
        }
    }

    /// Whether nobody writes it; it is removed then.
    fn is_abandoned(&self, name: &str) -> io::Result<bool> {
        let file = self.file(name)?;
        let abandoned = file.try_lock().is_ok() && self.is_named(&file, name)?;
        if abandoned {
            self.clear(name)?;
        }
        Ok(abandoned)
    }
}

/// As much of a path as there is, without links, and the names of what is missing.
fn existing(path: &Path) -> io::Result<(PathBuf, Vec<&OsStr>)> {
    let mut missing = Vec::new();
    let mut at = path;
    loop {
        match (at.canonicalize(), at.parent(), at.file_name()) {
            (Ok(found), _, _) => {
                missing.reverse();
                return Ok((found, missing));
            }
            (Err(error), Some(parent), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
                missing.push(name);
                at = parent;
            }
            (Err(error), _, _) => return Err(error),
        }
    }
}

/// A folder within another, made if need be.
fn enter(folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    let open = || rustix::fs::openat(folder, name, FOLDER | ON_THE_WAY, Mode::empty());
    match open() {
        Err(Errno::NOENT) => match rustix::fs::mkdirat(folder, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => open(),
            Err(error) => Err(error),
        },
        opened => opened,
    }
}

#[cfg(test)]
mod tests;
