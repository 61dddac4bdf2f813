//! What attackers tried, each in a test that stands for its kind.
//!
//! - `work`: the host's own work for a run
//! - `server`: what a client sends; `files`: the cache of compiled code, and who else may write
//!   there
//! - `log`: who makes the host write
//! - `upstream`: what servers send; `words`: text from servers that would be code

mod files;
mod leaving;
mod log;
mod mutated;
mod server;
mod upstream;
mod words;
mod work;
