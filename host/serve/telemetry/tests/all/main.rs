//! What an operator sees of requests, runs and calls.

mod calls;
mod collector;
mod log;
mod metrics;
mod open_metrics;
mod traces;
