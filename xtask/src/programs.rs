//! The workspace's programs. All are built at once, and for the same features as the tests: then
//! nothing is compiled twice.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use xtask::repository;

use crate::say;

/// Builds the programs: `ampoule`, servers for the tests, what builds guests. Libraries too, since no
/// test has that for C as a dependency; and the tests: they turn on what Tokio has for tests, and
/// nothing is to be compiled for both ways.
pub(crate) fn programs() -> Result<()> {
    say("building the programs; from scratch, Wasmtime alone takes minutes");
    succeed(&mut cargo([
        "build",
        "--locked",
        "--workspace",
        "--lib",
        "--bins",
        "--tests",
    ]))
}

/// One of the programs.
pub(crate) fn program(name: &str) -> Result<Command> {
    let here = env::current_exe().context("can't tell where programs are built")?;
    Ok(Command::new(here.with_file_name(name)))
}

/// One of the programs, built for release, with the others beside it.
pub(crate) fn released(name: &str) -> Result<Command> {
    say("building the programs for release; from scratch, that takes many minutes");
    succeed(&mut cargo([
        "build",
        "--locked",
        "--release",
        "--workspace",
        "--bins",
    ]))?;
    let here = env::current_exe().context("can't tell where programs are built")?;
    let target = here.parent().and_then(Path::parent);
    let target = target.context("can't tell where programs are built")?;
    Ok(Command::new(target.join("release").join(name)))
}

/// Builds a crate in Rust as a component, once there are the [programs].
pub(crate) fn component(package: &Path, out: &Path) -> Result<()> {
    succeed(
        program("guest-builder")?
            .arg("component")
            .args([package, out]),
    )
}

/// Cargo, in the repository's folder, as if nobody but the user had started it: what it tells this
/// program of its package would have `ring`, and all that needs it, compiled anew.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let mut command = Command::new(cargo);
    for (name, _) in env::vars_os() {
        let is_of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|prefix| name.to_string_lossy().starts_with(prefix));
        if is_of_package {
            command.env_remove(name);
        }
    }
    command.current_dir(repository()).args(arguments);
    command
}

/// Runs a command to its end.
pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{:?} can't be started", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
