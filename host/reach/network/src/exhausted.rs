//! What is said where the system has no descriptors left to give, and what the host keeps for itself.

use std::io;
use std::os::fd::AsRawFd;

use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{Resource, getrlimit};

/// What to do where [`is_exhausted`].
pub const EXHAUSTED: &str = "too many files, connections and servers are open at once; allow more (`ulimit -n`), or try again when fewer are in use";

/// How many descriptors are left to the host: compiled code, sessions, records and files need some,
/// whatever the servers take. At most a quarter of all.
const OWN: u64 = 32;

/// Whether an error says that this process, or the system, may open nothing more for now.
pub fn is_exhausted(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    errno.is_some_and(|errno| [Errno::MFILE, Errno::NFILE].contains(&errno))
}

/// Whether a server may be started.
///
/// # Errors
///
/// The host needs the descriptors that are left: one that [`is_exhausted`] knows.
pub fn has_room_for_servers() -> io::Result<()> {
    let Some(all) = getrlimit(Resource::Nofile).current else {
        return Ok(());
    };
    // The system gives the lowest number that is free.
    let next = match fcntl_dupfd_cloexec(io::stdin(), 0) {
        Ok(next) => next.as_raw_fd().unsigned_abs(),
        Err(errno @ (Errno::MFILE | Errno::NFILE)) => return Err(errno.into()),
        Err(_) => return Ok(()),
    };
    if u64::from(next) + OWN.min(all / 4) < all {
        Ok(())
    } else {
        Err(Errno::MFILE.into())
    }
}
