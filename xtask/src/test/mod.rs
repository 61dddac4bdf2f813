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
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use xtask::repository;

use crate::building::{self, cargo, program, succeed};
use crate::say;

/// Runs every test: unit, integration and documentation tests, the guest's own, and each bench once.
pub(crate) fn run() -> Result<()> {
    let skipped = repository().join("target/skipped");
    if skipped.exists() {
        fs::remove_dir_all(&skipped)?;
    }
    fs::create_dir_all(&skipped)?;
    part("programs built", building::programs)?;
    let node = there_or_skipped("npm's packages", part("npm's packages", servers::node))?;
    let python = there_or_skipped("PyPI's packages", part("PyPI's packages", servers::python))?;
    let cpython = there_or_skipped(
        "CPython's own tests",
        part("CPython's own tests, fetched", cpython::prepare),
    )?;
    let guests = part("example guests built", || {
        examples::build(node.as_deref(), python.as_deref())
    })?;
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
    let tests = |arguments: &[&str]| {
        let mut command = cargo(arguments.iter().copied());
        command
            .env("AMPOULE_SKIPPED", &skipped)
            .envs(folders.iter().cloned());
        command
    };
    // It compiles the guests once, where otherwise each of the first tests would.
    part("guests compiled", || {
        succeed(program("ampoule")?.arg("warm").stdout(Stdio::null()))
    })?;
    part("tests", || {
        let nextest = Command::new("cargo-nextest")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if nextest.is_ok_and(|status| status.success()) {
            return succeed(&mut tests(&[
                "nextest",
                "run",
                "--locked",
                "--workspace",
                "--no-fail-fast",
            ]));
        }
        let every = ["--workspace", "--lib", "--bins", "--tests"];
        succeed(tests(&["test", "--locked"]).args(every))
    })?;
    part("examples in documentation", || {
        succeed(&mut tests(&["test", "--locked", "--workspace", "--doc"]))
    })?;
    part("benches, once each", || {
        succeed(tests(&["test", "--locked", "--workspace"]).args(["--bench", "*"]))
    })?;
    part("the JavaScript guest's own tests", || {
        let guest = ["--manifest-path", "guests/javascript/Cargo.toml"];
        // Values that nest deeply take more of the stack where nothing is optimised than a test's thread has.
        succeed(
            tests(&["test", "--locked"])
                .args(guest)
                .env("RUST_MIN_STACK", "67108864"),
        )
    })?;
    count_skipped(&skipped)
}

/// Does a part of the whole, and tells how long it took.
fn part<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    let done = run().with_context(|| format!("in this part: {what}"))?;
    say(&format!("{what}: {} s", started.elapsed().as_secs()));
    Ok(done)
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
