//! A tool's declaration in another language, from its JSON Schemas. Pure: no I/O, no store, no MCP client.
//!
//! - [`tool`]: what a binding says of a tool; where every projection starts

mod tool;

pub use tool::{Hints, Tool};
