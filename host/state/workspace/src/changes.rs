//! What a run changed in its files, for whoever looks at the run later.

use std::fs::File;
use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::base::{self, Kind};
use crate::files::Files;
use crate::layer::Change;
use crate::overlay::Overlay;
use crate::path::FOLDERS;

/// How many changes are described.
const DESCRIBED: usize = 200;
/// How large a text is at most that is part of a description, in bytes.
const TEXT_BYTES: u64 = 32 << 10;
/// How large all texts of a run are at most, in bytes.
const ALL_BYTES: u64 = 256 << 10;

/// A file that a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Its path, as the run had it.
    pub path: String,
    /// What the run did.
    pub kind: ChangeKind,
    /// Its size afterwards, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// What it had before, where that is a short text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it has afterwards, where that is a short text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What a run did with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// There was none.
    Created,
    /// There was another one.
    Changed,
    /// There is none any more.
    Removed,
}

impl ChangeKind {
    /// Its name, as in a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

impl Files {
    /// The files that the run changed so far, at most two hundred. Texts of at most 32 KiB that it
    /// wrote again as they were are not among them. All texts together have at most 256 KiB: a file
    /// whose texts would be more is described without them.
    pub fn changes(&self) -> Vec<FileChange> {
        let state = self.0.lock();
        let mut description = Description {
            changes: Vec::new(),
            left: ALL_BYTES,
        };
        if let Some(workspace) = &state.workspace {
            description.add("", workspace);
        }
        for (name, folder) in &state.folders {
            description.add(&format!("/{FOLDERS}/{name}/"), folder);
        }
        description.changes
    }
}

/// What is described so far, and how much text there may still be.
struct Description {
    changes: Vec<FileChange>,
    left: u64,
}

impl Description {
    fn add(&mut self, prefix: &str, overlay: &Overlay) {
        let Some(tree) = overlay.base.as_ref().filter(|tree| tree.writable) else {
            return;
        };
        for (path, change) in overlay.changes() {
            if self.changes.len() >= DESCRIBED {
                return;
            }
            let found = base::find(&tree.root, path).ok().flatten();
            let was_file = found.is_some_and(|found| found.kind == Kind::File);
            let own = match change {
                Change::File(own) => Some(own),
                Change::Gone if was_file => None,
                Change::Gone | Change::Folder => continue,
            };
            let old = was_file.then(|| base::open(&tree.root, path).ok());
            let new = own.and_then(|own| own.open(false).ok());
            let before = old.flatten().and_then(|file| short_text(&file));
            let after = new.and_then(|file| short_text(&file));
            if before.is_some() && before == after {
                continue;
            }
            let texts = [&before, &after].into_iter().flatten();
            let bytes: u64 = texts.map(|text| text.len() as u64).sum();
            let (before, after) = match self.left.checked_sub(bytes) {
                Some(left) => {
                    self.left = left;
                    (before, after)
                }
                None => (None, None),
            };
            self.changes.push(FileChange {
                path: format!("{prefix}{path}"),
                kind: match (own, was_file) {
                    (None, _) => ChangeKind::Removed,
                    (Some(_), true) => ChangeKind::Changed,
                    (Some(_), false) => ChangeKind::Created,
                },
                bytes: own.map(|own| own.size()),
                before,
                after,
            });
        }
    }
}

/// What a file has, where that is a short text.
fn short_text(file: &File) -> Option<String> {
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > TEXT_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}
