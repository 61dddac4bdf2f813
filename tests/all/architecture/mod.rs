//! What `ARCHITECTURE.md` and `STYLE.md` say of the sources is how they are.
//!
//! - `families`: the folders of `host/`, their crates, and which of them uses which
//! - `circles`: which files of a crate need each other in a circle
//! - `maps`: the modules that the head of each crate names
//! - `layout`: where sources and their tests are

mod circles;
mod families;
mod layout;
mod maps;
