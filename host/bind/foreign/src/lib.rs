//! What bindings for other languages share. They have no futures of Rust's and none of its types: what goes
//! in is plain options, which may be written as JSON, and what comes out is JSON.
//!
//! - `options`: what a [`Runtime`] and a [`Run`] are made of, as plain data; `program`: the script, or the
//!   one call; `limits`: limits by their names; `governed`: governance from an `ampoule.toml`
//! - `runtime`: what a process has once, with threads of its own; `run`: an active run, and
//!   `document`: its outcome; `parked_runs`: runs that are parked on disk
//! - `tools`: functions of the other language that scripts call, by a [`Caller`] or by callbacks
//!   that [reply](Reply)
//! - `layers`: functions of the other language that calls pass on their way, by an [`Interceptor`];
//!   `waiting`: calls that wait there for an answer from outside, and the runs that are parked for
//!   them; `patterns`: which calls a program asks about
//! - `declarations`: tools as a model sees them, by [`Runtime::declarations`]
//! - `fault`: what is wrong with the host or its caller; what a script does is part of its outcome
//! - `steps`: what the thread that answers a run's call does for the run
//! - `process`: limits of a forked process; [`waited`]: waiting on any thread
//!
//! Nothing unwinds out of work that is [`caught`].
//!
//! An outcome is the document that `ampoule run --json` prints, see [`ampoule::Outcome`]; an event
//! is an [`ampoule::RunEvent`] as JSON.
//!
//! ```
//! use ampoule_foreign::{RunOptions, Runtime, RuntimeOptions, Tools};
//!
//! let runtime = Runtime::new(&RuntimeOptions::default())?;
//! let tools = r#"[{"name": "add", "inputSchema": {"type": "object"}}]"#;
//! let tools = Tools::by_callback("host", tools, |call, reply| {
//!     assert_eq!(call.arguments, r#"{"a":1}"#);
//!     reply.answer(Ok("42".to_owned()));
//! })?;
//! let options = RunOptions {
//!     code: "return await host.add({ a: 1 })".to_owned(),
//!     ..RunOptions::default()
//! };
//! let outcome = runtime.run_here(options, &[tools], &[], || true)?;
//! assert!(outcome.starts_with(r#"{"ending":"returned","value":42,"#));
//! # Ok::<(), ampoule_foreign::Fault>(())
//! ```

mod declarations;
mod document;
mod fault;
mod governed;
mod layers;
mod limits;
mod options;
mod parked_runs;
mod patterns;
mod process;
mod program;
mod run;
mod runtime;
mod steps;
#[cfg(test)]
mod tests;
mod tools;
mod waiting;

pub use ampoule::Call;
pub use fault::{Fault, FaultKind, caught};
pub use layers::{Continuation, Interceptor, Layer, PassingCall};
pub use options::{FolderOptions, GrantOptions, Grants, RunOptions, RuntimeOptions, option};
pub use patterns::ToolPatterns;
pub use process::{is_forked, unforked};
pub use program::CallOptions;
pub use run::{Events, Run};
pub use runtime::{Runtime, waited};
pub use steps::{Stepper, is_stepping};
pub use tools::{Caller, Reply, ToolCall, Tools};
