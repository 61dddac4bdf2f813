//! What tests of bindings for other languages need: the bindings, built, and packages of those languages that
//! they are tried with.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::repository;
use xtask::sources::files_in;

use super::servers;
use crate::programs::succeed;

/// Python's package as it is installed: in `site`, beside the virtual environment `venv` with all that
/// its tests import.
pub(super) fn python() -> Result<PathBuf> {
    let folder = servers::bindings_python()?;
    let package = folder.join("site/pyampoule");
    copied("host/bind/python/python/pyampoule", &package)?;
    let library = built()?.join("lib_ampoule.so");
    fs::copy(library, package.join("_ampoule.abi3.so"))?;
    Ok(folder)
}

/// Node's package and its tests, in `ampoule`, beside `node_modules` with all that these import, and
/// `types`, what is exported.
pub(super) fn node() -> Result<PathBuf> {
    let folder = servers::bindings_node()?;
    let package = folder.join("ampoule");
    copied("host/bind/node", &package)?;
    let built = built()?;
    let library = built.join("libampoule_node.so");
    fs::copy(library, package.join(LIBRARY_OF_NODE))?;
    fs::copy(built.join("types/ampoule-node"), folder.join("types"))
        .context("napi wrote no types: after `cargo clean --package ampoule-node`, it does")?;
    Ok(folder)
}

/// Node's package among the frameworks that it drives, and the examples with each of them.
pub(super) fn drivers_node() -> Result<PathBuf> {
    let folder = servers::drivers_node()?;
    let package = folder.join("node_modules/ampoule");
    copied("host/bind/node", &package)?;
    let library = built()?.join("libampoule_node.so");
    fs::copy(library, package.join(LIBRARY_OF_NODE))?;
    copied("examples/frameworks", &folder.join("examples"))?;
    Ok(folder)
}

/// Python's package in `site`, beside virtual environments with the frameworks that it drives.
pub(super) fn drivers_python() -> Result<PathBuf> {
    let folder = servers::drivers_python()?;
    let package = folder.join("site/pyampoule");
    copied("host/bind/python/python/pyampoule", &package)?;
    let library = built()?.join("lib_ampoule.so");
    fs::copy(library, package.join("_ampoule.abi3.so"))?;
    Ok(folder)
}

/// What Node's package looks for on this machine.
const LIBRARY_OF_NODE: &str = match cfg!(target_arch = "aarch64") {
    true => "ampoule.linux-arm64.node",
    false => "ampoule.linux-x64.node",
};

/// The folder where the libraries are, which are built with the programs.
fn built() -> Result<PathBuf> {
    let program = std::env::current_exe().context("can't tell where libraries are built")?;
    let folder = program.parent().context("programs are in a folder")?;
    Ok(folder.to_owned())
}

/// The wheel, and a virtual environment that has nothing but what is in it, and what it needs.
pub(super) fn wheel() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let wheel = crate::dist::wheel(&built()?, &folder)?;
    let venv = folder.join("venv");
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    succeed(pip.arg(wheel)).context("pip does not install the wheel")?;
    Ok(folder)
}

/// Copies a folder of the repository, but for libraries that were built there, in place of what was
/// copied before.
fn copied(from: &str, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in files_in(from)? {
        let is_library = |end: &OsStr| end == "so" || end == "node";
        if !file.extension().is_some_and(is_library) {
            let copy = to.join(file.strip_prefix(from)?);
            fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
            fs::copy(repository().join(&file), copy)?;
        }
    }
    Ok(())
}
