//! JSON-RPC on two streams, one line a message, read without trusting who writes it: beneath the
//! client and the server alike.
//!
//! - `line`: lines of a bounded length
//! - `envelope`: what kind of message a line is, without decoding what it carries
//! - `edges`: what can be told of messages that can't be read

pub mod edges;
pub mod envelope;
pub mod line;
