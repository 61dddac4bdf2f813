//! CPython's own tests, run inside isolates. They are Debian's package of them, which `cargo xtask
//! test` downloads; nothing of them is in this repository.
//!
//! - `suites.json` is the table: which suites there are, how many tests of each pass, and which do
//!   not, each with its reason.
//! - `table` reads it, and writes `docs/internals/cpython-tests.md` from it.
//! - `run` runs a suite, by `suite.py`, inside an isolate.
//!
//! A test that fails and is not in the table fails here, and so does one that passes and is.
//!
//! After a change to the guest, `cargo nextest run -p ampoule-tests --run-ignored only
//! cpython::record` writes the table and its page anew, with
//! `AMPOULE_TEST_CPYTHON` as `cargo xtask test` sets it, `target/test-servers/cpython`. Reasons
//! that were told are kept. What fails for the first time has none, and `every_reason_is_told`
//! fails until somebody has looked into it. For a newer package, its version goes into the table
//! first.

pub(crate) mod run;
pub(crate) mod table;

use std::collections::BTreeMap;

use ampoule_tests::prepared;
use futures::{StreamExt, TryStreamExt};

use run::{Came, Package};
use table::{Place, Suite, Table};

/// The table of CPython's tests.
const PLACE: Place = Place {
    table: "tests/all/cpython/suites.json",
    page: "docs/internals/cpython-tests.md",
    title: "CPython's own tests",
    whose: "Of CPython's own tests, as Debian's package",
    has: "has them",
};

/// How many suites run at once when the table is recorded.
const AT_ONCE: usize = 2;

macro_rules! suites {
    ($($suite:ident),* $(,)?) => {
        /// The suites that have a test.
        const TESTED: &[&str] = &[$(stringify!($suite)),*];

        $(
            #[tokio::test]
            async fn $suite() {
                comes_out_as_the_table_says(stringify!($suite)).await;
            }
        )*
    };
}

suites![
    asyncio_locks,
    asyncio_pep492,
    asyncio_queues,
    asyncio_staggered,
    asyncio_taskgroups,
    asyncio_tasks,
    asyncio_timeouts,
    asyncio_waitfor,
    base64,
    bz2,
    collections,
    csv,
    dataclasses,
    datetime,
    decimal,
    fractions,
    hashlib,
    itertools,
    json,
    lzma,
    random,
    re,
    statistics,
    string,
    textwrap,
    uuid,
    zstd,
];

#[test]
fn every_suite_of_the_table_has_a_test() {
    let table = Table::read(&PLACE);
    let suites: Vec<&str> = table.suites.keys().map(String::as_str).collect();
    assert_eq!(suites, TESTED);
}

#[test]
fn every_reason_is_told() {
    Table::tells_reasons(&PLACE);
}

#[test]
fn the_page_tells_of_every_reason() {
    Table::has_its_page(&PLACE);
}

/// Runs a suite, and compares what came of it with the table.
async fn comes_out_as_the_table_says(name: &str) {
    let Some(folder) = prepared(&format!("cpython::{name}"), "AMPOULE_TEST_CPYTHON") else {
        return;
    };
    let package = Package::open(folder);
    let table = Table::read(&PLACE);
    let suite = &table.suites[name];
    let came = run::run(&package, suite).await;
    let problems = if package.version == table.version {
        differences(suite, &came)
    } else {
        shortfall(suite, &came)
    };
    assert!(
        problems.is_empty(),
        "the package has version {}, the table {}\n{}",
        package.version,
        table.version,
        problems.join("\n")
    );
}

/// Where a suite came out otherwise than the table says.
pub(crate) fn differences(suite: &Suite, came: &Came) -> Vec<String> {
    let mut problems = Vec::new();
    if came.passed != suite.passed {
        problems.push(format!(
            "{} tests pass, where the table has {}",
            came.passed, suite.passed
        ));
    }
    for (test, how) in &came.ended {
        problems.push(format!("{test} ends the run: {how}"));
    }
    let known: Vec<&String> = suite.failed.values().flatten().collect();
    for (test, said) in &came.failed {
        if !known.contains(&test) {
            problems.push(format!("{test} fails: {said}"));
        }
    }
    for test in known {
        if !came.failed.contains_key(test) {
            problems.push(format!("{test} does not fail any more"));
        }
    }
    problems
}

/// Of another version than the table's, some tests are new and some are gone; but most pass, as
/// before.
fn shortfall(suite: &Suite, came: &Came) -> Vec<String> {
    if came.passed * 20 >= suite.passed * 19 {
        return Vec::new();
    }
    let mut problems = vec![format!(
        "{} tests pass, and of the table's version {} did",
        came.passed, suite.passed
    )];
    problems.extend(
        came.failed
            .iter()
            .chain(&came.ended)
            .map(|(test, said)| format!("{test}: {said}")),
    );
    problems
}

#[ignore = "it writes the table and its page"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn record() {
    let folder = std::env::var_os("AMPOULE_TEST_CPYTHON").expect("a folder with CPython's tests");
    let package = Package::open(folder.into());
    let Table { suites, .. } = Table::read(&PLACE);
    let suites: BTreeMap<String, Suite> = futures::stream::iter(suites)
        .map(|(name, suite)| {
            let package = package.clone();
            tokio::spawn(async move {
                let came = run::run(&package, &suite).await;
                (name, suite.after(&came))
            })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
        .expect("no panic");
    let table = Table {
        version: package.version,
        suites,
    };
    table.write(&PLACE);
}
