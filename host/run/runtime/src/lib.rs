//! Ampoule runs code that a language model wrote: each run in a fresh WebAssembly instance, with
//! fuel, memory and time limits, that reaches what it was granted and nothing else.
//!
//! - [`Runtime`]: what a process has once; start at [`Runtime::builder`]
//! - [`Script`], [`Component`]: what is to run; [`Isolate`]: one run of it, before it runs;
//!   [`Run`]: the same, once it does
//! - [`Limits`]: what it may use; [`Outcome`]: how it ended, what it printed and what it used;
//!   [`Event`]: what happens meanwhile
//! - [`Functions`]: tools made of Rust functions; [`Binding`]: of anything else; [`Grant`]: which
//!   of them a run may call;
//!   [`Layer`]: what calls pass on their way
//! - [`Sessions`]: what runs leave for the next one of the same name, by [`Isolate::session`]
//! - [`Runtime::undo`]: takes back calls of a run that failed, by what [`Functions::undo`] says
//! - [`Records`]: what runs saw, by [`RuntimeBuilder::records`]; [`Runtime::replay`] runs them
//!   again without calling anything
//! - [`Skills`]: code that runs saved for later ones, by [`RuntimeBuilder::skills`]
//! - [`World`]: what a run can't compute itself: clocks, entropy, the order in which calls end
//! - `governance`: who may do what, which people approve, what may flow where, and what was done,
//!   with the feature of that name
//! - `upstream`: tools of MCP servers, with the feature of that name
//! - [`meaning`]: what tools mean, for searches; a model for it with the feature of that name
//! - `outbound`: HTTP requests of scripts, with the feature of that name
//! - `apis`: HTTP APIs as tools, with the feature of that name
//!
//! ```
#![doc = include_str!("../../../../examples/embed.rs")]
//! ```
//!
//! A run can be listened to, and cancelled:
//!
//! ```
#![doc = include_str!("../../../../examples/cancel.rs")]
//! ```
//!
//! Layers stand between runs and their tools:
//!
//! ```
#![doc = include_str!("../../../../examples/layers.rs")]
//! ```
//!
//! Tools come from bindings; you can write your own:
//!
//! ```
#![doc = include_str!("../../../../examples/binding.rs")]
//! ```
//!
//! Scripts are in TypeScript, JavaScript or Python:
//!
//! ```
#![doc = include_str!("../../../../examples/languages.rs")]
//! ```
#![cfg_attr(feature = "apis", doc = "\nAn HTTP API is a binding, too:\n\n```")]
#![cfg_attr(feature = "apis", doc = include_str!("../../../../examples/apis.rs"))]
#![cfg_attr(feature = "apis", doc = "```")]

// - `runtime`: what a process has once; `shard`: what the runs of a thread share; `executor`: Tokio, set
//   up for runs that compute; `clock`: the time
// - `run`: one run, from what it is asked to be to its outcome, with the stages that it passes
// - `guests`: the interpreters, as they are embedded, or with `packages` in their memory, and which one
//   a script runs in; `data_guest`: the one with numpy and pandas
// - `library`: the module of Ampoule's own that scripts import
// - `stores`: where what outlives runs is kept; `session`, `record`, `parked`, `skills`: what the runtime
//   says of it; `replay`: a recorded run, again; `undo`: calls of failed runs that can be taken back
// - `component_tools`: components that are tools
// - `governed`: what stands between runs and their tools

mod clock;
mod component_tools;
mod data_guest;
mod executor;
mod governed;
mod guests;
mod library;
mod packages;
mod parked;
mod record;
mod replay;
mod run;
mod runtime;
mod session;
mod shard;
mod skills;
mod stores;
mod undo;

