//! Ampoule runs code that a language model wrote.

pub mod binding;
pub mod projection;
pub mod upstream;
