//! Ampoule runs code that a language model wrote: each run in a fresh WebAssembly instance, with fuel, memory and time limits, whose
//! only way out is the tools that it was granted.
//!
//! - [`runtime`]: what a process has once; start at [`Runtime::builder`]
//! - [`script`], [`component`]: what is to run
//! - [`isolate`]: one run: its limits, its outcome
//! - [`binding`]: tools, made of Rust functions or of whatever else implements [`Binding`](binding::Binding); grants
//! - [`upstream`]: tools of MCP servers; [`config`]: which servers there are
//! - [`server`]: an MCP server that runs scripts
//! - [`cli`]: the binary; [`demo`]: the server behind `ampoule demo-server`
//! - [`projection`]: a tool's declaration in another language
//!
//! ```
#![doc = include_str!("../../examples/embed.rs")]
//! ```

mod background;
pub mod binding;
pub mod cli;
pub mod component;
pub mod config;
pub mod demo;
mod effort;
mod engine;
mod error;
mod executor;
mod expiry;
mod folder;
mod generate;
pub mod isolate;
mod json;
#[cfg(test)]
mod linear;
pub mod projection;
pub mod runtime;
pub mod script;
pub mod server;
mod text;
mod turns;
pub mod upstream;
mod wire;

pub use error::Error;
pub use executor::executor;
pub use runtime::Runtime;
