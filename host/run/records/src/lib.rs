//! Records: what runs were told, on disk, so that they can be run again without anything else.
//!
//! A record is a file of its own: the code, what the run was granted with the tools as it saw them,
//! each call with its answer, what its clocks and its entropy were, and how it ended. It is written
//! while the run goes on, so that it takes no memory, and appears whole or not at all.
//!
//! - `entry`: what is in the file, a line of JSON each; `blot`: what must not be in it
//! - `recorder`: one run, being recorded: `writer` writes the file, `watched` sees what bindings
//!   tell, `heard` what calls come to
//! - `files`: what it was told of its files
//! - `store`: all records of a folder; `shelf`: those of one principal; `limits`: how many
//! - `record`: a file, read; `problem`: why it can't be
//! - `replay`: a record as a world: `told` are its bindings, `answers` its calls, `simulated` is the
//!   time of a changed script; `difference`: where a run is another than the recorded one

mod answers;
mod blot;
mod difference;
mod entry;
mod files;
mod heard;
mod limits;
mod problem;
mod record;
mod recorder;
mod replay;
mod shelf;
mod simulated;
mod store;
#[cfg(test)]
mod tests;
mod told;
mod watched;
mod writer;

pub use difference::{Asked, Difference};
pub use entry::{Build, Ended, Head, OfSession, Program, Recorded};
pub use limits::{Keep, RecordLimits};
pub use problem::Problem;
pub use record::Record;
pub use recorder::Recorder;
pub use replay::{How, Replayed, Rerun};
pub use shelf::{Listed, Shelf};
pub use store::Store;
