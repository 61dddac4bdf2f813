//! Who owns folders, and who else can write there.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use super::OTHERS_WRITE;

/// In a folder with this bit, others can neither rename nor remove what is not theirs.
const STICKY: u32 = 0o1000;
/// The superuser.
pub(super) const ROOT: u32 = 0;

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
    not_swappable(at, ownership, "name a folder elsewhere (XDG_CACHE_HOME)")
}

/// The same for a folder on the way to a file that is installed.
pub(super) fn not_others(at: &Path, ownership: &Ownership) -> io::Result<()> {
    not_swappable(at, ownership, "put the file in another folder")
}

fn not_swappable(at: &Path, ownership: &Ownership, instead: &str) -> io::Result<()> {
    let at = at.display();
    if ownership.uid != ROOT && ownership.uid != ourselves() {
        return Err(refused(format!(
            "{at} belongs to another user, who can put other files in its place; {instead}"
        )));
    }
    if ownership.mode & OTHERS_WRITE != 0 && ownership.mode & STICKY == 0 {
        return Err(refused(format!(
            "others can write to {at}, and so put other files in its place; chmod go-w {at}, or {instead}"
        )));
    }
    Ok(())
}

pub(super) fn ourselves() -> u32 {
    rustix::process::geteuid().as_raw()
}

pub(super) fn refused(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.into())
}
