//! Ampoule runs code that a language model wrote.

pub mod binding;
pub mod config;
pub mod demo;
mod near;
pub mod projection;
pub mod upstream;
