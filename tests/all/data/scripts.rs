//! Scripts as models write them, `guests/python-data/tests/cases`, in the guest with numpy and
//! pandas: they print what native CPython prints with the same versions.
//!
//! Where the guest prints something else for a reason that `docs/internals/data.md` tells, a file
//! `NAME.guest.txt` has what it prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{Ending, Level, Limits, Runtime, Script};
use ampoule_tests::{repository, runtime_builder};

use super::real::guest;

/// How many scripts there are at least.
const LEAST: usize = 100;

/// The files of the scripts, in order.
fn scripts() -> Vec<PathBuf> {
    let folder = repository().join("guests/python-data/tests/cases");
    let entries = fs::read_dir(folder).expect("the folder of the scripts");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut scripts: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    scripts.sort();
    scripts
}

/// What a script is to print, and whether that is not what native CPython prints.
fn expected(script: &Path) -> (String, bool) {
    if let Ok(own) = fs::read_to_string(script.with_extension("guest.txt")) {
        return (own, true);
    }
    let native = fs::read_to_string(script.with_extension("txt"));
    (native.expect("what native CPython prints"), false)
}

/// What a script writes to its standard output, and how it ended if not well.
async fn printed(runtime: &Runtime, script: &Path) -> Result<String, String> {
    let source = fs::read_to_string(script).expect("a script");
    let limits = Limits {
        fuel: 100_000_000_000,
        wall_time: Duration::from_secs(120),
        memory_bytes: 512 << 20,
        ..*runtime.limits()
    };
    let isolate = runtime.isolate(Script::python(source)).limits(limits);
    let isolate = isolate.expect("limits below the ceilings");
    let outcome = isolate.run().await.expect("no host fault");
    let lines = outcome.output.lines().iter();
    let lines = lines.filter(|line| line.level == Level::Log);
    let text: String = lines.map(|line| line.text.clone() + "\n").collect();
    match outcome.ending {
        Ending::Returned(_) => Ok(text),
        other => Err(format!("{other}\n{text}")),
    }
}

/// The first line in which two texts differ.
fn difference(wanted: &str, printed: &str) -> Option<String> {
    let mut wanted = wanted.trim_end().lines();
    let mut printed = printed.trim_end().lines();
    for number in 1.. {
        match (wanted.next(), printed.next()) {
            (None, None) => return None,
            (one, other) if one != other => {
                let none = "nothing";
                return Some(format!(
                    "line {number}\n  wanted:  {}\n  printed: {}",
                    one.unwrap_or(none),
                    other.unwrap_or(none)
                ));
            }
            _ => {}
        }
    }
    None
}

#[test]
fn every_script_has_an_answer_and_there_are_enough() {
    let scripts = scripts();
    assert!(scripts.len() >= LEAST, "{}", scripts.len());
    for script in scripts {
        let (own, is_own) = expected(&script);
        assert!(!own.trim().is_empty(), "{}", script.display());
        if is_own {
            let native = fs::read_to_string(script.with_extension("txt"));
            assert_ne!(native.expect("native"), own, "{}", script.display());
        }
    }
}

#[test]
fn a_difference_is_found_where_it_is() {
    assert_eq!(difference("a\nb\n", "a\nb"), None);
    let found = difference("a\nb\n", "a\nc\n").expect("a difference");
    assert!(
        found.starts_with("line 2") && found.contains('c'),
        "{found}"
    );
    assert!(difference("a\n", "a\nb\n").is_some());
}

#[tokio::test]
#[ignore = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA"]
async fn scripts_print_what_native_python_prints() {
    let runtime = runtime_builder().python_data(guest());
    let runtime = runtime.build().expect("a runtime");
    let mut problems = Vec::new();
    for script in scripts() {
        let name = script.file_stem().unwrap_or_default().to_string_lossy();
        let problem = match printed(&runtime, &script).await {
            Ok(printed) => difference(&expected(&script).0, &printed),
            Err(ending) => Some(ending),
        };
        problems.extend(problem.map(|problem| format!("{name}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
