//! `cargo xtask test`: sets up what the tests need, and runs them all.
//!
//! - `servers`: real MCP servers, and what else is installed for tests
//! - `cpython`: CPython's own tests
//! - `examples`: the guests in `guests/examples`, built

mod cpython;
mod examples;
mod servers;

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::repository;

/// Runs every test: unit, integration and documentation tests, the guest's own, and each bench once.
pub(crate) fn run() -> Result<()> {
    let skipped = repository().join("target/skipped");
    if skipped.exists() {
        fs::remove_dir_all(&skipped)?;
    }
    fs::create_dir_all(&skipped)?;
    let node = there_or_skipped("npm's packages", servers::node())?;
    let python = there_or_skipped("PyPI's packages", servers::python())?;
    let cpython = there_or_skipped("CPython's own tests", cpython::prepare())?;
    let guests = examples::build(node.as_deref(), python.as_deref())?;
    let folders = [
        ("AMPOULE_TEST_NODE", node),
        ("AMPOULE_TEST_PYTHON", python),
        ("AMPOULE_TEST_CPYTHON", cpython),
        ("AMPOULE_TEST_GUESTS", Some(guests)),
    ];
    let folders: Vec<_> = folders
        .into_iter()
        .filter_map(|(variable, folder)| Some((variable, folder?)))
        .collect();
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(repository())
            .args(arguments)
            .env("AMPOULE_SKIPPED", &skipped)
            .envs(folders.iter().cloned());
        command
    };
    // The command line's tests run the binary.
    succeed(&mut cargo(&["build", "--locked", "--package", "ampoule"]))?;
    // It compiles the guest once, where otherwise each of the first tests would.
    succeed(&mut cargo(&[
        "run",
        "--quiet",
        "--locked",
        "--package",
        "ampoule",
        "--",
        "run",
        "--quiet",
        "-e",
        "0",
    ]))?;
    let nextest = Command::new("cargo-nextest")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if nextest.is_ok_and(|status| status.success()) {
        succeed(&mut cargo(&["nextest", "run", "--locked", "--workspace"]))?;
    } else {
        succeed(&mut cargo(&[
            "test",
            "--locked",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
        ]))?;
    }
    succeed(&mut cargo(&["test", "--locked", "--workspace", "--doc"]))?;
    succeed(&mut cargo(&[
        "test",
        "--locked",
        "--package",
        "ampoule-benches",
        "--benches",
    ]))?;
    let guest = [
        "test",
        "--locked",
        "--manifest-path",
        "guests/javascript/Cargo.toml",
    ];
    // Values that nest deeply take more of the stack where nothing is optimised than a test's thread has.
    succeed(cargo(&guest).env("RUST_MIN_STACK", "67108864"))?;
    count_skipped(&skipped)
}

/// What was prepared. Where it could not be, the tests that need it are skipped; CI runs every test.
fn there_or_skipped<T>(what: &str, prepared: Result<T>) -> Result<Option<T>> {
    match prepared {
        Ok(prepared) => Ok(Some(prepared)),
        Err(problem) if env::var_os("CI").is_some() => Err(problem.context("CI runs every test")),
        Err(problem) => {
            say(&format!(
                "tests that need {what} will be skipped: {problem:#}"
            ));
            Ok(None)
        }
    }
}

/// Each test that could not run left a note.
fn count_skipped(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for note in fs::read_dir(folder)? {
        let note = note?;
        names.push(format!(
            "{}: {}",
            note.file_name().to_string_lossy(),
            fs::read_to_string(note.path())?
        ));
    }
    names.sort();
    names
        .iter()
        .for_each(|name| say(&format!("skipped {name}")));
    say(&format!("{} tests skipped", names.len()));
    if env::var_os("CI").is_some() && !names.is_empty() {
        bail!("CI runs every test");
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{:?} can't be started", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a task tells how far it is")]
fn say(what: &str) {
    eprintln!("xtask: {what}");
}
