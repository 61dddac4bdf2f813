//! What is installed for tests: real MCP servers, and the languages' own tools.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xtask::repository;

use crate::installs::{self, environment, npm_ci, tarballs, wheels};

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

/// Wheels of pure Python that scripts import, in a folder.
pub(super) fn packages() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/packages");
    let requirements = "requirements-packages.txt";
    prepare(&folder, &[requirements], |folder| {
        wheels(folder, "wheels", requirements)
    })?;
    Ok(folder.join("wheels"))
}

/// Tarballs of npm that scripts import, in a folder.
pub(super) fn npm_packages() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/npm-packages");
    let list = "npm-packages.txt";
    prepare(&folder, &[list], |folder| {
        tarballs(folder, "tarballs", list)
    })?;
    Ok(folder.join("tarballs"))
}

/// A virtual environment with what Python's package is tried with.
pub(super) fn bindings_python() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/bindings-python");
    let requirements = "requirements-bindings.txt";
    prepare(&folder, &[requirements], |folder| {
        environment(folder, "venv", requirements)
    })
}

/// npm's frameworks for agents that Node's drivers are tried with, in a folder that holds `node_modules`.
pub(super) fn drivers_node() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/drivers-node");
    let files = [
        "drivers-node/package.json",
        "drivers-node/package-lock.json",
    ];
    // Some of them name a newer Node than they need.
    prepare(&folder, &files, |folder| {
        npm_ci(folder, &["--ignore-scripts"])
    })
}

/// The virtual environments of frameworks for agents that Python's drivers are tried with: CrewAI needs older
/// packages than the others.
const FRAMEWORKS: [(&str, &str); 2] = [
    ("venv", "requirements-drivers.txt"),
    ("venv-crewai", "requirements-drivers-crewai.txt"),
];

/// Virtual environments with PyPI's frameworks for agents.
pub(super) fn drivers_python() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/drivers-python");
    let files = FRAMEWORKS.map(|(_, requirements)| requirements);
    prepare(&folder, &files, |folder| {
        for (name, requirements) in FRAMEWORKS {
            environment(folder, name, requirements)?;
        }
        Ok(())
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
