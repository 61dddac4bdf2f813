//! The audit log: a record of what was done.
//!
//! A [`Log`] writes one line of JSON for each [`Event`], before what it tells is done. Each line has
//! the hash of all before it, and now and then one has a signature: who changes, removes, adds or
//! moves a line is found out by [`verify()`], also with nothing but the public key. Several processes
//! write into one folder, each a chain of its own.
//!
//! - `event`: what is recorded, with its `outcome`; `log_events`: what the log says of itself; `arguments`: arguments, as digests,
//!   in full or redacted
//! - `log`: the log of a process, with its `settings`, which `config` reads from `[audit]`; `writer`:
//!   the chain that it writes, from a `position` on, in a `segment` after another; `keeper`: what is
//!   done beside that; `retention`: what is too old goes
//! - `line`: the form of a line; `keys`: what is signed with; `lane`: chains and their files;
//!   `manifest`: the list of them
//! - `verify`: checking a log, a `chain` at a time, to a `report`
//! - `reader`: its `entry`s, those that a `filter` fits; `show`: for a person; `stats`: counted, with
//!   `advice`; `latency`: percentiles
//! - `error`: why something can't be done with a log
//! - `export`: as OCSF or OTLP; `sink`: to a file or a collector, by `forward`

//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let parent = tempfile::tempdir()?;
//! # let folder = parent.path().join("audit");
//! use ampoule_audit::{Against, CallAsked, Event, Log, Settings, verify};
//!
//! let log = Log::open(&folder, Settings::default())?;
//! let arguments = serde_json::json!({"to": "somebody@example.com"});
//! log.write(&Event::CallAsked(CallAsked {
//!     run: "4711-1".into(),
//!     server: "mail".into(),
//!     tool: "send".into(),
//!     arguments: log.arguments("mail", "send", &arguments),
//!     ..CallAsked::default()
//! }))?;
//! // Now the call may leave.
//! log.close()?;
//! assert!(verify(&folder, &Against::default())?.is_whole());
//! # Ok(())
//! # }
//! ```

mod advice;
mod arguments;
mod chain;
mod config;
mod entry;
mod error;
mod event;
mod export;
mod filter;
mod keeper;
mod keys;
mod lane;
mod latency;
mod line;
mod log;
mod log_events;
mod manifest;
mod outcome;
mod position;
mod reader;
mod report;
mod retention;
mod segment;
mod settings;
mod show;
mod sink;
mod stats;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use advice::{Advice, advice};
pub use arguments::{ArgumentForm, Arguments, Rule, WrittenArguments};
pub use config::{AuditConfig, Export, Retention};
pub use entry::Entry;
pub use error::{AuditError, WriteError};
pub use event::{
    Answer, CallAsked, CallEnded, Configuration, Decision, Event, Name, PolicyChanged, Question,
    RequestDenied, RunEnded, RunStarted, Session, SignIn, Skill,
};
pub use export::{Format, FormatError, export, ocsf, otlp};
pub use filter::Filter;
pub use keys::{KeyError, PublicKey};
pub use latency::Latency;
pub use log::{Log, Standing};
pub use log_events::{Checkpoint, CheckpointReason, Gap, Opened, Removed, Segment};
pub use outcome::{CallOutcome, Verdict};
pub use reader::Events;
pub use report::{Fault, Finding, Level, Report};
pub use settings::{OnFailure, Settings, SyncPolicy};
pub use show::human;
pub use sink::{
    Collector, Forward, ForwardPosition, ForwardSettings, IntoFile, Post, Sink, SinkError,
};
pub use stats::{Row, Rows, Stats};
pub use verify::{Against, public_key, verify};
pub use writer::WriteOutcome;
