//! The guest of Python with numpy and pandas as the one file that goes beside a program.
//!
//! It is not in the repository: `cargo xtask guests --build python-data` makes its parts, which takes
//! a quarter of an hour.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ampoule_guests::GuestFile;
use ampoule_guests::file::{About, pack};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xtask::repository;

/// What the file is called.
pub(crate) const FILE: &str = "ampoule-python-data.wasm.zst";

/// What the licences of what is in it are called beside it.
pub(crate) const NOTICE: &str = "ampoule-python-data.txt";

/// Its parts: the component, the pages of its memory that a small run reads, and what it has.
const COMPONENT: &str = "python-data.wasm.zst";
const PAGES: &str = "python-data.pages";
const ABOUT: &str = "python-data.json";

/// What a guest has.
#[derive(Deserialize)]
struct Has {
    /// The modules by whose names scripts choose it.
    modules: Vec<String>,
    /// The versions of packages.
    packages: BTreeMap<String, String>,
}

/// Where it is made, if no folder is named.
pub(crate) fn folder() -> PathBuf {
    repository().join("target/guests")
}

/// The file and the licences, where both were made.
pub(crate) fn made() -> Option<[PathBuf; 2]> {
    let paths = [FILE, NOTICE].map(|name| folder().join(name));
    paths.iter().all(|path| path.is_file()).then_some(paths)
}

/// Packs the parts that are in a folder.
pub(crate) fn make(folder: &Path) -> Result<PathBuf> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).with_context(|| format!("{} can't be read", path.display()))
    };
    let has: Has = serde_json::from_slice(&read(ABOUT)?).context("what the guest has")?;
    let pages = String::from_utf8(read(PAGES)?)?;
    let about = About {
        modules: has.modules,
        packages: has.packages,
        pages,
    };
    let path = folder.join(FILE);
    fs::write(&path, pack(&read(COMPONENT)?, &about)?)?;
    // The program takes what it reads here, so it is read once.
    let guest = GuestFile::open(&path)?;
    let bytes = guest.component()?.len();
    ensure!(bytes > 0, "the guest is empty");
    Ok(path)
}
