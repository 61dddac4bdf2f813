//! What is installed for tests: real MCP servers, and the languages' own tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::programs::succeed;
use xtask::repository;

/// npm's servers and tools, in a folder that holds `node_modules`.
pub(super) fn node() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/node");
    let files = ["package.json", "package-lock.json"];
    prepare(&folder, &files, |folder| npm_ci(folder, &[]))
}

/// npm's packages that Node's package is tried with, in a folder that holds `node_modules`.
pub(super) fn bindings_node() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/bindings-node");
    let files = [
        "bindings-node/package.json",
        "bindings-node/package-lock.json",
    ];
    // Of what the bench alone needs, the types are enough.
    prepare(&folder, &files, |folder| {
        npm_ci(folder, &["--ignore-scripts"])
    })
}

fn npm_ci(folder: &Path, options: &[&str]) -> Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).args(options);
    succeed(npm.current_dir(folder)).context("npm installs no packages")
}

/// The virtual environments of PyPI's packages, each with the file that says what is in it. What
/// needs the official client 1.x, and what needs 2.x, can't share one.
const ENVIRONMENTS: [(&str, &str); 2] = [
    ("venv", "requirements.txt"),
    ("venv-1", "requirements-1.txt"),
];

/// Virtual environments with PyPI's servers, clients and tools.
pub(super) fn python() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/python");
    let files = ENVIRONMENTS.map(|(_, requirements)| requirements);
    prepare(&folder, &files, |folder| {
        for (name, requirements) in ENVIRONMENTS {
            environment(folder, name, requirements)?;
        }
        Ok(())
    })
}

/// A virtual environment with what Python's package is tried with.
pub(super) fn bindings_python() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/bindings-python");
    let requirements = "requirements-bindings.txt";
    prepare(&folder, &[requirements], |folder| {
        environment(folder, "venv", requirements)
    })
}

fn environment(folder: &Path, name: &str, requirements: &str) -> Result<()> {
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
    succeed(pip.args(install).current_dir(folder)).context("pip installs no servers")
}

/// Makes a folder from files in `tests/servers`, unless it was made from the same ones before.
fn prepare(
    folder: &Path,
    files: &[&str],
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let source = repository().join("tests/servers");
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
    Ok(folder.to_owned())
}
