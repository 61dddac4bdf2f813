//! What is said where the system has no descriptors left to give.

use std::io;

use rustix::io::Errno;

/// What to do where [`is_exhausted`].
pub const EXHAUSTED: &str = "too many files, connections and servers are open at once; allow more (`ulimit -n`), or try again when fewer are in use";

/// Whether an error says that this process, or the system, may open nothing more for now.
pub fn is_exhausted(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    errno.is_some_and(|errno| [Errno::MFILE, Errno::NFILE].contains(&errno))
}
