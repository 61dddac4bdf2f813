//! One run in one WebAssembly instance: what Ampoule does with Wasmtime.
//!
//! - `engine`: engines, compiled code and the cache of it, slots
//! - `script`, `component`: what users wrote; `direct_call`: one call without either; `code`: any of
//!   these
//! - `guest`: an interpreter, ready for any number of isolates; `memory`: what it is between two
//!   steps, and `session`: a run that begins with what another left; `compiled`: components that users compiled
//! - `imports`, `wasi`: what guests may ask of the host
//! - `setup`: what a run is given; `state`: the Store's data, with `calls` (`under_way`: one of them),
//!   `feed`, `host_memory`, `meter` and `tool_slots`; `fuel`: paying for what the host computes
//! - `run`: one run, from instantiation to outcome; `work`: what it is to do
//! - `files`: what a run has of files, and who hears what it learns of them
//! - `vessel`: where a run is; `parking`: runs that wait for long, and have no isolate meanwhile
//! - `world`: what it can't compute itself, and `tape`: the same, recorded; `pages`: memory that runs
//!   leave behind; `repeats`: equal calls of one run, counted
//! - `call_log`: the calls of a run that failed, for the next script; `undo`: what takes them back;
//!   `failed_blocks`: what such calls gave besides text
//! - `usage`: what it used; `gauge`: so far; `outcome`: how it ended, and `document`: as JSON;
//!   `output`: what it printed; `event`: what happens meanwhile

mod call_log;
mod calls;
mod code;
mod compiled;
mod component;
mod direct_call;
mod document;
pub mod engine;
mod event;
mod failed_blocks;
mod feed;
mod files;
mod fuel;
mod gauge;
mod guest;
mod host_memory;
mod imports;
mod memory;
mod meter;
mod outcome;
mod output;
mod pages;
mod parking;
mod repeats;
mod run;
mod script;
mod session;
mod setup;
mod state;
mod tape;
#[cfg(test)]
mod testing;
mod tool_slots;
mod under_way;
mod undo;
mod usage;
mod vessel;
mod wasi;
mod work;
mod world;

pub use call_log::{CallLog, CallResult, LeftOutCalls, LoggedCall};
pub use code::Code;
pub use compiled::{Components, GrantedComponent};
pub use component::{Access, Component};
pub use direct_call::DirectCall;
pub use event::{Event, EventLog, Events, Listener, Observers, RunEvent};
pub use files::{FileAnswer, FileObserver, FileReplay, FileRequest, FileResponse, RunFiles};
pub use gauge::Gauge;
pub use guest::Guest;
pub use memory::{ImagePlace, MemoryPlace, Snapshot, SnapshotError, with_memory};
pub use outcome::{
    Ending, InterruptedError, Location, NoValueError, Outcome, SessionEnd, Thrown, TrapError,
};
pub use output::{Level, Line, Output};
pub use parking::{
    Answer, Journal, LEAST_PARK_AFTER, Note, OpenCall, ParkedSession, ParkedState, Parking,
    ParkingBackend, ParkingError, Standing,
};
pub use run::ReadyRun;
pub use script::{Check, Interpreter, Language, Module, Script};
pub use session::{LeftPlace, LeftState, NameInMemory, Resume};
pub use setup::RunSetup;
pub use tape::{Recording, Replay, Tape};
pub use undo::{AnsweredCall, IrreversibleCall, Undo, UndoCall, UndoOffer};
pub use usage::{CallEnd, CallUsage, Usage};
pub use work::Work;
pub use world::{DivergenceError, HostTime, Pass, World};
