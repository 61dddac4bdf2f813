//! Programs as models write them, in real isolates: those in `tests/corpora/programs` print what
//! CPython and Node print. `differences.toml` names those that may print something else, each with
//! its reason and the document that says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{Limits, Script};
use ampoule_tests::{repository, runtime};
use futures::StreamExt;
use serde::Deserialize;

/// How the line begins that says how a program ended if that was not well.
const OTHERWISE: &str = "the program ended otherwise:";

/// How many programs run at the same time.
const AT_ONCE: usize = 4;

/// A program that may print something else than natively.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    reason: String,
    /// The document that says so, from the repository's root, and words that stand there.
    document: String,
    says: String,
}

fn folder() -> PathBuf {
    repository().join("tests/corpora/programs")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The programs of a language, in the order of their names.
fn programs(language: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join(language)).expect("a folder of programs");
    let paths = entries.map(|entry| entry.expect("a program").path());
    let is_program = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("py" | "js" | "ts"))
    };
    let mut programs: Vec<_> = paths.filter(is_program).collect();
    programs.sort();
    programs
}

/// The programs that differ, by language and file.
fn differences() -> BTreeMap<String, Difference> {
    toml::from_str(&read(&folder().join("differences.toml"))).expect("a table of programs")
}

/// A program's name in `differences.toml`, such as `python/dates-age.py`.
fn name(program: &Path) -> String {
    let relative = program
        .strip_prefix(folder())
        .expect("a path in the folder");
    relative.display().to_string()
}

/// What a program prints in an isolate, and how it ended if that was not well.
async fn printed(program: &Path) -> String {
    let source = read(program);
    let script = match program.extension().and_then(|extension| extension.to_str()) {
        Some("py") => Script::python(source),
        _ => Script::javascript(source),
    };
    // On a machine that does much else at the same time, a run takes longer.
    let limits = Limits {
        wall_time: Duration::from_mins(5),
        ..Limits::default()
    };
    let isolate = runtime().isolate(script).limits(limits);
    let outcome = isolate.expect("limits below the ceilings").run().await;
    let outcome = outcome.expect("no host fault");
    let mut output = outcome.output.to_string();
    if let Err(error) = outcome.value::<serde_json::Value>() {
        output += &format!("\n{OTHERWISE} {error}\n");
    }
    output
}

/// Where a program prints something else than expected, if anywhere.
async fn difference(program: PathBuf) -> (String, Option<String>) {
    let expected = read(&program.with_extension("expected"));
    let printed = printed(&program).await;
    let (wanted, got): (Vec<_>, Vec<_>) = (expected.lines().collect(), printed.lines().collect());
    let longest = wanted.len().max(got.len());
    let line = (0..longest).find(|line| wanted.get(*line) != got.get(*line));
    let difference = line.map(|line| {
        let (number, wanted, got) = (line + 1, wanted.get(line), got.get(line));
        let ending = printed.lines().find(|line| line.starts_with(OTHERWISE));
        let ending = ending.unwrap_or("it ended well");
        format!("line {number}:\n  expected {wanted:?}\n  got      {got:?}\n  {ending}")
    });
    (name(&program), difference)
}

/// Runs the programs of a language: those that are not in the table print what they print natively,
/// and the others do not.
async fn hold(language: &str, least: usize) {
    let programs = programs(language);
    assert!(programs.len() >= least, "{} programs", programs.len());
    let differences = differences();
    let complaint =
        |name: String, difference: Option<String>| match (difference, differences.get(&name)) {
            (Some(difference), None) => Some(format!("{name}, {difference}")),
            (None, Some(_)) => Some(format!(
                "{name} prints what it prints natively: take it out of differences.toml"
            )),
            _ => None,
        };
    let mut wrong: Vec<String> = futures::stream::iter(programs.into_iter().map(difference))
        .buffer_unordered(AT_ONCE)
        .filter_map(async |(name, difference)| complaint(name, difference))
        .collect()
        .await;
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_in_python_print_what_cpython_prints() {
    hold("python", 103).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_in_javascript_print_what_node_prints() {
    hold("javascript", 97).await;
}

#[test]
fn each_difference_is_of_a_program_and_stands_in_a_document() {
    for (name, difference) in differences() {
        assert!(folder().join(&name).is_file(), "there is no program {name}");
        let document = read(&repository().join(&difference.document));
        assert!(
            document.contains(&difference.says),
            "{} does not say {:?}, for {name}: {}",
            difference.document,
            difference.says,
            difference.reason
        );
    }
}
