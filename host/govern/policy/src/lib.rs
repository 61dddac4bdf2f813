//! Who may do what: policies over tools, their arguments, and what runs have read.
//!
//! [`Policies`] are made of [`Sources`] and of the servers' tools, all at once or not at all, and
//! then say to each [`Request`] whether it may be done ([`Policies::decide`]), why
//! ([`Policies::explain`]), and which tools do not exist for somebody ([`Policies::may_ever`]).
//! Everything is Cedar: [`Roles`] and [`Labels`] of the configuration come to policies too.
//!
//! ```
//! # use ampoule_policy::*;
//! # let tool = |name: &str, schema| serde_json::from_value(serde_json::json!({"name": name, "inputSchema": schema})).unwrap();
//! # let tools = [tool("delete_repository", serde_json::json!({"type": "object", "properties": {"owner": {"type": "string"}}, "required": ["owner"]}))];
//! let text = r#"
//!     @id("sandbox") @reason("repositories are deleted in the sandbox only")
//!     forbid(principal, action == Action::"github.delete_repository", resource)
//!     unless { context.arguments.owner == "sandbox" };"#;
//! let file = File { name: "deletes.cedar".into(), text: text.into() };
//! let sources = Sources { files: vec![file], ..Sources::default() };
//! let servers = [Server { name: "github", says_it_is: None, tools: Some(&tools) }];
//! let policies = Policies::new(&sources, &servers)?;
//! let call: ActText = r#"github.delete_repository {"owner": "acme"}"#.parse()?;
//! let decision = policies.decide(&Request {
//!     caller: &Caller::new("alice"),
//!     act: call.act(),
//!     labels: &RunLabels::new(),
//! });
//! assert_eq!(decision.effect, Effect::Deny);
//! assert_eq!(decision.by, ["sandbox".into()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What policies may name
//!
//! - `principal`: a `User::"alice"`, in `Group::"support"` (as the issuer of a token says) and in
//!   `Role::"support"` (as the configuration says)
//! - `action`: a tool, `Action::"github.get_issue"`, named as its server names it, or giving output
//!   to the model, `Action::"model"`. `action in`: those of a server, `Action::"github"`; what fits a
//!   pattern, `Action::"github.get_*"`; what tools say of themselves, `Action::"read-only"`,
//!   `Action::"destructive"`, `Action::"open-world"`, with the protocol's defaults for what they do
//!   not say; and `Action::"outgoing"`, which is open-world and not read-only, or known to send
//!   something out. A `*` or `%` in a tool's own name is written `%2A` or `%25`
//! - `resource`: the `Server::"github"`; for the model, the `Client::"cursor"`
//! - `context`: `arguments`, typed by the tool's schema; `labels`, what the run has read; `client`;
//!   `hints` (`readOnly`, `destructive`, `idempotent`, `openWorld`), each there if the tool says it
//!
//! What has no type in Cedar is left out of the arguments; a policy that names it is told so.
//!
//! # What they say
//!
//! - `@id("…")`: what a policy is called; without it, its place. `@reason("…")`: what whoever is
//!   denied or asked is told
//! - `@ask`, `@ask("…")`, `@effect("ask")`: on a `forbid`, a person is asked instead; on a `permit`,
//!   it permits once a person has agreed
//! - `@redact("email, customers.*.phone")`, `@redact_arguments("…")`: what is to be done with a call
//!   that goes on. On a `forbid`, it is done instead of denying
//!
//! A `forbid` that denies wins; then, what nothing permits is denied; then, a `forbid` that asks
//! wins over a `permit`. Obligations of all that decide add up. A `permit` without `@ask` wins over one
//! with it: roles add up.
//!
//! # What holds where little is said
//!
//! Without policies, everything is allowed. As long as there is no role and nothing in a file
//! permits anything, what no policy forbids is allowed: so one `forbid`, or one rule of labels, can
//! stand alone. From the first role or `permit` on, what nothing permits is denied, but for output to
//! the model, which only a `forbid` withholds. [`Sources::fallback`] says otherwise.
//!
//! A policy that can't be judged, as an argument does not fit or a sum is too large, stands as if it
//! held if it is a `forbid`, and permits nothing if it is a `permit`.
//!
//! # How it is laid out
//!
//! - `source`: files; `guard`: what is looked at before a text is parsed; `parse`: text → policies;
//!   `annotations`, with `redaction`; `rule`: a policy, with what is known of it;
//!   `needs`: what it reads
//! - `roles`, `labels`: as data, and as policies, made by `cedar`; `known_servers`: the table of servers
//!   whose tools return what strangers wrote; `patterns`: what names of tools mean
//! - `actions`: all tools, in groups; `arguments`: JSON Schema and JSON as Cedar's types and values;
//!   `schema`: Cedar's schema
//! - `check`, `paths`: policies held against the tools; `diagnostic`: what is wrong, and where
//! - `policies`: all of it, ready; `index`: which policies may concern a request; `evaluate`: which
//!   of them hold; `decision`: what that comes to; `evaluation`: all of that, for a call or for all calls
//!   of a tool; `explain`: why
//! - `learning`: servers whose tools are not known yet
//! - `caller`: who does what; `run_labels`: what a run has read; `cases`: what policies should say
//!
//! Nothing here knows runs, Wasmtime, MCP or the configuration's file; nothing but [`read_folder`]
//! does I/O.

mod actions;
mod annotations;
mod arguments;
mod caller;
mod cases;
mod cedar;
mod check;
mod decision;
mod diagnostic;
mod evaluate;
mod evaluation;
mod explain;
mod guard;
mod index;
mod known_servers;
mod labels;
mod learning;
mod needs;
mod parse;
mod paths;
mod patterns;
mod policies;
mod redaction;
mod roles;
mod rule;
mod run_labels;
mod schema;
mod source;
#[cfg(test)]
mod tests;

pub use actions::Server;
pub use annotations::Obligation;
pub use caller::{Act, ActError, ActText, Caller, Request};
pub use cases::{CaseResult, try_cases};
pub use decision::{Decision, Duty, Effect};
pub use diagnostic::{Place, PolicyDiagnostic, PolicyError, Severity};
pub use evaluation::ToolDecision;
pub use explain::{ConsideredPolicy, Explanation, Verdict};
pub use labels::{Labels, Names, Preset, Refusal, Refusals, Then};
pub use policies::Policies;
pub use redaction::{Fields, FieldsError, REDACTED};
pub use roles::{Destructive, Role, Roles};
pub use run_labels::{LabelOrigin, RunLabels};
pub use source::{Fallback, File, PolicySettings, Sources, read_folder};
