//! The integration tests: one binary, a module for each topic.

mod calls;
mod cli;
mod configuration;
mod documents;
mod embedding;
mod endings;
mod fuzz;
mod generate;
mod hostile;
mod isolation;
mod serve;
mod servers;
mod web;
