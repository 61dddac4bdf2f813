//! What stands between a grant and a call: policies, quotas, a person's consent, the audit log, and
//! personal data, put together in one place.
//!
//! [`Governance`] is made once, of the parts that an operator configured; each that is absent costs
//! nothing. Each run gets a [`GovernedRun`], whose [layer](GovernedRun::layer) every call passes and
//! whose [`end`](GovernedRun::end) everything passes that goes to the model.
//!
//! # What happens to a call, in this order
//!
//! 1. Tokens of personal data become values, where the tool may have them: all that follows is about
//!    what is really sent. A policy that looks at a receiver must not be shown `<email:1>`.
//! 2. The policies decide. What they deny fails with the reason, and how it can be allowed.
//! 3. Quotas.
//! 4. What policies take out of the arguments is taken out. From here on nothing changes them.
//! 5. Where the policies say so, a person is asked; the run's deadline stands still meanwhile.
//! 6. The audit log has the call, before it leaves.
//! 7. The call leaves.
//! 8. Whatever comes back, an error too, labels the run before the script has it. What policies
//!    take out of results is taken out; what looks like a token in it becomes a value; the audit
//!    log has what the call came to.
//!
//! # Calls at the same time
//!
//! A call is decided by the labels of the results that had come back when it was made. Those that
//! come later can't have influenced its arguments, which were fixed by then: so a call that waits
//! for a person or a server need not be decided again when a label rises meanwhile. The other way
//! round, a result labels the run before it is handed over: there is no moment at which a script has
//! what it read and not the label. What is left is one bit at a time: that a call which is under way
//! is *not* taken back once something else was read. A script that means to leak so has to make the
//! call before it knows anything.
//!
//! If the policies themselves change while a person is asked, the call is decided again by the new
//! ones, with the labels of then.
//!
//! # How it is laid out
//!
//! - `patterns`: those of the configuration; `unmatched_patterns`: those that mean no known tool;
//!   `warnings`: how many of these and others are logged
//! - `builder`: the parts, to be chosen; `parts`: as runs use them; `governance`: all of them, ready;
//!   `known_servers`: the tools of all servers, and the policies made of them
//! - `facts`: what is known of a run, before and after; `run`: a run, `open_run`: as calls and files have
//!   it, `shared`: what its calls share; `admission`: why there is none
//! - `enforce`: a call's way, with its `words`; `decision_cache`: what holds for all calls of a tool;
//!   `under_way`: what must be done if it is given up on; `consent`: a person is asked; `plan`: about
//!   all that a run would do, which was tried first, and its `course` for that; `spent`: what those had
//!   read who used up quotas; `records`: events for the audit log
//! - `redaction`: what policies take out; `personal`: tokens, and what they stand for
//! - `model`: output to the model; `seal`: whether what was let pass is what leaves
//!
//! Nothing here knows Wasmtime, MCP, or the configuration's file.

mod admission;
mod builder;
mod consent;
mod course;
mod decision_cache;
mod enforce;
mod facts;
mod governance;
mod known_servers;
mod model;
mod open_run;
mod parts;
mod patterns;
mod personal;
mod plan;
mod records;
mod redaction;
mod run;
mod seal;
mod shared;
mod spent;
#[cfg(test)]
mod tests;
mod under_way;
mod unmatched_patterns;
mod warnings;
mod words;

pub use admission::AdmissionError;
pub use ampoule_approvals as approvals;
pub use ampoule_audit as audit;
pub use ampoule_policy as policy;
pub use ampoule_policy::Caller;
pub use ampoule_privacy as privacy;
pub use ampoule_quota as quota;
pub use builder::{BuildError, Builder};
pub use facts::{CarriedLabels, EndFacts, LOCAL, RunFacts};
pub use governance::{Governance, ReloadError};
pub use known_servers::KnownServer;
pub use model::WithheldError;
pub use open_run::OpenRun;
pub use run::{GovernedOutcome, GovernedRun};
pub use unmatched_patterns::PlacedPattern;
