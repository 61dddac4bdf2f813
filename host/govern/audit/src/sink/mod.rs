//! Where events are passed on to.
//!
//! Nothing is passed on while something is done: `forward` follows the log's own files, which are
//! the queue. So what is passed on costs a call nothing, and an endpoint that is away for a day
//! misses nothing; `follow` knows how far it is.
//!
//! - `file`, `collector`: the sinks

mod collector;
mod file;
mod follow;
mod forward;

use std::io;

pub use collector::{Collector, Post};
pub use file::IntoFile;
pub use forward::{Forward, ForwardPosition, ForwardSettings};

use crate::entry::Entry;

/// Something that takes events.
pub trait Sink: Send + 'static {
    /// Takes some events, in order: all of them, or none. Events may come again after a failure, as
    /// each has a chain and a number that tell so.
    ///
    /// # Errors
    ///
    /// [`SinkError::Again`]: they are offered again later. [`SinkError::Never`]: they are not, and
    /// are counted as dropped.
    fn take(&mut self, entries: &[Entry]) -> Result<(), SinkError>;
}

/// Why events were not taken.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// It may work later.
    #[error("{0}")]
    Again(io::Error),
    /// It never will, with these events.
    #[error("{0}")]
    Never(String),
}

// No `#[from]`: the cause is in the text already, and is not a source besides.
impl From<io::Error> for SinkError {
    fn from(error: io::Error) -> Self {
        Self::Again(error)
    }
}

#[cfg(test)]
mod tests;