#[cfg(feature = "governance")]
#[doc(inline)]
pub use ampoule_governance as governance;
#[doc(inline)]
pub use ampoule_isolate::{
    Access, AnsweredCall, CallEnd, CallLog, CallResult, CallUsage, Check, Code, Component,
    DirectCall, DivergenceError, Ending, Event, Events, Gauge, HostTime, Interpreter,
    InterruptedError, IrreversibleCall, Language, LeftOutCalls, Level, Line, Location, LoggedCall,
    Module, NoValueError, Outcome, Output, Pass, Recording, Replay, RunEvent, Script, SessionEnd,
    Tape, Thrown, TrapError, Undo, UndoCall, UndoOffer, Usage, World,
};
#[doc(inline)]
pub use ampoule_limits::{Limit, LimitError, Limits, LimitsConfig};
#[cfg(feature = "outbound")]
#[doc(inline)]
pub use ampoule_outbound as outbound;
#[doc(inline)]
pub use ampoule_persistence::packages::{
    Ecosystem, Package, PackageError, PackageFolder, WheelName,
};
#[doc(inline)]
pub use ampoule_persistence::parked::{ParkedLimits, ParkedTotals};
#[doc(inline)]
pub use ampoule_persistence::sessions::{
    Head as SessionHead, Session, SessionEntry, SessionError, SessionLimits, SessionMetadata,
    SessionVariable, Shelf as Sessions,
};
#[doc(inline)]
pub use ampoule_persistence::skills::{
    Answer as SkillAnswer, Approval, Draft as SkillDraft, File as SkillFile, Function, Need,
    Origin as SkillOrigin, Shelf as Skills, Skill, SkillError, SkillLimits, SkillName,
    VisibleSkill, VisibleSkills, read_folder as read_skill, write_folder as write_skill,
};
#[doc(inline)]
pub use ampoule_projection::{Hints, SchemaText, Tool};
#[doc(inline)]
pub use ampoule_records::{
    Build, CallRequest, Difference, Head, Keep, Program, Record, RecordEnd, RecordEntry,
    RecordError, RecordLimits, RecordedCall, ReplayReport, SessionOrigin, Shelf as Records,
};
#[doc(inline)]
pub use ampoule_tools::{
    Abilities, Account, Ask, AskKind, Binding, BindingError, Call, CallContext, CallError,
    CallState, Deadline, Error, FailureKind, Functions, Grant, GrantedTools, Layer, ListVersions,
    LogLevel, Next, Notice, Pause, Principal, ResolvedTool, Respondent, RunId, SearchResults,
    Subscription, ToolPattern, ToolPatternError, ToolResult, Toolkit, Trace, UndoRule,
    UndoRuleError, UnknownNameError,
};
#[cfg(feature = "upstream")]
#[doc(inline)]
pub use ampoule_upstream as upstream;
#[doc(inline)]
pub use ampoule_workspace::{
    ChangeKind as FileChangeKind, Code as FileCode, FileChange, FileEntry, FileError,
    Kind as FileKind, Quota, Sharing, Status as FileStatus, Tree as Workspace, Workspaces,
};
pub use component_tools::{COMPONENTS_SERVER, ComponentTool};
pub use data_guest::DataGuest;
pub use executor::executor;
pub use governed::Requester;
pub use guests::GuestKind;
pub use parked::{OpenParkedCall, ParkedRun, WaitingRuns};
pub use replay::Rerun;
pub use run::isolate::Isolate;
pub use run::{Cancel, Run, Suspender};
pub use runtime::{Runtime, RuntimeBuilder, cache_folder, data_folder};
pub use skills::{ExampleCalls, FoundSkill, SKILLS_SERVER};
pub use stores::records::RecordOptions;
pub use stores::skills::SkillOptions;

/// HTTP APIs as [bindings](Binding): those that an OpenAPI document describes, one tool for each of its
/// operations, and GraphQL APIs, one tool for each query and mutation.
#[cfg(feature = "apis")]
pub mod apis {
    pub use ampoule_graphql::{GraphqlApi, GraphqlServer};
    pub use ampoule_openapi::{
        ApiServer, ApiStatus, CredentialScheme, HttpApi, SignedApi, Source, missing_credentials,
    };
}

/// What texts mean, for [`RuntimeBuilder::meaning`].
pub mod meaning {
    #[cfg(feature = "meaning")]
    pub use ampoule_meaning::{FILE, Model, ModelError};
    pub use ampoule_tools::meaning::{Meaning, MeaningError, Turn, Vector};
}
