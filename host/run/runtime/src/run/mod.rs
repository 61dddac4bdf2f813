//! One run, from what it is asked to be to its outcome.
//!
//! - `isolate`: what it is asked to be; `handle`: the run, once it is under way
//! - `draft`: what it is made of before it runs
//! - `stages`: what it has besides its isolate, such as a session and files, each in a file of its
//!   own; the order in which they open and close is there alone
//! - `carry_out`: the stages open, the code runs, the stages close
//! - `import_advice`: what a script is told that imports numpy or pandas where it has none
//! - `commit`: what it leaves in several stores, all of it or nothing

mod carry_out;
mod commit;
mod draft;
mod handle;
mod import_advice;
pub(crate) mod isolate;
pub(crate) mod stages;

pub use handle::{Cancel, Run, Suspender};
