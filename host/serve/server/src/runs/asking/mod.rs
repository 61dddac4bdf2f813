//! Questions to a run's client: elicitation of servers, and approvals of calls.
//!
//! - `question`: the questions of a run; `route`: the two ways in which they reach its client;
//!   `link`: a connection that sends questions at once
//! - `respondent`: answers the run's servers
//! - `dialogues`: approvals in clients; `run_client`: the client of a run; `states`: what clients
//!   keep meanwhile; `approval_wait`: runs that wait for an approval

pub(crate) mod approval_wait;
pub(crate) mod dialogues;
pub(crate) mod link;
pub(crate) mod question;
pub(crate) mod respondent;
pub(crate) mod route;
pub(crate) mod run_client;
mod states;
