//! The cases of the Python guest, `guests/python/tests/cases`, each in an isolate. There they run
//! under a native Python, on a host made for them; here what they say is held against the real one.
//!
//! - `case`: what a case says, and how an outcome is held against it
//! - `servers`: the servers that cases call

mod case;
mod servers;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ampoule::{Grant, Runtime, Script};
use ampoule_tests::binding::Stub;
use ampoule_tests::{repository, runtime_builder};
use futures::StreamExt;
use futures::stream;

use case::Case;
use servers::{Recorder, servers};

/// How many cases of a file run at once; most of their time is waiting.
const AT_ONCE: usize = 16;

/// The files of cases, each with its test. A file that is not among them fails the tests.
macro_rules! files {
    ($($test:ident: $file:literal),+ $(,)?) => {
        const FILES: &[&str] = &[$($file),+];

        $(
            #[tokio::test]
            async fn $test() {
                holds($file).await;
            }
        )+
    };
}

files! {
    the_bridge_holds: "bridge",
    compression_holds: "compression",
    ends_hold: "ends",
    errors_hold: "errors",
    imports_hold: "imports",
    json_holds: "json",
    the_loop_holds: "loop",
    modes_hold: "modes",
    output_holds: "output",
    what_is_refused_holds: "refused",
    results_hold: "results",
    runners_hold: "runners",
    sources_hold: "sources",
    tampering_holds: "tampering",
    threads_hold: "threads",
    tools_hold: "tools",
    values_hold: "values",
}

fn folder() -> PathBuf {
    repository().join("guests/python/tests/cases")
}

/// The scripts that come to their end, with their files.
pub(crate) fn right_scripts() -> Vec<(String, Script)> {
    let of = |file: &&str| {
        let cases = case::read(&folder().join(file).with_extension("toml")).into_iter();
        let right = cases.filter(|case| case.native_only.is_none() && case.ends_well());
        let scripts = right.map(|case| (format!("{file}: {}", case.source), case.script()));
        scripts.collect::<Vec<_>>()
    };
    FILES.iter().flat_map(of).collect()
}

/// The servers that cases call.
pub(crate) fn bindings() -> Vec<Stub> {
    servers(&Recorder::default()).into_iter().collect()
}

/// A runtime without servers: each run gets its own.
fn runtime() -> &'static Runtime {
    static RUNTIME: LazyLock<Runtime> =
        LazyLock::new(|| runtime_builder().build().expect("a runtime"));
    &RUNTIME
}

/// Runs the cases of a file.
async fn holds(file: &str) {
    let cases = case::read(&folder().join(file).with_extension("toml"));
    assert!(!cases.is_empty(), "{file} has no cases");
    let runs = cases.iter().filter(|case| case.native_only.is_none());
    let wrong: Vec<Option<String>> = stream::iter(runs)
        .map(what_is_wrong)
        .buffered(AT_ONCE)
        .collect()
        .await;
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs a case; what comes out otherwise than it says, with its source.
async fn what_is_wrong(case: &Case) -> Option<String> {
    let recorder = Recorder::default();
    let isolate = runtime().isolate(case.script()).grant(Grant::all());
    let isolate = servers(&recorder)
        .into_iter()
        .fold(isolate, |isolate, server| isolate.binding(server));
    let outcome = isolate.run().await.expect("no host fault");
    let wrong = case.held_against(&outcome, &recorder.started());
    (!wrong.is_empty()).then(|| format!("{}\n  {}", case.source, wrong.join("\n  ")))
}

/// The names of the files in the folder, without their ends.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |path: PathBuf| path.file_stem().expect("a name").display().to_string();
    entries
        .map(|entry| name(entry.expect("an entry").path()))
        .collect()
}

#[test]
fn every_file_is_claimed() {
    let claimed = FILES.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(names(&folder()), claimed);
}

/// A case that runs natively alone says why, and there are few of them.
#[test]
fn few_cases_run_natively_alone() {
    let cases: Vec<Case> = FILES
        .iter()
        .flat_map(|file| case::read(&folder().join(file).with_extension("toml")))
        .collect();
    let reasons: Vec<&String> = cases
        .iter()
        .filter_map(|case| case.native_only.as_ref())
        .collect();
    assert!(reasons.iter().all(|reason| !reason.is_empty()));
    assert!(
        reasons.len() * 50 < cases.len(),
        "{} of {}: {reasons:#?}",
        reasons.len(),
        cases.len()
    );
}
