//! What tests of bindings for other languages need: the bindings, built, and packages of those languages that
//! they are tried with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::repository;

use super::servers;
use crate::building::{cargo, succeed};

/// Python's package as it is installed: in `site`, beside the virtual environment `venv` with all that
/// its tests import.
pub(super) fn python() -> Result<PathBuf> {
    let folder = servers::bindings()?;
    // With the features of all and of their tests, since all else is built so.
    succeed(&mut cargo([
        "build",
        "--locked",
        "--workspace",
        "--lib",
        "--tests",
    ]))?;
    let package = folder.join("site/ampoule");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    copy(&repository().join("host/python/python/ampoule"), &package)?;
    let built = std::env::current_exe().context("can't tell where libraries are built")?;
    let built = built.with_file_name("lib_ampoule.so");
    fs::copy(built, package.join("_ampoule.abi3.so"))?;
    Ok(folder)
}

/// Copies a folder, but for what Python compiled.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true if entry.file_name() == "__pycache__" => {}
            true => copy(&from, &to)?,
            false => drop(fs::copy(from, to)?),
        }
    }
    Ok(())
}
