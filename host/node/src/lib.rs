//! The compiled part of the npm package `ampoule`. Nothing here waits on Node's thread: what takes
//! time is done by threads of the runtime, and told to one function of JavaScript, the [`Desk`]'s.
//! All that can be said in JavaScript is said there, in `lib/`.
//!
//! - `desk`: what threads tell Node's
//! - `runtime`, `run`: [`ampoule_foreign`]'s, with promises settled by the desk
//! - `tools`: functions of JavaScript as tools
//!
//! `native.d.ts` is generated from what is exported here; a test holds the two together.

mod desk;
mod run;
mod runtime;
mod tools;

pub use desk::{Desk, Message};
pub use run::{NativeEvents, NativeRun};
pub use runtime::NativeRuntime;
pub use tools::NativeTools;

use ampoule_foreign::Fault;
use napi::Error;

/// A fault as an error whose `code` is its kind.
fn thrown(fault: &Fault) -> Error<String> {
    Error::new(fault.kind.name().to_owned(), fault.message.clone())
}
