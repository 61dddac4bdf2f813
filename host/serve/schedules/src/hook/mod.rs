//! Messages of other systems that start runs.
//!
//! - [`signature`]: whether a message is from its sender; [`replays`]: whether it was taken before
//! - `rate`: how many are taken

mod rate;
pub mod replays;
pub mod signature;

pub use rate::HookRate;
