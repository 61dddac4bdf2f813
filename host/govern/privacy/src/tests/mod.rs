//! Tests of the whole: what is found, what becomes of it, and how long that takes.

mod attacks;
mod boundary;
mod corpus;
mod detection;
mod generator;
mod linear;
#[path = "../../corpus/read.rs"]
mod read;
mod tables;
mod tokens;
