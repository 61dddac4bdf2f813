//! What tasks install from npm and PyPI, in folders below `target`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use xtask::repository;

use crate::programs::succeed;

/// Makes a folder from files of the repository, unless it was made from the same ones before.
///
/// The files are in `source`, a folder of the repository, and are copied to the folder's top before
/// `make` installs what they name.
pub(crate) fn prepare(
    folder: &Path,
    source: &str,
    files: &[&str],
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let source = repository().join(source);
    let wanted: Vec<u8> = files
        .iter()
        .map(|file| fs::read(source.join(file)))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let stamp = folder.join("made-from");
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        for file in files {
            let name = Path::new(file).file_name().context("a file has a name")?;
            fs::copy(source.join(file), folder.join(name))?;
        }
        make(folder)?;
        fs::write(stamp, wanted)?;
    }
    Ok(())
}

/// Installs what a folder's `package-lock.json` names.
pub(crate) fn npm_ci(folder: &Path, options: &[&str]) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).args(options);
    succeed(npm.current_dir(folder)).context("npm installs no packages")
}

/// Downloads tarballs of npm into a folder within a folder: those that a file there names, and no
/// others.
pub(crate) fn tarballs(folder: &Path, name: &str, list: &str) -> Result<()> {
    fs::create_dir_all(folder.join(name))?;
    let packages = fs::read_to_string(folder.join(list))?;
    let mut npm = Command::new("npm");
    npm.args([
        "pack",
        "--ignore-scripts",
        "--loglevel=error",
        "--pack-destination",
        name,
    ])
    .args(packages.lines());
    succeed(npm.current_dir(folder)).context("npm downloads no packages")
}

/// Downloads wheels of pure Python into a folder within a folder: those that a file there names, and no
/// others.
pub(crate) fn wheels(folder: &Path, name: &str, requirements: &str) -> Result<()> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args([
            "--implementation",
            "py",
            "--abi",
            "none",
            "--platform",
            "any",
        ])
        .args([
            "--python-version",
            "3.14",
            "--dest",
            name,
            "-r",
            requirements,
        ]);
    succeed(pip.current_dir(folder)).context("pip downloads no packages")
}

/// Makes a virtual environment in a folder, with what a file there names.
pub(crate) fn environment(folder: &Path, name: &str, requirements: &str) -> Result<()> {
    let venv = folder.join(name);
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))
        .context("Python makes no virtual environment")?;
    let install = [
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
        requirements,
    ];
    let mut pip = Command::new(venv.join("bin/pip"));
    succeed(pip.args(install).current_dir(folder)).context("pip installs no packages")
}
