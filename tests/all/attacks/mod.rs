//! What attackers tried, each in a test that stands for its kind.

mod files;
mod leaving;
mod mutated;
mod server;
