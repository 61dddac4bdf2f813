//! What the programs that work on this repository share.

pub mod guests;
pub mod sources;

use std::env;
use std::path::PathBuf;

/// The repository's folder.
///
/// # Panics
///
/// Where this was built outside of it.
pub fn repository() -> PathBuf {
    // A task may run from another folder; cargo tells where the package is that it runs, and tasks
    // pass it on to the programs that they start.
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let mut folders = package.ancestors();
    folders
        .find(|folder| folder.join("Cargo.lock").exists())
        .expect("the package is in the repository")
        .to_owned()
}
