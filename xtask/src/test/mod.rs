//! `cargo xtask test`: sets up what the tests need, and runs them.
//!
//! - `servers`: real MCP servers, and what else is installed for tests
//! - `bindings`: Ampoule for other languages, built, and what it is tried with
//! - `cpython`: CPython's own tests
//! - `flaky`: tests that passed only at their second try
//! - `examples`: the guests in `guests/examples`, built

mod bindings;
mod cpython;
mod examples;
mod flaky;
mod servers;

pub(crate) use cpython::mirror;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};
use xtask::repository;

use crate::programs::{self, cargo, program, succeed};
use crate::say;

/// The tests that take long, by the modules of `tests/all` that they are in.
const DEEP: [&str; 23] = [
    "accounts::apis::",
    "accounts::killed::",
    "accounts::packages::",
    "apis::graphql::",
    "apis::real::",
    "attacks::words::",
    "bindings_c::statically",
    "bindings_node::",
    "bindings_python::",
    "chat::bench::",
    "components::languages::",
    "cpython::",
    "data::embedders::",
    "data::packages_of_the_operator",
    "drivers::",
    "examples::",
    "fuzz::",
    "generate::",
    "hostile::",
    "killed_commands::often::",
    "packages::embedders::",
    "rust_crate::",
    "tutorial::",
];

/// Runs the tests that do not take long: unit, integration and documentation tests.
pub(crate) fn run() -> Result<()> {
    let prepared = TestEnvironment::new()?;
    part("tests", || {
        let skip = DEEP.iter().flat_map(|module| ["--skip", module]);
        prepared.all(skip.collect())
    })?;
    part("examples in documentation", || {
        succeed(&mut prepared.command(&["test", "--locked", "--workspace", "--doc"]))
    })?;
    count_skipped(&prepared.skipped)?;
    say("the quick tests; `cargo xtask test --deep` runs the rest");
    Ok(())
}

/// Runs the rest: tests that take long, each bench once, and the JavaScript guest's own tests.
pub(crate) fn run_deep() -> Result<()> {
    let mut prepared = TestEnvironment::new()?;
    let cpython = there_or_skipped(
        "CPython's own tests",
        part("CPython's own tests, fetched", cpython::prepare),
    )?;
    let guests = part("example guests built", || {
        examples::build(
            prepared.folder("AMPOULE_TEST_NODE"),
            prepared.folder("AMPOULE_TEST_PYTHON"),
        )
    })?;
    let python = there_or_skipped(
        "Ampoule for Python",
        part("Ampoule for Python, built", bindings::python),
    )?;
    let wheel = there_or_skipped(
        "Ampoule's wheel",
        part("Ampoule's wheel, made and installed", bindings::wheel),
    )?;
    let node = there_or_skipped(
        "Ampoule for Node",
        part("Ampoule for Node, built", bindings::node),
    )?;
    let frameworks_node = there_or_skipped(
        "Node's frameworks for agents",
        part("Node's frameworks for agents", bindings::drivers_node),
    )?;
    let frameworks_python = there_or_skipped(
        "Python's frameworks for agents",
        part("Python's frameworks for agents", bindings::drivers_python),
    )?;
    let apis = there_or_skipped(
        "documents of APIs",
        part("documents of APIs", servers::apis),
    )?;
    let folders = [
        ("AMPOULE_TEST_APIS", apis),
        ("AMPOULE_TEST_CPYTHON", cpython),
        ("AMPOULE_TEST_BINDINGS_PYTHON", python),
        ("AMPOULE_TEST_BINDINGS_WHEEL", wheel),
        ("AMPOULE_TEST_BINDINGS_NODE", node),
        ("AMPOULE_TEST_DRIVERS_NODE", frameworks_node),
        ("AMPOULE_TEST_DRIVERS_PYTHON", frameworks_python),
    ];
    let there = folders.into_iter();
    let there = there.filter_map(|(variable, folder)| Some((variable, folder?)));
    prepared.folders.extend(there);
    prepared.folders.push(("AMPOULE_TEST_GUESTS", guests));
    part("the static library for C", || {
        let library = ["rustc", "--locked", "--package", "ampoule-c", "--lib"];
        let mut library = prepared.command(&library);
        succeed(library.args(["--crate-type", "staticlib"]))
    })?;
    part("tests that take long", || prepared.all(DEEP.to_vec()))?;
    part("benches, once each", || {
        let mut benches = prepared.command(&["test", "--locked", "--workspace"]);
        succeed(benches.args(["--bench", "*"]))
    })?;
    part("the JavaScript guest's own tests", || {
        let guest = ["--manifest-path", "guests/javascript/Cargo.toml"];
        // Values that nest deeply take more of the stack where nothing is optimised than a test's
        // thread has.
        let mut tests = prepared.command(&["test", "--locked"]);
        succeed(tests.args(guest).env("RUST_MIN_STACK", "67108864"))
    })?;
    count_skipped(&prepared.skipped)
}

