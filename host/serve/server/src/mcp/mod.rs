//! Runs in terms of MCP: two tools, whatever the number of tools behind them, and more where the
//! operator wants them. Runs are started and
//! waited for through `runs`, whose answers become results of `rmcp` here and nowhere else.
//!
//! - `server`: what is served; `toolkit`: all of it, or a part under a name; `serve`: one client over two streams, by `transport`; `incoming`:
//!   what the client's lines say; `requests`: the active requests
//! - `client`: one client that is connected; `handler`: what it may ask for; `caller`: who sent a
//!   request; `telemetry`: traces and metrics of requests
//! - `tool_list`: the tools as clients see them; `exposure`: how those of servers are shown;
//!   `wording`: the texts that a model reads
//! - `tools`: what calls of tools do; `arguments`: what models send them; `begin`: a run begins;
//!   `unknown_tool`: the errors for calls of any other tool
//! - `lacking`: calls whose server needs what the client did not declare
//! - `waiting`: a request that waits for a run; `notifications`: progress and log lines for its
//!   client; `asks`: questions of a run's servers to its client; `results`: what its client reads
//! - `tasks`: runs as tasks
//! - `resources`: a workspace's files, and resources of servers; `offers`: what servers have besides
//!   tools; `asker`: who asks for that; `watching`: what clients hear of it unasked

mod apps;
mod arguments;
pub(crate) mod asker;
mod asks;
mod begin;
pub(crate) mod caller;
pub(crate) mod client;
pub(crate) mod exposure;
mod handler;
pub(crate) mod incoming;
mod lacking;
mod notifications;
mod offers;
pub(crate) mod requests;
mod resources;
mod results;
mod serve;
pub(crate) mod server;
pub(crate) mod tasks;
mod telemetry;
mod tool_list;
pub(crate) mod toolkit;
mod tools;
pub(crate) mod transport;
mod unknown_tool;
mod waiting;
pub(crate) mod watching;
mod wording;
