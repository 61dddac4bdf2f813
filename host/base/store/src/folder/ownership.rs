//! Who owns folders, and who else can write there.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::OTHERS_WRITE;

/// In a folder with this bit, others can neither rename nor remove what is not theirs.
const STICKY: u32 = 0o1000;
/// The superuser.
const ROOT: u32 = 0;

/// Who owns a folder, and what others may do there.
pub(super) struct Ownership {
    uid: u32,
    mode: u32,
}

pub(super) fn ownership(folder: &OwnedFd) -> io::Result<Ownership> {
    let status = rustix::fs::fstat(folder)?;
    Ok(Ownership {
        uid: status.st_uid,
        mode: status.st_mode,
    })
}

/// A folder is this user's, and others can't do what is forbidden.
pub(super) fn private(at: &Path, ownership: &Ownership, forbidden: u32) -> io::Result<()> {
    match ownership.uid == ourselves() && ownership.mode & forbidden == 0 {
        true => Ok(()),
        false => Err(refused(format!(
            "{} must belong to this user, and not be writable by others: chmod 700 it, or name another folder",
            at.display()
        ))),
    }
}

/// What else is in a folder on the way must not be others' to swap.
pub(super) fn on_the_way(at: &Path, ownership: &Ownership) -> io::Result<()> {
    let at = at.display();
    if ownership.uid != ROOT && ownership.uid != ourselves() {
        return Err(refused(format!(
            "{at} belongs to another user, who can put other files in its place; name a folder elsewhere (XDG_CACHE_HOME)"
        )));
    }
    if ownership.mode & OTHERS_WRITE != 0 && ownership.mode & STICKY == 0 {
        return Err(refused(format!(
            "others can write to {at}, and so put other files in its place; chmod go-w {at}, or name a folder elsewhere (XDG_CACHE_HOME)"
        )));
    }
    Ok(())
}

/// Refuses a file, of an installation or of an operator, that somebody other than this user or the
/// superuser can write.
///
/// # Errors
///
/// It is such a file, or can't be looked at.
pub fn refuse_what_others_write(file: &Path) -> io::Result<()> {
    let found = file.metadata()?;
    let owners = [ROOT, ourselves()];
    match owners.contains(&found.uid()) && found.mode() & OTHERS_WRITE == 0 {
        true => Ok(()),
        false => Err(refused(
            "others can write the file; it must belong to this user or to root: chown it, and chmod go-w it",
        )),
    }
}

pub(super) fn ourselves() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(super) fn refused(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.into())
}
