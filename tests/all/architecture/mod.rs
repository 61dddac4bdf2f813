//! What `ARCHITECTURE.md` and `STYLE.md` say of the sources is how they are.
//!
//! - `families`: the folders of `host/`, their crates, and which of them uses which
//! - `circles`: which files of a crate need each other in a circle; `modules`: its modules, and
//!   `names`: the paths that each of them has
//! - `maps`: the modules that the head of each crate names
//! - `layout`: where sources and their tests are
//! - `parameters`: what functions take; `types`: what types are called, `errors`: those of errors
//! - `systems`: what only Linux or Unix has

mod circles;
mod errors;
mod families;
mod layout;
mod maps;
mod modules;
mod names;
mod parameters;
mod systems;
mod types;

pub(crate) use layout::sources;

use std::path::PathBuf;

use ampoule_tests::repository;

/// The folders of the host's crates.
fn crates() -> Vec<PathBuf> {
    let families = std::fs::read_dir(repository().join("host")).expect("the host's crates");
    let mut found: Vec<_> = (families.flatten())
        .filter(|family| family.path().is_dir())
        .flat_map(|family| {
            std::fs::read_dir(family.path())
                .expect("a family")
                .flatten()
        })
        .map(|entry| entry.path())
        .filter(|folder| folder.join("Cargo.toml").exists() && folder.join("src").exists())
        .collect();
    found.sort();
    found
}
