//! What outlives a run, on disk.
//!
//! - [`sessions`]: what runs leave for the next one of the same name
//! - [`parked`]: runs that wait, and that another process may resume
//! - [`skills`]: code that scripts saved for later ones
//! - [`packages`]: packages that the operator added for scripts
//!
//! Each of the first three is a store, a folder with a key of its own, and in it a shelf for each principal:
//! the folder that [`ampoule_store::principal::principal_folder`] names. Files appear whole or not at
//! all, and are signed. Nothing here knows Wasmtime, or what is in a guest's memory.

pub mod packages;
pub mod parked;
pub mod sessions;
pub mod skills;
