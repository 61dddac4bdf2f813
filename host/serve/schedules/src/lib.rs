//! Runs that nobody asks for at the moment: a clock starts them, or a message of another system.
//! This is the part that needs no isolate: when a run is due, which times were missed, who starts
//! it where several processes could, and whether a message is from its sender.
//!
//! - `timing`: the times of a schedule; `plan`: what is due now, and what waits
//! - `state`: what is known of a schedule or hook; `store`: the same on disk, for all processes
//! - [`hook`]: messages of other systems: signatures, replays, rates
//! - `fuzzing`: what must hold of any expression and message
//!
//! Each time of a schedule starts at most one run: a process writes the time down before it starts
//! the run, under a lock that all processes of the configuration share.

#[cfg(any(test, fuzzing))]
pub mod fuzzing;
pub mod hook;
mod plan;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod timing;

pub use plan::{CatchUp, DueTimes, Overlap, due};
pub use state::{PassNote, PassReason, RunNote, State};
pub use store::{Claim, Fate, Schedule, Store, Tick};
pub use timing::Timing;
