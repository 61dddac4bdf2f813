//! Runs that outlive requests. The start of a run returns a handle, by which any number of requests
//! wait for the run's [`Answer`](answer::Answer). Nothing here knows by which protocol or
//! connection a client is served.
//!
//! - `service`: what all runs of a server share; `code`: from a client's code to what is run;
//!   `start`: from that to an active run; `finish`: from its outcome to its answer;
//!   `resume`: runs that the previous process parked
//! - `handle`: an active run; `registry`: all runs of the server, as an operator sees them
//! - `clients`: what is kept for each principal; `client_runs`: their runs that are kept between
//!   requests; `stored_output`: what was too large for an answer
//! - `report`: a run's outcome as a model reads it; `answer`: the report, for waiting requests
//! - `progress`: how far a run is; `call_reports`: how far its one call is;
//!   `call_notes`: what a server says of that; `lines`: what servers log meanwhile;
//!   `telemetry`: traces and metrics of runs
//! - `asking`: elicitation and approvals, through the run's client
//! - `tool_usage`: which tools the runs of each principal use
//! - `requester`: whose run it is; `components`: which components clients may run

pub(crate) mod answer;
pub(crate) mod asking;
pub(crate) mod call_notes;
pub(crate) mod call_reports;
pub(crate) mod client_runs;
pub(crate) mod clients;
pub(crate) mod code;
pub(crate) mod components;
pub(crate) mod finish;
pub(crate) mod handle;
pub(crate) mod lines;
pub(crate) mod progress;
pub(crate) mod registry;
pub(crate) mod report;
pub(crate) mod requester;
mod resume;
pub(crate) mod service;
pub(crate) mod start;
pub(crate) mod stored_output;
mod telemetry;
pub(crate) mod tool_usage;
