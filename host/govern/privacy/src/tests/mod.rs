//! Tests of the whole: what is found, what becomes of it, and how long that takes.

mod attacks;
mod boundary;
mod corpus;
mod found;
mod generator;
mod kept;
mod linear;
#[path = "../../corpus/read.rs"]
mod read;
mod tokens;
