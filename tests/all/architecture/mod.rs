//! What `ARCHITECTURE.md` says of the crates of `host/` is how they are.
//!
//! - `families`: the folders, their crates, and which of them uses which

mod families;
