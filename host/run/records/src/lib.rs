//! Records: what runs saw, on disk, so that they can be run again without anything else.
//!
//! A record is a file of its own: the code, what the run was granted with the tools as it saw them,
//! each call with its answer, what its clocks and its entropy were, and how it ended. It is written
//! while the run is under way, so that it takes no memory, and appears whole or not at all.
//!
//! - `entry`: what is in the file, a line of JSON each; `blot`: what must not be in it
//! - `recorder`: one run, being recorded: `writer` writes the file, `binding_recorder` records
//!   what bindings say, `call_recorder` what calls come to
//! - `files`: what it learned of its files, with a `file_line` for each answer
//! - `store`: all records of a folder; `shelf`: those of one principal; `limits`: how many;
//!   `settings`: `[records]`
//! - `record`: a file, read; `error`: why it can't be
//! - `replay`: a record as a world: `recorded_binding` are its bindings, `answers` its calls,
//!   `simulated_time` is the time of a changed script; `difference`: where a run is another than the recorded one

mod answers;
mod binding_recorder;
mod blot;
mod call_recorder;
mod difference;
mod entry;
mod error;
mod file_line;
mod files;
mod limits;
mod record;
mod recorded_binding;
mod recorder;
mod replay;
mod settings;
mod shelf;
mod simulated_time;
mod store;
#[cfg(test)]
mod tests;
mod writer;

pub use difference::{CallRequest, Difference};
pub use entry::{Build, Head, Program, RecordEnd, RecordedCall, SessionOrigin};
pub use error::RecordError;
pub use limits::{Keep, RecordLimits};
pub use record::Record;
pub use recorder::Recorder;
pub use replay::{ReplayOptions, ReplayReport, ReplaySetup};
pub use settings::RecordSettings;
pub use shelf::{RecordEntry, Shelf};
pub use store::Store;
