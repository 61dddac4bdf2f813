//! The integration tests: one binary, a module for each topic.

mod arguments;
mod attacks;
mod calls;
mod cli;
mod components;
mod configuration;
mod conformance;
mod cpython;
mod documents;
mod embedding;
mod endings;
mod examples;
mod fuel;
mod fuzz;
mod generate;
mod giving_way;
mod hostile;
mod isolation;
mod languages;
mod limits;
mod python_cases;
mod rust_crate;
mod serve;
mod servers;
mod tutorial;
mod web;
