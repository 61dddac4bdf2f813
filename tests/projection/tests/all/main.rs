//! Tests of the whole way from a schema to a declaration.
//!
//! - `goldens`: cases in files, with what they give beside them
//! - `corpora`: the tools of real servers
//! - `limits`: schemas that are large, deep, or made to take forever
//! - `printed`: packages that other tools print again
//! - `random`: schemas that nobody thought of
//! - `order`: tools in another order
//! - `linear`: how the time grows with a schema
//! - `words`: text that would be more than text
//! - `values`: documents as values of WIT, and back; `nullable`: where they may be null

mod corpora;
mod goldens;
mod limits;
mod linear;
mod nullable;
mod order;
mod printed;
mod random;
mod values;
mod words;
