//! What many share, divided fairly between principals: places, and time to compute.
//!
//! - `principal`: on whose behalf something happens; `caller`: the token that proves it
//! - `places`: of which one is held for a while, by a run that is alive or a call under way
//! - [`turns`]: time to compute, in slices
//!
//! All of them are handed out by a `line`: a waiting run stands there behind others of the same
//! principal, and the principal that had least for its weight is next. So a principal that floods
//! the host only slows itself down.

mod caller;
mod line;
mod places;
mod principal;
#[cfg(test)]
mod testing;
pub mod turns;

pub use caller::{CallerToken, WeakCallerToken};
pub use places::{BusyError, Place, Places};
pub use principal::Principal;
