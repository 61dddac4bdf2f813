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
    let folder = servers::bindings_python()?;
    let package = folder.join("site/ampoule");
    copied("host/python/python/ampoule", &package)?;
    let library = built()?.join("lib_ampoule.so");
    fs::copy(library, package.join("_ampoule.abi3.so"))?;
    Ok(folder)
}

/// Node's package and its tests, in `ampoule`, beside `node_modules` with all that these import, and
/// `types`, what is exported.
pub(super) fn node() -> Result<PathBuf> {
    let folder = servers::bindings_node()?;
    let package = folder.join("ampoule");
    copied("host/node", &package)?;
    let built = built()?;
    let library = built.join("libampoule_node.so");
    fs::copy(library, package.join(LIBRARY_OF_NODE))?;
    fs::copy(built.join("types/ampoule-node"), folder.join("types"))
        .context("napi wrote no types: after `cargo clean --package ampoule-node`, it does")?;
    Ok(folder)
}

/// What Node's package looks for on this machine.
const LIBRARY_OF_NODE: &str = match cfg!(target_arch = "aarch64") {
    true => "ampoule.linux-arm64.node",
    false => "ampoule.linux-x64.node",
};

/// The folder where the libraries are, built.
fn built() -> Result<PathBuf> {
    // With the features of all and of their tests, since all else is built so.
    succeed(&mut cargo([
        "build",
        "--locked",
        "--workspace",
        "--lib",
        "--tests",
    ]))?;
    let program = std::env::current_exe().context("can't tell where libraries are built")?;
    let folder = program.parent().context("programs are in a folder")?;
    Ok(folder.to_owned())
}

/// Copies a folder of the repository, in place of what was copied before.
fn copied(from: &str, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    copy(&repository().join(from), to)
}

/// Copies a folder, but for what was compiled or installed there.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, name) = (entry.path(), entry.file_name());
        let is_made = ["__pycache__", "node_modules"]
            .iter()
            .any(|made| name == *made);
        match entry.file_type()? {
            _ if is_made || from.extension().is_some_and(|end| end == "node") => {}
            kind if kind.is_dir() => copy(&from, &to.join(name))?,
            _ => drop(fs::copy(from, to.join(name))?),
        }
    }
    Ok(())
}
