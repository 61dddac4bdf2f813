//! Runs that wait for long, and have no isolate meanwhile.
//!
//! A run that waits is its memory, and what the host knows of it. [`drive`] writes the memory down,
//! gives the isolate back, and continues in another one when a call has ended, or the time is over.
//! What the host knows stays where it is, with the calls that are under way; a [`Journal`] of it is
//! kept beside the memory, so that another process can continue.
//!
//! What is kept once stays true until the run is over, whenever the process is killed: a call that
//! can't be repeated leaves only after the memory that asked for it is kept, and after it was noted
//! that it leaves. That is seen to by the [`Gate`].
//!
//! - `backend`: where runs are kept, and what is kept of them
//! - `drive`: a run, from step to step; `resume_error`: why it can't resume
//! - `gate`: what calls pass on their way out
//! - `journal`: what is kept of what the host knows
//! - `files`: its files, meanwhile
//! - `alive`: runs that wait, and can't be parked

mod alive;
mod backend;
mod drive;
mod files;
mod gate;
mod journal;
mod resume_error;

pub(crate) use alive::IdleWait;
pub use backend::{Note, ParkedState, Parking, ParkingBackend, ParkingError, Standing};
pub(crate) use drive::Driver;
pub(crate) use gate::Gate;
pub use journal::{Answer, Journal, OpenCall, ParkedSession};
pub(crate) use journal::{JournalCall, KeptUsage, nanos};
pub(crate) use resume_error::ResumeError;

pub use ampoule_limits::LEAST_PARK_AFTER;
