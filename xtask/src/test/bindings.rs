//! What tests of bindings for other languages need: the bindings, built, and packages of those languages that
//! they are tried with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::repository;

use super::servers;
use crate::building::{by_user, succeed};

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

/// The folder where the libraries are, which are built with the programs.
fn built() -> Result<PathBuf> {
    let program = std::env::current_exe().context("can't tell where libraries are built")?;
    let folder = program.parent().context("programs are in a folder")?;
    Ok(folder.to_owned())
}

/// A virtual environment that has nothing but Python's package, from the wheel that maturin, which is
/// in this folder of Python's, builds of it; and what the wheel needs. It is built beside all
/// else, which has other features.
pub(super) fn wheel(python: &Path) -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/wheel");
    for made in ["wheels", "venv"].map(|made| folder.join(made)) {
        if made.exists() {
            fs::remove_dir_all(made)?;
        }
    }
    let (wheels, venv) = (folder.join("wheels"), folder.join("venv"));
    let mut maturin = by_user(python.join("venv/bin/maturin"));
    maturin.args([
        "build",
        "--locked",
        "--manifest-path",
        "host/python/Cargo.toml",
    ]);
    maturin.arg("--target-dir").arg(folder.join("built"));
    succeed(maturin.arg("--out").arg(&wheels)).context("maturin builds no wheel")?;
    let wheel = fs::read_dir(&wheels)?
        .next()
        .context("there is no wheel")??;
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let mut pip = Command::new(venv.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    succeed(pip.arg(wheel.path())).context("pip does not install the wheel")?;
    Ok(folder)
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
