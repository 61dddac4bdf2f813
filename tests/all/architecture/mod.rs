//! What `ARCHITECTURE.md` says of the crates of `host/` is how they are.
//!
//! - `families`: the folders, their crates, and which of them uses which
//! - `circles`: which files of a crate need each other in a circle

mod circles;
mod families;