/// Real MCP servers, by the variables that programs know their folders by.
pub(crate) fn servers() -> Result<[(&'static str, PathBuf); 2]> {
    Ok([
        ("AMPOULE_TEST_NODE", servers::node()?),
        ("AMPOULE_TEST_PYTHON", servers::python()?),
    ])
}

/// The folder of PyPI's packages alone.
pub(crate) fn python() -> Result<PathBuf> {
    servers::python()
}

/// Python's package as it is installed: in `site`, beside `venv` with all that its tests import.
pub(crate) fn bindings_python() -> Result<PathBuf> {
    bindings::python()
}

/// What tests need, and where it is.
struct TestEnvironment {
    /// Each test that can't run leaves a note there.
    skipped: PathBuf,
    /// Folders, by the variables that tests know them by.
    folders: Vec<(&'static str, PathBuf)>,
}

impl TestEnvironment {
    fn new() -> Result<Self> {
        let skipped = repository().join("target/skipped");
        if skipped.exists() {
            fs::remove_dir_all(&skipped)?;
        }
        fs::create_dir_all(&skipped)?;
        part("programs and tests built", programs::programs)?;
        let node = there_or_skipped("npm's packages", part("npm's packages", servers::node))?;
        let python = there_or_skipped("PyPI's packages", part("PyPI's packages", servers::python))?;
        let packages = there_or_skipped(
            "packages for scripts",
            part("packages for scripts", servers::packages),
        )?;
        // It compiles the guests once, where otherwise each of the first tests would.
        part("guests compiled", || {
            succeed(program("ampoule")?.arg("warm").stdout(Stdio::null()))
        })?;
        let model = there_or_skipped("the model", part("the model", crate::model::make))?;
        let model = model.as_deref().and_then(Path::parent);
        let model = model.map(|folder| ("AMPOULE_TEST_MODEL", folder.to_owned()));
        let node = node.map(|folder| ("AMPOULE_TEST_NODE", folder));
        let python = python.map(|folder| ("AMPOULE_TEST_PYTHON", folder));
        let packages = packages.map(|folder| ("AMPOULE_TEST_PACKAGES", folder));
        let npm_packages = there_or_skipped(
            "packages of npm for scripts",
            part("packages of npm for scripts", servers::npm_packages),
        )?;
        let npm_packages = npm_packages.map(|folder| ("AMPOULE_TEST_NPM_PACKAGES", folder));
        Ok(Self {
            skipped,
            folders: [node, python, packages, npm_packages, model]
                .into_iter()
                .flatten()
                .collect(),
        })
    }

    fn folder(&self, variable: &str) -> Option<&Path> {
        let mut folders = self.folders.iter();
        let (_, folder) = folders.find(|(name, _)| *name == variable)?;
        Some(folder)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = cargo(arguments.iter().copied());
        command
            .env("AMPOULE_SKIPPED", &self.skipped)
            .envs(self.folders.iter().cloned());
        command
    }

    /// Runs the workspace's tests, as far as these arguments of test programs say.
    fn all(&self, arguments: Vec<&str>) -> Result<()> {
        let nextest = Command::new("cargo-nextest")
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let mut tests = match nextest.is_ok_and(|status| status.success()) {
            true => {
                let mut tests = self.command(&["nextest", "run", "--locked", "--workspace"]);
                tests.args(["--no-fail-fast", "--test-threads", &at_once().to_string()]);
                tests
            }
            false => {
                let every = [
                    "--workspace",
                    "--lib",
                    "--bins",
                    "--tests",
                    "--no-fail-fast",
                ];
                let mut tests = self.command(&["test", "--locked"]);
                tests.args(every);
                tests
            }
        };
        flaky::forget()?;
        let ended = succeed(tests.arg("--").args(arguments));
        flaky::tell()?;
        ended
    }
}

/// How many tests run beside each other: half as many again as there are processors, since a test
/// that starts processes waits for a third of its time.
fn at_once() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    (processors * 3).div_ceil(2)
}

/// Does a part of the whole, and tells how long it took.
fn part<T>(what: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    let done = run().with_context(|| format!("in this part: {what}"))?;
    say(&format!("{what}: {} s", started.elapsed().as_secs()));
    Ok(done)
}

/// What was prepared. Where it could not be, the tests that need it are skipped; CI runs every
/// test.
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
