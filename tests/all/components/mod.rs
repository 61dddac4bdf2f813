//! Components that users compiled, as the crate, the command line and `execute_code` run them.

mod cli;
mod endings;
mod languages;
mod serve;
mod sockets;
mod tools;
mod typed;
mod wasi;
