//! Files that outlive runs.
//!
//! - `path`: what a path means
//! - `base`: a folder of the file system as it is
//! - `tree`: such a folder with what the host keeps in it for itself: whose turn it is, and what
//!   has begun to be merged
//! - `layer`: what one run changed, and nobody else sees; `layer_folder`: the files that it wrote
//! - `overlay`: the two together, as the run sees them
//! - `merge`: from a run's layer to the folder, all at once
//! - `files`: what a run has: its roots, and the files that it opened; `open_options`: how they are opened
//! - `changes`: what a run changed, for whoever looks at the run later
//! - `memory`: files that one run has in memory, and that are gone with it
//! - `carrier`: what those had read who wrote it, as far as policies care
//! - `store`: a workspace for each principal; `settings`: `[workspace]` and `[folders]`
//! - `direct`: a workspace's files for people, without a run
//! - `home`: where what a run writes is; `snapshot`: a run's files while it is parked; `error`: why
//!   something was not done to a file
//!
//! It knows neither Wasmtime nor its callers.

mod base;
mod carrier;
mod changes;
mod direct;
mod error;
mod files;
mod home;
mod layer;
mod layer_folder;
mod memory;
mod merge;
mod open_options;
mod overlay;
mod path;
mod settings;
mod snapshot;
mod store;
mod tree;

#[cfg(test)]
mod tests;

pub use base::{Kind, Status};
pub use carrier::Carrier;
pub use changes::{ChangeKind, FileChange};
pub use direct::FileEntry;
pub use error::{Code, FileError};
pub use files::{Files, MergeOutcome, Promises};
pub use memory::{Memory, Pieces, Room};
pub use open_options::{NewFile, OpenOptions};
pub use overlay::{Entry, Listing, Meter};
pub use path::{Mount, ResolvedPath, mount};
pub use settings::{FolderName, FolderSettings, WorkspaceSettings};
pub use snapshot::FilesSnapshot;
pub use store::{Sharing, Workspaces};
pub use tree::{Quota, Tree};
