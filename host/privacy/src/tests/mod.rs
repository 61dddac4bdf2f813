//! Tests of the whole: what is found, what becomes of it, and how long that takes.

mod corpus;
mod generator;
#[path = "../../corpus/read.rs"]
mod read;
