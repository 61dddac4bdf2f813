//! Folders that processes keep things in for one another, and that nobody else can write to.
//!
//! - `folder`: such a folder; `expiry`: what is removed from one, and when
//! - `commit`: what several stores do together
//! - `key`: what is signed with
//! - `principal`: the folder that belongs to a principal

pub mod commit;
pub mod expiry;
pub mod folder;
pub mod key;
pub mod principal;
