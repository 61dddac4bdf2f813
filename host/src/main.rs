//! The `ampoule` binary.
fn main() {}
