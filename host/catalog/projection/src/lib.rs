//! A tool's declaration in another language, from its JSON Schemas. Pure: no I/O, no store, no MCP
//! client.
//!
//! One model, several printers; nothing reads a schema twice:
//!
//! - `tool`: what a binding says about a tool; where every projection starts; `observed`: what its
//!   results looked like
//! - `schema_text`: a schema as a tool has it; `schema`: JSON Schema → types
//! - [`types`]: the types
//! - `interface`: a binding's tools as functions over types that they share
//! - [`names`]: identifiers, and what they stand for
//! - `doc`: text for comments; `signature`: a tool in a line
//! - `idiom`: which of the languages of scripts
//! - `structures`: names for types that a language can't write in place
//! - [`typescript`]: declarations in TypeScript
//! - [`python`]: stubs in Python
//! - [`wit`]: packages in WIT
//! - [`undo`]: what takes a call back, as operators write it

pub mod doc;
mod idiom;
mod interface;
pub mod names;
mod observed;
pub mod python;
mod schema;
mod schema_text;
pub mod signature;
mod structures;
mod tool;
pub mod types;
pub mod typescript;
pub mod undo;
pub mod wit;

pub use doc::Detail;
pub use idiom::Idiom;
pub use interface::{Function, Interface};
pub use observed::{ObservedShape, Shape};
pub use schema::says_nullable;
pub use schema::{MAX_VISITS, Note, Problem};
pub use schema_text::{SchemaSource, SchemaText};
pub use tool::{Caller, Hints, Tool, ToolUi, result_schema};
