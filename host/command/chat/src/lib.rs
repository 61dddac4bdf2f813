//! An agent over models' endpoints. Its tools are those of Ampoule's own MCP server in the same
//! process, so that its model sees what the model of any other client sees.
//!
//! - [`endpoint`]: where a model is asked, in three forms, with retries
//! - [`conversation`]: what was said so far; how it is shortened and saved
//! - [`tools`]: Ampoule's server, as the agent's tools
//! - `bench`: tasks with checks, and how a model does with them
//! - [`agent`]: the loop of requests and calls, its bounds and its events
//! - [`script`]: a script out of a call that the model still writes

pub mod agent;
pub mod bench;
pub mod conversation;
pub mod endpoint;
pub mod script;
pub mod tools;
