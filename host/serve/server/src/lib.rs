//! Ampoule as an MCP server: two tools, whatever the number of tools behind them. Each room knows
//! those above it in this list, and none below.
//!
//! - [`content`]: what answers are made of, within the room that a model has for them
//! - `runs`: runs that outlive requests, the questions that they ask, and what is stored for each principal
//! - `mcp`: runs in terms of MCP, and one client over two streams
//! - [`unattended`]: runs that a clock or a message of another system starts
//! - [`http`]: many clients over HTTP
//! - [`approvals`]: asks people for approvals of calls
//! - [`operator`]: what an operator sees of all runs

pub mod approvals;
pub mod content;
pub mod http;
mod mcp;
pub mod operator;
mod runs;
#[cfg(test)]
mod tests;
pub mod unattended;

pub use self::mcp::exposure::{Exposure, ShownTools};
pub use self::mcp::server::Server;
pub use self::mcp::toolkit::Toolkit;
pub use self::runs::components::ClientComponents;
pub use self::runs::report::UNDO_OFFER;
