//! A tool's declaration in another language, from its JSON Schemas. Pure: no I/O, no store, no MCP client.
//!
//! One model, several printers; nothing reads a schema twice:
//!
//! - `tool`: what a binding says of a tool; where every projection starts
//! - `schema`: JSON Schema → types
//! - [`types`]: the types
//! - `interface`: a binding's tools as functions over types that they share
//! - [`names`]: identifiers, and what they stand for
//! - `doc`: text for comments
//! - [`typescript`]: declarations in TypeScript

mod doc;
mod interface;
pub mod names;
mod schema;
#[cfg(test)]
mod tests;
mod tool;
pub mod types;
pub mod typescript;

pub use doc::Detail;
pub use interface::{Function, Interface};
pub use schema::{MAX_VISITS, Note, Problem};
pub use tool::{Hints, Tool};
