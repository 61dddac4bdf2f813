//! numpy's own tests, run inside isolates of the guest that has them. They lie in the sources that
//! the guest is built from; nothing of them is in this repository.
//!
//! - `suites.json` is the table: which suites there are, how many tests of each pass, and which do
//!   not, each with its reason. `docs/internals/data-tests.md` is made from it.
//! - `suite.py` runs a suite inside an isolate, by `running.py`; `pytest.py` stands for pytest, which
//!   needs files and processes.
//!
//! `AMPOULE_TEST_PYTHON_DATA` names the guest's file, and `AMPOULE_TEST_PYTHON_DATA_SOURCES` the
//! folder with the sources, `target/guests/python-data/sources`. After a change to the guest,
//! `cargo nextest run -p ampoule-tests --run-ignored only data::suites::record` writes the table and
//! its page anew, of all suites or of those that `AMPOULE_SUITES` names, separated by commas. The
//! table has no figures yet, and so there is no page.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use ampoule::{Runtime, Script};
use ampoule_tests::runtime_builder;

use super::real::guest;
use crate::cpython::differences;
use crate::cpython::run::{Came, run_with, with_files};
use crate::cpython::table::{Place, Suite, Table};

/// The table of these tests.
const PLACE: Place = Place {
    table: "tests/all/data/suites/suites.json",
    page: "docs/internals/data-tests.md",
    title: "Tests of numpy",
    whose: "Of the tests of",
    has: "that are chosen",
};

/// What suites of each library need besides their own files.
const SUPPORT: [(&str, &[&str]); 2] = [
    ("numpy", &["numpy/conftest.py"]),
    (
        "pandas",
        &[
            "pandas/conftest.py",
            "pandas/tests/__init__.py",
            "pandas/tests/extension/__init__.py",
            "pandas/tests/extension/decimal",
            "pandas/tests/extension/json",
            "pandas/tests/extension/date",
        ],
    ),
];

/// Runs a suite.
async fn run(runtime: &Runtime, suite: &Suite) -> Came {
    let sources = env::var_os("AMPOULE_TEST_PYTHON_DATA_SOURCES");
    let sources = PathBuf::from(sources.expect("AMPOULE_TEST_PYTHON_DATA_SOURCES names a folder"));
    let library = suite.modules[0].split('.').next().unwrap_or_default();
    let entries = sources.read_dir().expect("the folder of the sources");
    let mut folders = entries.map(|entry| entry.expect("an entry").path());
    let folder = folders.find(|folder| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&format!("{library}-"))
    });
    let folder = folder.expect("the library's sources");
    let (_, support) = SUPPORT
        .iter()
        .find(|(name, _)| *name == library)
        .expect("a library that has tests");
    let script = |left_out: &[&String]| {
        let script = Script::python(include_str!("suite.py"))
            .module("pytest.py", source(include_str!("pytest.py")))
            .module("running.py", source(include_str!("running.py")))
            .env("modules", suite.modules.clone())
            .env("left_out", serde_json::json!(left_out));
        let files = suite.files.iter().map(String::as_str);
        with_files(script, &folder, support.iter().copied().chain(files))
    };
    run_with(runtime, suite, &format!("{library}."), script).await
}

fn source(text: &str) -> ampoule::Module {
    ampoule::Module::Source(text.to_owned())
}

fn runtime() -> Runtime {
    let runtime = runtime_builder().python_data(guest());
    runtime.build().expect("a runtime")
}

#[test]
fn every_reason_is_told() {
    Table::tells_reasons(&PLACE);
}

#[tokio::test]
#[ignore = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA"]
async fn suites_come_out_as_the_table_says() {
    let runtime = runtime();
    let suites = Table::read(&PLACE).suites;
    assert!(
        suites.values().any(|suite| suite.passed > 0),
        "the table has no figures yet: run `record` first"
    );
    let mut problems = Vec::new();
    for (name, suite) in suites {
        let came = run(&runtime, &suite).await;
        let found = differences(&suite, &came).into_iter();
        problems.extend(found.map(|problem| format!("{name}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
#[ignore = "it writes the table and its page"]
async fn record() {
    let runtime = runtime();
    let chosen = env::var("AMPOULE_SUITES").ok();
    let Table { version, suites } = Table::read(&PLACE);
    let mut recorded = BTreeMap::new();
    for (name, suite) in suites {
        let is_chosen = chosen
            .as_ref()
            .is_none_or(|chosen| chosen.split(',').any(|one| one == name));
        let suite = match is_chosen {
            true => {
                let came = run(&runtime, &suite).await;
                suite.after(&came)
            }
            false => suite,
        };
        recorded.insert(name, suite);
    }
    let table = Table {
        version,
        suites: recorded,
    };
    table.write(&PLACE);
}
