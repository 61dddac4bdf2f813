//! The language's own tests of `Temporal`: test262.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, CaughtError, Ctx, Value};

use crate::realm::Realm;

/// The tests that are known to fail, each line with its reason behind it.
const KNOWN: &str = include_str!("test262.txt");

/// Test262's folders for what is here.
const FOLDERS: [&str; 3] = [
    "test/built-ins/Temporal",
    "test/built-ins/Date/prototype/toTemporalInstant",
    "test/intl402/Temporal",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of test262") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "js") {
            found.push(path);
        }
    }
}

/// The words of a list in a test's head.
fn listed<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
    let head = source.split("---*/").next().unwrap_or_default();
    let line = head.split(name).nth(1).unwrap_or_default();
    let list = line.split(']').next().unwrap_or_default();
    let list = list.trim_start().strip_prefix('[').unwrap_or_default();
    list.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .collect()
}

fn evaluate(ctx: &Ctx<'_>, source: &str, is_strict: bool) -> Result<(), String> {
    let mut options = EvalOptions::default();
    options.strict = is_strict;
    let ended = ctx.eval_with_options::<Value<'_>, _>(source, options);
    // What the tests throw themselves is not an error of the language.
    ended.map(drop).catch(ctx).map_err(|error| match error {
        CaughtError::Value(value) => {
            let message = value
                .as_object()
                .and_then(|object| object.get("message").ok());
            message.unwrap_or_else(|| "something without a message".to_owned())
        }
        error => error.to_string(),
    })
}

/// Runs a test in an engine of its own.
fn run(root: &Path, test: &Path) -> Result<(), String> {
    let source = fs::read_to_string(test).expect("a test");
    let realm = Realm::new().expect("a realm");
    realm.runtime().set_max_stack_size(512 << 10);
    realm.context().with(|ctx| {
        for name in ["assert.js", "sta.js"]
            .into_iter()
            .chain(listed(&source, "includes:"))
        {
            let harness =
                fs::read_to_string(root.join("harness").join(name)).expect("a part of test262");
            evaluate(&ctx, &harness, false)?;
        }
        evaluate(
            &ctx,
            &source,
            !listed(&source, "flags:").contains(&"noStrict"),
        )
    })
}

#[test]
#[ignore = "needs a copy of test262 in the folder that AMPOULE_TEST262 names"]
fn test262_passes_but_for_the_tests_that_are_listed() {
    let root = std::env::var_os("AMPOULE_TEST262").expect("AMPOULE_TEST262 names a folder");
    let root = PathBuf::from(root);
    let mut tests = Vec::new();
    for folder in FOLDERS {
        files(&root.join(folder), &mut tests);
    }
    assert!(!tests.is_empty(), "no tests in {}", root.display());
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(BTreeSet::new());
    let work = || {
        while let Some(test) = tests.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = run(&root, test) {
                let name = test.strip_prefix(&root).expect("a test of the folder");
                let error = error.lines().next().unwrap_or_default().to_owned();
                let mut failed = failed.lock().expect("no thread panicked");
                failed.insert((name.display().to_string(), error));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let built = std::thread::Builder::new().stack_size(8 << 20);
            built.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let failed = failed.into_inner().expect("no thread panicked");
    let known: BTreeSet<&str> = KNOWN
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let report: Vec<String> = failed
        .iter()
        .filter(|(name, _)| !known.contains(name.as_str()))
        .map(|(name, error)| format!("{name} {error}"))
        .collect();
    let now_pass: Vec<&&str> = known
        .iter()
        .filter(|name| !name.is_empty() && !failed.iter().any(|(failed, _)| failed == *name))
        .collect();
    let count = format!("{} of {} fail", failed.len(), tests.len());
    assert!(report.is_empty(), "{count}\n{}", report.join("\n"));
    assert!(now_pass.is_empty(), "these pass now: {now_pass:?}");
}
