//! The operator's view of a server's runs, and control of them: `ampoule runs`.
//!
//! - [`socket`]: where a server can be asked; `serving`: its answers

mod serving;
pub mod socket;
