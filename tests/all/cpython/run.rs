//! Running a suite of CPython's inside an isolate, or one of a library's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{Limits, Module, Runtime, Script};
use ampoule_tests::runtime;
use serde::Deserialize;

use super::table::Suite;

/// What every suite needs.
const SUPPORT: [&str; 2] = ["test/__init__.py", "test/support"];

/// How many tests of a suite may end the run, before it is given up.
const MOST_ENDINGS: usize = 20;

/// The package with CPython's tests, unpacked.
#[derive(Clone)]
pub(super) struct Package {
    folder: PathBuf,
    pub(super) version: String,
}

impl Package {
    pub(super) fn open(folder: PathBuf) -> Self {
        let version = fs::read_to_string(folder.join("version")).expect("the package's version");
        let version = version.trim().to_owned();
        Self { folder, version }
    }
}

/// What came of a suite.
#[derive(Deserialize)]
pub(crate) struct Came {
    /// How many tests passed.
    pub(crate) passed: u64,
    /// Which ones failed, and what they said.
    pub(crate) failed: BTreeMap<String, String>,
    /// Which ones ended the run, and how.
    #[serde(skip)]
    pub(crate) ended: BTreeMap<String, String>,
}

/// Runs a suite of CPython's.
pub(super) async fn run(package: &Package, suite: &Suite) -> Came {
    let script = |left_out: &[&String]| script(package, suite, left_out);
    run_with(runtime(), suite, "test.", script).await
}

/// Runs a suite; where a test ends the run, once more without that. The script that runs the tests is
/// made from the names of those that are left out, and writes each test's name, which begins so.
pub(crate) async fn run_with(
    runtime: &Runtime,
    suite: &Suite,
    beginning: &str,
    script: impl Fn(&[&String]) -> Script,
) -> Came {
    let mut ended = BTreeMap::new();
    loop {
        let mut left_out: Vec<&String> = suite.left_out.values().flatten().collect();
        left_out.extend(ended.keys());
        match attempt(runtime, beginning, script(&left_out)).await {
            Ok(came) => return Came { ended, ..came },
            Err((test, how)) => {
                assert!(ended.len() < MOST_ENDINGS, "too many: {ended:#?}");
                let again = ended.insert(test, how);
                assert!(again.is_none(), "a test that was left out ran: {again:?}");
            }
        }
    }
}

fn script(package: &Package, suite: &Suite, left_out: &[&String]) -> Script {
    let script = Script::python(include_str!("suite.py"))
        .env("modules", suite.modules.clone())
        .env("left_out", serde_json::json!(left_out));
    let files = suite.files.iter().map(String::as_str);
    with_files(script, &package.folder, SUPPORT.into_iter().chain(files))
}

/// A script with files and folders that are in a folder.
pub(crate) fn with_files<'a>(
    mut script: Script,
    root: &Path,
    names: impl Iterator<Item = &'a str>,
) -> Script {
    for name in names {
        let mut files = Vec::new();
        collect(&root.join(name), &mut files);
        assert!(!files.is_empty(), "{} has no {name}", root.display());
        for file in files {
            let name = file.strip_prefix(root);
            let name = name.expect("it is in the folder").to_string_lossy();
            script = script.module(name, content(&file));
        }
    }
    script
}

/// Runs a script that runs tests. Where the run ends before its end, gives the test that it was at,
/// and how it ended.
async fn attempt(
    runtime: &Runtime,
    beginning: &str,
    script: Script,
) -> Result<Came, (String, String)> {
    let limits = Limits {
        fuel: 1_000_000_000_000,
        wall_time: Duration::from_secs(600),
        memory_bytes: 512 << 20,
        ..*runtime.limits()
    };
    let isolate = runtime.isolate(script).limits(limits);
    let isolate = isolate.expect("limits below the ceilings");
    let outcome = isolate.run().await.expect("no host fault");
    outcome.value().map_err(|error| {
        let output = outcome.output.to_string();
        let last = output
            .lines()
            .rev()
            .find(|line| line.starts_with(beginning));
        let Some(test) = last else {
            panic!("no test ran: {error}\n{output}");
        };
        (test.to_owned(), error.to_string())
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
