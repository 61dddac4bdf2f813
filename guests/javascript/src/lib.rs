//! Ampoule's JavaScript guest: QuickJS-NG as a WebAssembly component, which runs one script in each
//! instance.
//!
//! - [`realm`]: the engine with everything that scripts may use, built once, before the snapshot
//! - [`program`]: a script from its source to its result or error
//!   - `check`: its mistakes, told before it calls anything
//!   - `source`: what a model wrote, as JavaScript: fences, TypeScript, shapes, imports, positions
//!   - `modules`: the program's modules, and those that stand for servers and tools
//!   - `event_loop`: jobs, timers and calls
//!   - `render`: results as JSON; `thrown`: errors with their places
//! - `intrinsics`: what the guest itself uses of the language, out of a script's reach
//! - `json`: JSON texts as values, and plain values as JSON texts, by `c/`
//! - `tools`: the granted tools as objects; `unawaited`: promises that nobody awaited; `answers`:
//!   what tools gave last; `web`: console, URL, timers and the like; `temporal`: dates and times
//! - [`host`]: the one seam to the host. The crate also builds natively, for fast tests: only this
//!   module knows the difference
//! - `other_modes`: what scripts for other code modes call by its name alone; `exit`: the end that a
//!   script asks for; `shown`: content blocks that it makes and does nothing with
//! - `packages`: npm packages that the operator added
//! - `lasting`: programs of a session, each of which finds what the one before left
//! - `guest`: the component's exports; `allocator`: the heap that the snapshot holds; `brief`: what
//!   the check allocates

#[cfg(target_family = "wasm")]
mod allocator;
mod answers;
mod bindings;
#[path = "../../brief.rs"]
mod brief;
mod check;
mod engine;
mod event_loop;
mod exit;
#[cfg(target_family = "wasm")]
mod guest;
pub mod host;
mod intrinsics;
mod json;
pub mod lasting;
#[path = "../../lasting_tools.rs"]
mod lasting_tools;
#[cfg(target_family = "wasm")]
#[path = "../../memory.rs"]
mod memory;
mod modules;
mod other_modes;
mod packages;
mod prelude;
pub mod program;
mod random;
pub mod realm;
mod render;
mod session;
mod shown;
mod source;
mod stack;
mod temporal;
mod thrown;
mod tools;
mod unawaited;
mod web;

pub use bindings::exports::ampoule::guest::script;
