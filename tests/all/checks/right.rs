//! The right scripts of the repository: those of documents, examples and tests that come to their
//! end. The check refuses none of them.

use std::path::{Path, PathBuf};

use ampoule::{Check, Ending, Grant, Language, Runtime, Script, SessionLimits};
use ampoule_tests::binding::tool;
use ampoule_tests::{odd_names, repository, runtime_builder, test_tools};
use serde_json::{Value, json};

use super::{Servers, tools_of};
use crate::{bindings_programs, documents, mistakes, python_cases, seeds, sessions::survives};

/// How many there are at least.
const LEAST: usize = 600;

/// A script that comes to its end, and where it is from.
struct RightScript {
    place: String,
    script: Script,
}

/// The servers that a corpus calls.
#[derive(Clone, Copy)]
enum Catalog {
    /// The demo server, and real ones.
    Demo,
    /// What tests call.
    Tests,
    /// What the seeds call.
    Seeds,
    /// What the cases of the Python guest call.
    PythonCases,
}

fn right(place: impl Into<String>, language: Language, code: &str) -> RightScript {
    RightScript {
        place: place.into(),
        script: Script::new(language, code),
    }
}

/// The scripts of a folder whose names end so that a language is known.
fn files_of(folder: &str, is_right: impl Fn(&Path) -> bool) -> Vec<RightScript> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(repository().join(folder))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let scripts = paths.into_iter().filter_map(|path| {
        let language = Language::of_file(&path).filter(|_| is_right(&path))?;
        let code = std::fs::read_to_string(&path).expect("text");
        Some(right(path.display().to_string(), language, &code))
    });
    scripts.collect()
}

/// Whether the document beside a script says that it returns.
fn returns(path: &Path, key: &str) -> bool {
    let expected = std::fs::read_to_string(path.with_extension("json")).expect("a document");
    let expected: Value = serde_json::from_str(&expected).expect("JSON");
    expected[key] == "returned"
}

/// Whether what a model reads of a script has no error in it.
fn has_no_error(text: &str) -> bool {
    let is_error = |line: &str| {
        let name = line.split([':', ' ']).next().unwrap_or_default();
        let is_named_so = name.ends_with("Error") || name.starts_with("Unknown");
        line.contains(": ") && is_named_so
    };
    !text.lines().any(is_error)
}

/// All of them, by the servers that they call.
fn corpora() -> Vec<(Catalog, Vec<RightScript>)> {
    let mut demo = Vec::new();
    for (end, language) in [("ts", Language::TypeScript), ("py", Language::Python)] {
        let blocks = documents::blocks(end).into_iter();
        demo.extend(blocks.map(|block| right(block.place(), language, &block.text)));
    }
    for (file, language) in [
        ("typescript.md", Language::TypeScript),
        ("python.md", Language::Python),
    ] {
        let scripts = mistakes::scripts(file).into_iter();
        let no_mistakes = scripts.filter(|script| has_no_error(&script.text));
        demo.extend(
            no_mistakes
                .map(|script| right(format!("{file}: {}", script.name), language, &script.script)),
        );
    }
    demo.extend(files_of("examples", |_| true));
    demo.extend(files_of("examples/cookbook", |path| {
        // Which the recipe fixes.
        !path.ends_with("overdue.ts")
    }));
    demo.extend(files_of("tests/economy/src/tasks", |_| true));
    let mut tests = Vec::new();
    for suite in ["concurrency", "discovery", "errors", "limits", "tools"] {
        let folder = format!("tests/conformance/{suite}");
        tests.extend(files_of(&folder, |path| returns(path, "ends")));
    }
    tests.extend(files_of("tests/bindings/programs", |path| {
        returns(path, "ending")
    }));
    let python = python_cases::right_scripts().into_iter();
    let python = python.map(|(place, script)| RightScript { place, script });
    vec![
        (Catalog::Demo, demo),
        (Catalog::Tests, tests),
        (Catalog::Seeds, files_of("tests/seeds", |_| true)),
        (Catalog::PythonCases, python.collect()),
    ]
}

/// Checks a script; what the check says, where it refuses it.
async fn refusal(
    runtime: &Runtime,
    catalog: Catalog,
    servers: &Servers,
    script: RightScript,
) -> Option<String> {
    let isolate = runtime.isolate(script.script.check(Check::Alone));
    let isolate = isolate.grant(Grant::all());
    let isolate = match catalog {
        Catalog::Demo => servers
            .stubs()
            .fold(isolate, |isolate, server| isolate.binding(server)),
        Catalog::Tests => isolate
            .binding(test_tools())
            .binding(odd_names())
            .binding(bindings_programs::host()),
        Catalog::Seeds => seeds::servers(&seeds::Changes::default())
            .into_iter()
            .fold(isolate, |isolate, server| isolate.binding(server)),
        Catalog::PythonCases => python_cases::bindings()
            .into_iter()
            .fold(isolate, |isolate, server| isolate.binding(server)),
    };
    let outcome = isolate.run().await.expect("no host fault");
    let calls = outcome.usage.calls.len();
    match outcome.ending {
        Ending::Returned(None) if calls == 0 => None,
        ended => Some(format!("{}: {calls} calls, {ended}", script.place)),
    }
}

/// Checks the programs of sessions, each in its session before it runs there. Counts them, and adds
/// what the check says where it refuses one.
async fn sessions(refused: &mut Vec<String>) -> usize {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = runtime_builder().binding(test_tools());
    let sessions = folder.path().join("sessions");
    let builder = builder.sessions(sessions, SessionLimits::default());
    let runtime = builder.build().expect("a runtime");
    let mut count = 0;
    for (number, (place, programs)) in survives::programs().into_iter().enumerate() {
        for script in programs {
            count += 1;
            for check in [Check::Alone, Check::First] {
                let isolate = runtime.isolate(script.clone().check(check));
                let isolate = isolate.grant(Grant::all());
                let run = isolate.session(format!("case-{number}")).run();
                let outcome = run.await.expect("no host fault");
                if !matches!(outcome.ending, Ending::Returned(_)) {
                    refused.push(format!("{place}: {check:?}: {}", outcome.ending));
                }
            }
        }
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn no_right_script_is_refused() {
    let runtime = runtime_builder().build().expect("a runtime");
    let servers = Servers::new().await;
    let servers = servers.with("files", tools_of("filesystem"));
    let servers = servers.with("database", tools_of("sqlite"));
    let exports = ["start_export", "get_export"];
    let exports = exports.map(|name| tool(name, json!({ "type": "object" })));
    let servers = servers.with("exports", exports.into());
    let mut refused = Vec::new();
    let mut count = sessions(&mut refused).await;
    for (catalog, scripts) in corpora() {
        for script in scripts {
            count += 1;
            refused.extend(refusal(&runtime, catalog, &servers, script).await);
        }
    }
    assert!(
        refused.is_empty(),
        "{} of {count}:\n{}",
        refused.len(),
        refused.join("\n\n")
    );
    assert_eq!(servers.calls(), 0);
    assert!(count >= LEAST, "{count} scripts");
}
