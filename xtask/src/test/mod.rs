//! `cargo xtask test`: sets up what the tests need, and runs them.
//!
//! - `servers`: real MCP servers, and what else is installed for tests
//! - `bindings`: Ampoule for other languages, built, and what it is tried with
//! - `cpython`: CPython's own tests
//! - `needs`: the folders that tests need, made at once
//! - `report`: what nextest reports of a run; `flaky`: tests that passed only at their second try;
//!   `longest`: where the time went
//! - `examples`: the guests in `guests/examples`, built

mod bindings;
mod cpython;
mod examples;
mod flaky;
mod longest;
mod needs;
mod report;
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
use needs::{Folders, meanwhile};

/// The tests that take long, by parts of their names: most by the modules that they are in.
const DEEP: &[&str] = &[
    "a_quick_run_leaves_a_report",
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
    "checked::components::",
    "checked::offered::resources",
    "clients::fastmcps",
    "clients::the_official_python_client_1",
    "clients::the_official_typescript_client_1",
    "components::languages::",
    "cpython::",
    "data::embedders::",
    "data::packages_of_the_operator",
    "drivers::",
    "examples::",
    "fuzz::archives::",
    "fuzz::calls::",
    "fuzz::source::",
    "generate::",
    "halves_are_found_by_words_and_meaning",
    "hostile::",
    "killed_commands::often::",
    "packages::cli::packages_are_tried",
    "packages::embedders::",
    "packages::npm::real::",
    "packages::real::",
    "random::often::",
    "rust_crate::",
    "the_tasks_in_the_documents",
    "tutorial::",
    "words::often::",
];

/// The quick tests that kill processes at many moments. They run beside the slow ones, too, and kill
/// more often.
const KILLING: [&str; 6] = [
    "killed::a_command_that_is_killed_adds",
    "killed::a_session",
    "killed::files_and_a_record",
    "killed::what_a_parked_run",
    "killed::whenever_a_process_is_killed_a_merge",
    "parked::killed::",
];

/// How often each of them kills then; the one of merges four times as often.
const KILLS: &str = "60";

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
    let (guests, folders) = meanwhile(&needs::DEEP, || {
        let guests = part("example guests built", || {
            examples::build(
                prepared.folder("AMPOULE_TEST_NODE"),
                prepared.folder("AMPOULE_TEST_PYTHON"),
            )
        })?;
        part("the static library for C", || {
            let library = ["rustc", "--locked", "--package", "ampoule-c", "--lib"];
            let mut library = prepared.command(&library);
            succeed(library.args(["--crate-type", "staticlib"]))
        })?;
        Ok(guests)
    })?;
    prepared.folders.extend(folders);
    prepared.folders.push(("AMPOULE_TEST_GUESTS", guests));
    prepared.kills = Some(KILLS);
    part("tests that take long", || {
        prepared.all([DEEP, &KILLING].concat())
    })?;
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
    folders: Folders,
    /// How often a test kills a process, where that is not the test's own number.
    kills: Option<&'static str>,
}

impl TestEnvironment {
    fn new() -> Result<Self> {
        let skipped = repository().join("target/skipped");
        if skipped.exists() {
            fs::remove_dir_all(&skipped)?;
        }
        fs::create_dir_all(&skipped)?;
        part("programs and tests built", programs::programs)?;
        // It compiles the guests once, where otherwise each of the first tests would.
        let ((), folders) = meanwhile(&needs::QUICK, || {
            part("guests compiled", || {
                succeed(program("ampoule")?.arg("warm").stdout(Stdio::null()))
            })
        })?;
        Ok(Self {
            skipped,
            folders,
            kills: None,
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
            .env("AMPOULE_TEST_WARM", "1")
            .envs(self.kills.map(|times| ("AMPOULE_TEST_KILLS", times)))
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
        report::forget()?;
        let ended = succeed(tests.arg("--").args(arguments));
        if let Some(report) = report::read()? {
            longest::tell(&report);
            flaky::tell(&report);
        }
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
