//! Where a server was imported from.

use std::fmt;
use std::path::PathBuf;

/// Where a server was imported from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The client whose file it is, if that is known.
    pub client: Option<&'static str>,
    /// The file.
    pub file: PathBuf,
    /// The file, as the user knows it.
    pub(super) shown: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.client {
            Some(client) => write!(f, "{client}'s {}", self.shown),
            None => f.write_str(&self.shown),
        }
    }
}
