//! CPython's own tests, run inside isolates. They are Debian's package of them, which `cargo xtask test` downloads; nothing of them is in this repository.
//!
//! `cpython/suites.json` is the table: for each suite its modules and files, how many of its tests pass, which ones are left out since they would
//! end the run, and which ones fail, each with its reason. A test that fails and is not in the table fails here, and so does one that passes and is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::isolate::Limits;
use ampoule::script::{Module, Script};
use ampoule_tests::{prepared, runtime};
use serde::Deserialize;

/// What every suite needs.
const SUPPORT: [&str; 2] = ["test/__init__.py", "test/support"];

/// The table.
#[derive(Deserialize)]
struct Table {
    /// The version of the package that it was made from. Of another version, tests that are in neither list may fail.
    version: String,
    suites: BTreeMap<String, Suite>,
}

#[derive(Deserialize)]
struct Suite {
    /// What unittest is told to load.
    modules: Vec<String>,
    /// Files and folders that they need.
    files: Vec<String>,
    /// How many tests pass, at least.
    passed: u64,
    /// Why tests are left out, and which.
    left_out: BTreeMap<String, Vec<String>>,
    /// Why tests fail, and which.
    failed: BTreeMap<String, Vec<String>>,
}

/// What `cpython/suite.py` returns.
#[derive(Deserialize)]
struct Came {
    passed: u64,
    failed: BTreeMap<String, String>,
}

#[tokio::test]
async fn the_tests_of_cpython_come_out_as_the_table_says() {
    let test = "the_tests_of_cpython_come_out_as_the_table_says";
    let Some(package) = prepared(test, "AMPOULE_TEST_CPYTHON") else {
        return;
    };
    let table: Table = serde_json::from_str(include_str!("cpython/suites.json")).expect("a table");
    let version = fs::read_to_string(package.join("version")).expect("the package's version");
    let is_same = version.trim() == table.version;
    let mut problems = Vec::new();
    for (name, suite) in &table.suites {
        match run(&package, suite).await {
            Ok(came) => compare(name, suite, &came, is_same, &mut problems),
            Err(problem) => problems.push(format!("{name}: {problem}")),
        }
    }
    assert!(
        problems.is_empty(),
        "the package has version {}, the table {}\n{}",
        version.trim(),
        table.version,
        problems.join("\n")
    );
}

/// Notes where a suite came out otherwise than the table says.
fn compare(name: &str, suite: &Suite, came: &Came, is_same: bool, problems: &mut Vec<String>) {
    if came.passed < suite.passed {
        problems.push(format!(
            "{name}: {} tests pass, and {} did",
            came.passed, suite.passed
        ));
    }
    if !is_same {
        return;
    }
    let known: Vec<&String> = suite.failed.values().flatten().collect();
    for (test, said) in &came.failed {
        if !known.contains(&test) {
            problems.push(format!("{test} fails: {said}"));
        }
    }
    for test in known {
        if !came.failed.contains_key(test) {
            problems.push(format!(
                "{test} does not fail any more: take it out of the table"
            ));
        }
    }
}

/// Runs a suite in an isolate.
async fn run(package: &Path, suite: &Suite) -> Result<Came, String> {
    let left_out: Vec<&String> = suite.left_out.values().flatten().collect();
    let mut script = Script::python(include_str!("cpython/suite.py"))
        .env("modules", suite.modules.clone())
        .env("left_out", serde_json::json!(left_out))
        .module(
            "pdb.py",
            Module::Source(include_str!("cpython/pdb.py").into()),
        );
    for name in SUPPORT
        .into_iter()
        .chain(suite.files.iter().map(String::as_str))
    {
        let mut files = Vec::new();
        collect(&package.join(name), &mut files);
        assert!(!files.is_empty(), "the package has no {name}");
        for file in files {
            let name = file.strip_prefix(package).expect("it is in the package");
            script = script.module(name.to_string_lossy(), content(&file));
        }
    }
    let limits = Limits {
        fuel: 1_000_000_000_000,
        wall_time: Duration::from_secs(600),
        memory_bytes: 512 << 20,
        ..*runtime().limits()
    };
    let isolate = runtime().isolate(script).limits(limits);
    let isolate = isolate.expect("limits below the ceilings");
    let outcome = isolate.run().await.expect("no host fault");
    outcome.value().map_err(|error| {
        let output = outcome.output.to_string();
        let last = output.lines().rev().find(|line| line.starts_with("test"));
        format!("{error}; it was at {}", last.unwrap_or("its begin"))
    })
}

/// A file as a module: what Python imports is source, all else is bytes.
fn content(file: &Path) -> Module {
    let bytes = fs::read(file).expect("a file");
    if file.extension().is_none_or(|extension| extension != "py") {
        return Module::Bytes(bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Module::Source(text),
        Err(other) => Module::Bytes(other.into_bytes()),
    }
}

/// A file, or all those in a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("a folder") {
            collect(&entry.expect("an entry").path(), files);
        }
    } else if path.is_file() {
        files.push(path.to_owned());
    }
}
