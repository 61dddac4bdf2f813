//! The two streams as the system has them.

use std::io::{self, IsTerminal};
use std::os::fd::BorrowedFd;

use anstream::{AutoStream, ColorChoice};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// How many columns to assume if the terminal does not say.
const USUAL_COLUMNS: usize = 80;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Descriptor {
    Out,
    Err,
}

impl Descriptor {
    /// Whether both lead to the same file, so that what is written has an order.
    pub(super) fn are_one() -> bool {
        let identity = |descriptor: Self| {
            let stat = rustix::fs::fstat(descriptor.fd()).ok()?;
            Some((stat.st_dev, stat.st_ino))
        };
        identity(Self::Out).is_some_and(|out| Some(out) == identity(Self::Err))
    }

    fn fd(self) -> BorrowedFd<'static> {
        match self {
            Self::Out => rustix::stdio::stdout(),
            Self::Err => rustix::stdio::stderr(),
        }
    }

    pub(super) fn is_terminal(self) -> bool {
        match self {
            Self::Out => io::stdout().is_terminal(),
            Self::Err => io::stderr().is_terminal(),
        }
    }

    /// The one rule for colours: `--color`, or else what `NO_COLOR`, `CLICOLOR_FORCE` and `TERM`
    /// say, or else whether it is a terminal.
    pub(super) fn wants_colours(self) -> bool {
        let choice = match self {
            Self::Out => AutoStream::choice(&io::stdout()),
            Self::Err => AutoStream::choice(&io::stderr()),
        };
        choice != ColorChoice::Never
    }

    /// Whether a line can be drawn over.
    pub(super) fn redraws(self) -> bool {
        self.is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
    }

    pub(super) fn width(self) -> Option<usize> {
        if !self.is_terminal() {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(self.fd()).ok();
        let columns = size.map(|size| usize::from(size.ws_col));
        Some(
            columns
                .filter(|&columns| columns > 0)
                .unwrap_or(USUAL_COLUMNS),
        )
    }

    /// How many bytes have been written to a pipe and not been read yet.
    pub(super) fn unread(self) -> u64 {
        rustix::io::ioctl_fionread(self.fd()).unwrap_or_default()
    }

    /// Writes some of this, once there is room for it.
    pub(super) fn write(self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(self.fd(), bytes) {
                Err(Errno::INTR) => {}
                // Another process that shares the stream may have made it non-blocking.
                Err(Errno::AGAIN) => {
                    let mut room = [PollFd::from_borrowed_fd(self.fd(), PollFlags::OUT)];
                    match poll(&mut room, None) {
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                written => return Ok(written?),
            }
        }
    }
}
