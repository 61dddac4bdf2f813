//! What one run changed in a folder, by paths.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::Stamp;
use crate::error::{Code, FileError};
use crate::layer_folder::OwnFile;

/// What a run did at a path.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// There is a file of the run's.
    File(Arc<OwnFile>),
    /// There is a folder; nothing that was there before is in it, but for what the run says.
    Folder,
    /// There is nothing.
    Gone,
}

/// What a run changed, and what it has seen.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) changes: BTreeMap<String, Change>,
    /// What the folder had when the run first looked.
    pub(crate) seen: BTreeMap<String, Stamp>,
    /// How much of the folder's own the changes hide.
    pub(crate) hidden_bytes: u64,
    pub(crate) hidden_files: u64,
    /// How many of the changes are folders.
    pub(crate) folders: u64,
}

impl Layer {
    /// The changes to what is in a folder, and to all that are in it.
    pub(crate) fn below(&self, folder: &str) -> impl Iterator<Item = (&String, &Change)> {
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.changes
            .range(prefix.clone()..)
            .take_while(move |(path, _)| path.starts_with(&prefix))
    }
}

/// What is refused, as the quota is used up.
pub(crate) fn full(what: &str, most: u64, unit: &str) -> FileError {
    FileError::new(
        Code::Full,
        format!("{what} may have {most} {unit} at most; remove what is not needed any more"),
    )
}
