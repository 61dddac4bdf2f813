//! What a run's client is asked: what the servers behind this one want to know, and whether calls may
//! be made.
//!
//! - `question`: the questions of a run; `route`: the two ways in which they reach its client;
//!   `link`: a connection by which a client is asked at once
//! - `respondent`: answers the run's servers
//! - `dialogues`: people are asked whether calls may be made, in their clients; `run_client`: the
//!   client of a run; `states`: what clients keep meanwhile; `approval_wait`: what is said of runs
//!   that wait for a person

pub(crate) mod approval_wait;
pub(crate) mod dialogues;
pub(crate) mod link;
pub(crate) mod question;
pub(crate) mod respondent;
pub(crate) mod route;
pub(crate) mod run_client;
mod states;
