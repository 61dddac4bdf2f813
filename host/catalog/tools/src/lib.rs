//! Bindings: the named capabilities that isolates may be given.
//!
//! A [`Binding`] offers tools and carries out calls. An upstream MCP server is one kind, Rust
//! functions are another.
//!
//! - `call`: a call, `tool_result`: its answer; `failure`: how it can fail; `deadline`: when its run must be over; `layer`:
//!   what it passes on its way; `departure`: whether it has left; `ask`: what servers ask meanwhile (elicitation), and the
//!   respondent; `trace`: where it belongs in a distributed trace
//! - `binding`: what a binding is; `changes`: what bindings tell without being called
//! - `functions`: a binding made of Rust functions
//! - `grant`: what one run may call; `toolkit`: what narrows that; `filter`: a binding of which only some tools are there;
//!   `undo`: what takes calls back
//! - `catalog`: every tool of every binding, by name; `listing`: those of one, `listings`: kept between runs; `search`: by what it
//!   does; `meaning`: what tools mean, as vectors; `indexes`: made once for each grant
//! - `granted`: the catalog seen through a grant, where names are resolved (`resolve`; `accounts`: of servers
//!   that have several); `resolved`: a tool that
//!   was found; `invocation`: calling it; `declared`: some of one server in a language; `unknown`: what is said about names that mean nothing there;
//!   `unlisted`: tools of servers that can't be asked
//! - `sent`: arguments as the tool gets them; `validate`: checked against its schema; `outcome`:
//!   what a script gets of an answer
//! - `written`: calls that are written in a script, judged before it runs; `answers`: the schemas of
//!   answers that this reads
//! - `spelling`: what it costs to find names that are written nearly so
//! - `error`: faults of the host; `testing`: a binding for tests
//! - `whole`: what a whole answer says of its call

mod answers;
mod ask;
mod binding;
mod call;
mod catalog;
mod changes;
mod deadline;
mod declared;
mod departure;
mod error;
mod failure;
mod filter;
mod functions;
mod grant;
mod granted;
mod indexes;
mod invocation;
mod layer;
mod listing;
mod listings;
pub mod meaning;
mod outcome;
mod resolved;
pub mod search;
mod sent;
mod spelling;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tool_result;
mod toolkit;
mod trace;
mod undo;
mod unknown;
mod unlisted;
mod validate;
mod whole;
mod written;

pub use ampoule_fair::{CallerToken, Principal, WeakCallerToken};
pub use ampoule_projection::names::{ToolPattern, ToolPatternError};
pub use ampoule_projection::undo::{UndoRule, UndoRuleError};
pub use ask::{Abilities, Ask, AskKind, LogLevel, Notice, Respondent};
pub use binding::{Binding, BindingError};
pub use call::{Account, Call, CallContext, CallUndo, RunId, RunIdError};
pub use catalog::{Catalog, DuplicateNameError, Server, ServerIdentifiers};
pub use changes::{ListVersions, Subscription};
pub use deadline::{Deadline, Pause};
pub use departure::Departure;
pub use error::Error;
pub use failure::{CallError, CallState, FailureKind};
pub use filter::{FilteredBinding, ToolFilter};
pub use functions::Functions;
pub use grant::Grant;
pub use granted::{GrantedTools, ImportedTools, SearchResults};
pub use layer::{Layer, Layers, Next};
pub use outcome::{CallOutcome, Form, ToolFailure};
pub use resolved::{ResolvedTool, ToolSummary};
pub use tool_result::ToolResult;
pub use toolkit::Toolkit;
pub use trace::Trace;
pub use undo::undo_problems;
pub use unknown::UnknownNameError;
pub use validate::ArgumentCheck;
pub use whole::WholeCall;
pub use written::{Mistake, MistakeKind, WrittenCall};
