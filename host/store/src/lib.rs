//! Folders that processes keep things in for one another, and that nobody else can write to.
//!
//! - `folder`: such a folder; `expiry`: what is removed from one, and when
//! - `key`: what is signed with

pub mod expiry;
pub mod folder;
pub mod key;
