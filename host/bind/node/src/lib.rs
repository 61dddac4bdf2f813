//! The compiled part of the npm package `ampoule`. Nothing here waits on Node's thread: what takes
//! time is done by threads of the runtime, and reported to one function of JavaScript, the
//! [`Desk`]'s. What a run does when it starts, and when a call of its is answered, Node's thread does
//! itself for about a millisecond in each turn of its loop. All that can be said in JavaScript is said
//! there, in `lib/`.
//!
//! - `desk`: what threads tell Node's
//! - `runtime`, `run`: [`ampoule_foreign`]'s, with promises settled by the desk
//! - `tools`: functions of JavaScript as tools; `layers`: those that calls pass on their way;
//!   `patterns`: which calls somebody is asked about
//!
//! `native.d.ts` is generated from what is exported here; a test holds the two together.

mod desk;
mod layers;
mod patterns;
mod run;
mod runtime;
mod tools;

pub use desk::{Desk, Message};
pub use patterns::NativePatterns;
pub use run::{NativeEvents, NativeRun};
pub use runtime::NativeRuntime;
pub use tools::NativeTools;

use ampoule_foreign::{Fault, caught};
use napi::Error;

/// Does work whose faults, and panics, are errors in JavaScript, with the fault's kind as the `code`.
fn thrown<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Error<String>> {
    caught(work).map_err(|fault| Error::new(fault.kind.name().to_owned(), fault.message))
}
