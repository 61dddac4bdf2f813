//! What the prelude adds, in real isolates: the cases in `tests/corpora/web` print what they print
//! in Node.

use std::path::{Path, PathBuf};

use ampoule::Script;
use ampoule_tests::{repository, runtime};

fn folder() -> PathBuf {
    repository().join("tests/corpora/web")
}

/// Scripts of a folder, in the order of their names.
fn scripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of cases");
    let paths = entries.map(|entry| entry.expect("a case").path());
    let mut scripts: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "js"))
        .collect();
    scripts.sort();
    scripts
}

/// What a script prints, and how it ended if that was not by returning.
async fn printed(path: &Path) -> String {
    let source = std::fs::read_to_string(path).expect("the case");
    let outcome = runtime()
        .isolate(Script::javascript(source))
        .run()
        .await
        .expect("no host fault");
    let mut output = outcome.output.to_string();
    if let Err(error) = outcome.value::<serde_json::Value>() {
        output += &format!("the script ended otherwise: {error}\n");
    }
    output
}

/// Without lines of stacks, which name each engine's own functions.
fn without_stacks(output: &str) -> Vec<&str> {
    let is_frame = |line: &&str| {
        let text = line.trim_start_matches([' ', '[']);
        text.starts_with("at ") || text.ends_with("lines matching cause stack trace ...")
    };
    output.lines().filter(|line| !is_frame(line)).collect()
}

#[tokio::test]
async fn isolates_print_what_node_prints() {
    let cases = scripts(&folder());
    assert!(cases.len() > 10, "{} cases", cases.len());
    let mut differences = Vec::new();
    for case in cases {
        let expected =
            std::fs::read_to_string(case.with_extension("expected")).expect("what is expected");
        let printed = printed(&case).await;
        let (wanted, got): (Vec<&str>, Vec<&str>) =
            (expected.lines().collect(), without_stacks(&printed));
        let longest = wanted.len().max(got.len());
        if let Some(line) = (0..longest).find(|line| wanted.get(*line) != got.get(*line)) {
            differences.push(format!(
                "{}, line {}:\n  expected {:?}\n  got      {:?}",
                case.display(),
                line + 1,
                wanted.get(line),
                got.get(line)
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[tokio::test]
async fn hostile_values_neither_break_the_console_nor_the_run() {
    let cases = scripts(&folder().join("hostile"));
    assert!(!cases.is_empty());
    for case in cases {
        let printed = printed(&case).await;
        assert!(printed.len() < 1 << 20, "{} bytes", printed.len());
        assert!(
            printed.lines().any(|line| line == "survived"),
            "{}: {printed}",
            case.display()
        );
    }
}
