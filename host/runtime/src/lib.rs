//! Ampoule runs code that a language model wrote: each run in a fresh WebAssembly instance, with fuel, memory and time limits, whose
//! only way out is the tools that it was granted.
//!
//! - [`Runtime`]: what a process has once; start at [`Runtime::builder`]
//! - [`Script`], [`Component`]: what is to run; [`Isolate`]: one run of it, before it runs
//! - [`Limits`]: what it may use; [`Outcome`]: how it ended, what it printed and what it used; [`Event`]: what happens meanwhile
//! - [`Functions`]: tools made of Rust functions; [`Binding`]: of whatever else; [`Grant`]: which of them a run may call
//! - `upstream`: tools of MCP servers, with the feature of this name
//!
//! ```
#![doc = include_str!("../../../examples/embed.rs")]
//! ```

mod executor;
mod isolate;
mod runtime;

pub use ampoule_isolate::{
    Access, CallEnd, CallUsage, Code, Component, Ending, Event, Interpreter, Language, Level, Line,
    Location, Module, NoValue, Outcome, Output, Script, Thrown, Trapped, Usage,
};
pub use ampoule_limits::{Limit, LimitHit, Limits};
pub use ampoule_projection::{Hints, Tool};
pub use ampoule_tools::{
    BadPattern, Binding, BindingError, CallContext, CallError, Error, Functions, Grant,
    GrantedTools, ToolResult,
};
#[cfg(feature = "upstream")]
pub use ampoule_upstream as upstream;
pub use executor::executor;
pub use isolate::Isolate;
pub use runtime::{Runtime, RuntimeBuilder, cache_folder};
