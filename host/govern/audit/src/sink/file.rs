//! Events into a file that something else collects.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crate::entry::Entry;
use crate::export::{Format, write};
use crate::sink::{Sink, SinkError};

/// A file that events are added to. It is opened anew each time, so that it can be rotated. A table
/// in it has no line of names.
#[derive(Debug, Clone)]
pub struct IntoFile {
    path: PathBuf,
    format: Format,
}

impl IntoFile {
    /// That file, in that form.
    pub fn new(path: impl Into<PathBuf>, format: Format) -> Self {
        Self {
            path: path.into(),
            format,
        }
    }
}

impl Sink for IntoFile {
    fn take(&mut self, entries: &[Entry]) -> Result<(), SinkError> {
        let mut lines = Vec::new();
        write(entries, self.format, &mut lines)?;
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&self.path)?;
        let before = file.metadata()?.len();
        if let Err(error) = file.write_all(&lines) {
            // All or nothing: they come again.
            let _ = file.set_len(before);
            return Err(error.into());
        }
        Ok(())
    }
}
