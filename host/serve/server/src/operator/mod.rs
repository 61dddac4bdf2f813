//! The operator's view of a server's runs, and control of them: `ampoule runs` and the console.
//!
//! - [`live`]: the active runs of this process; `begin`: starts one for a person
//! - [`socket`]: where a server can be asked; `serving`: its answers; [`client`]: asks other processes

mod begin;
pub mod client;
pub mod live;
mod serving;
pub mod socket;

pub use begin::{PersonRun, RunProgram};
