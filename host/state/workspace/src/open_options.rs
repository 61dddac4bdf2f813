//! How files are opened and made.

use serde::{Deserialize, Serialize};

use crate::memory::Pieces;

/// How many files a run may have open at once.
pub(crate) const OPEN: usize = 256;

/// How a file is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOptions {
    /// It is read.
    pub read: bool,
    /// It is written.
    pub write: bool,
    /// Each write goes to the end.
    pub append: bool,
    /// It is made if it is not there.
    pub create: bool,
    /// It must not be there.
    pub exclusive: bool,
    /// It is emptied.
    pub truncate: bool,
}

/// A file that takes the place of what is at a path.
#[derive(Clone, Copy)]
pub struct NewFile<'m> {
    /// What is in it.
    pub content: &'m Pieces<'m>,
    /// When it was last modified, in nanoseconds since 1970.
    pub modified: u64,
    /// Nothing must be at the path.
    pub exclusive: bool,
}
