//! What is installed for tests: real MCP servers, and the languages' own tools.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xtask::repository;

use crate::installs::{self, environment, npm_ci};

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

/// npm's packages with OpenAPI documents of well-known APIs, in a folder that holds `node_modules`.
pub(super) fn apis() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/apis");
    let files = ["apis/package.json", "apis/package-lock.json"];
    // Only their files are read.
    prepare(&folder, &files, |folder| {
        npm_ci(folder, &["--ignore-scripts"])
    })
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

/// Makes a folder from files in `tests/servers`, unless it was made from the same ones before.
fn prepare(
    folder: &Path,
    files: &[&str],
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    installs::prepare(folder, "tests/servers", files, make)?;
    Ok(folder.to_owned())
}
