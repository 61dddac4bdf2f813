//! Ampoule runs code that a language model wrote.

pub mod binding;
pub mod demo;
pub mod projection;
