//! What tests of bindings for other languages need: the bindings, built, and packages of those languages that
//! they are tried with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::repository;

use super::servers;
use crate::building::{by_user, cargo, succeed};

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
