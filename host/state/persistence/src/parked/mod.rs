//! Runs that wait, on disk: what they are, until they resume.
//!
//! A run is a file that appears whole or not at all, and a file of notes that belongs to it, both
//! signed with the store's own key. Each time that a run is kept anew, its number is one more, and
//! the files of the number before are removed after that. So there is nothing else that could
//! say otherwise after a crash, and nothing to repair. Each process that has runs here has a file
//! that it keeps locked: what belongs to one that is gone can be claimed.
//!
//! - `store`: all runs of a folder, with its key; `owner`: the processes that have some
//! - `shelf`: those of one principal; `claim`: how runs whose processes are gone become
//!   this one's; `stored_run`: what is stored of one of this process's runs
//! - `files`: their files, by names; `file`: how one is written; `notes`: what was noted since
//! - `limits`: how many there may be, how large; `settings`: `[runs]`; `error`: why something can't be done

mod claim;
mod error;
mod file;
mod files;
mod limits;
mod notes;
mod owner;
mod settings;
mod shelf;
mod store;
mod stored_run;

pub use claim::{ClaimOutcome, ClaimedRun};
pub use error::ParkedRunError;
pub use file::State;
pub use limits::{ParkedLimits, ParkedTotals};
pub use settings::RunSettings;
pub use shelf::{RunEntry, Shelf};
pub use store::Store;
pub use stored_run::StoredRun;

#[cfg(test)]
mod tests;
