//! Tasks with checks, and how a model does with them.
//!
//! - `task`: a task, as its file has it; `check`: whether it was done
//! - `way`: how a model reaches tools; `report`: what came of all, as a table and as JSON

mod check;
mod report;
mod task;
#[cfg(test)]
mod tests;
mod way;

pub use check::{Check, Verdict};
pub use report::{Report, Try};
pub use task::{Approval, Reference, Task, TaskError, TaskFile};
pub use way::Way;
