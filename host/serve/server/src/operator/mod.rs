//! Where an operator sees a server's runs, and can do something about them: `ampoule runs`.
//!
//! - [`socket`]: where a server can be asked; `serving`: its answers

mod serving;
pub mod socket;
