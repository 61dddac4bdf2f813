//! What many share, by whose it is: places, and time to compute.
//!
//! - [`Principal`]: on whose behalf something happens
//! - [`Places`]: of which one is held for a while, by a run that is alive or a call under way
//! - [`turns`]: time to compute, in slices
//!
//! All of them are handed out by a `line`: who waits stands there behind others of the same
//! principal, and the principal that had least for its weight is next. So whoever floods waits
//! behind themselves.

mod line;
mod places;
mod principal;
#[cfg(test)]
mod testing;
pub mod turns;

pub use places::{Busy, Place, Places};
pub use principal::Principal;
