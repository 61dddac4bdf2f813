//! Runs that wait, on disk: what they are, until they go on.
//!
//! A run is a file that appears whole or not at all, and a file of notes that belongs to it, both
//! signed with the store's own key. Each time that a run is kept anew, its number is one more, and
//! the files of the number before are removed after that. So there is nothing else that could
//! say otherwise after a crash, and nothing to repair. Each process that has runs here has a file
//! that it keeps locked: what belongs to one that is gone can be claimed.
//!
//! - `store`: all runs of a folder, with its key; `owner`: the processes that have some
//! - `shelf`: those of one principal; `kept`: one of them, while it is ours
//! - `file`: how one is written; `notes`: what was noted since
//! - `limits`: how many there may be, how large; `problem`: why something can't be done

mod file;
mod kept;
mod limits;
mod notes;
mod owner;
mod problem;
mod shelf;
mod store;

pub use file::State;
pub use kept::KeptRun;
pub use limits::ParkedLimits;
pub use problem::Problem;
pub use shelf::{Claimed, Each, Found, Shelf};
pub use store::Store;

#[cfg(test)]
mod tests;
