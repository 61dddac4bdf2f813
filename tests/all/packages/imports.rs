//! What scripts have of packages.

use ampoule::{Ending, Language, Limits, Runtime};
use serde_json::json;

use super::{greeting, run, value, with};

fn runtime(folder: &tempfile::TempDir) -> Runtime {
    with(folder.path(), &[greeting()])
        .build()
        .expect("a runtime")
}

#[tokio::test]
async fn scripts_import_modules_data_and_what_packages_say_of_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime(&folder);
    let source = "
import greeting, greeting_tool, importlib.metadata, importlib.resources, inspect, pkgutil, sys
from greeting.late import VALUE
from shared.part import NAME
return {
    'greet': greeting.greet('Ada'),
    'late': VALUE,
    'namespace': NAME,
    'module': greeting_tool.tool(),
    'file': greeting.__file__,
    'version': importlib.metadata.version('Greeting'),
    'names': [found.metadata['Name'] for found in importlib.metadata.distributions()],
    'resource': importlib.resources.files('greeting').joinpath('data/words.txt').read_text(),
    'data': pkgutil.get_data('greeting', 'data/words.txt').decode(),
    'source': inspect.getsource(greeting.greet).splitlines()[0],
    'own': [name for name in sys.modules if 'ampoule_packages' in name],
}";
    assert_eq!(
        value(&runtime, source).await,
        json!({
            "greet": "Hello, Ada",
            "late": 42,
            "namespace": "part",
            "module": "tool",
            "file": "/packages/greeting/__init__.py",
            "version": "1.0",
            "names": ["greeting"],
            "resource": "one two\n",
            "data": "one two\n",
            "source": "def greet(name):",
            "own": [],
        })
    );
    assert!(
        runtime
            .try_packages(Language::Python)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn runs_begin_with_packages_imported_and_share_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime(&folder);
    let source = "
import greeting, random, sys
greeting.loads.append(2)
return [greeting.loads, greeting.chance.random(), random.random(), 'greeting' in sys.modules]";
    let (one, other) = (value(&runtime, source).await, value(&runtime, source).await);
    assert_eq!((&one[0], &other[0]), (&json!([1, 2]), &json!([1, 2])));
    assert_ne!(one[1], other[1], "a package's own generator is seeded anew");
    assert_ne!(one[2], other[2]);

    // Modules that are in memory cost no more to import than those of the standard library.
    let fuel = async |source: &str| run(&runtime, source).await.unwrap().usage.fuel;
    let (bare, imports) = (fuel("1 + 1").await, fuel("import greeting").await);
    assert!(imports < bare + 1_000_000, "{imports} and {bare}");
}

#[tokio::test]
async fn a_small_run_uses_as_much_fuel_as_without_packages() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime(&folder);
    let fuel = async |runtime: &Runtime| run(runtime, "return 1").await.unwrap().usage.fuel;
    let (with, without) = (fuel(&runtime).await, fuel(ampoule_tests::runtime()).await);
    assert!(
        with.abs_diff(without) < without / 50,
        "{with} and {without}"
    );
}

#[tokio::test]
async fn errors_in_packages_and_missing_modules_are_those_of_python() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = runtime(&folder);
    for (source, name, says) in [
        ("import greeting\ngreeting.broken()", "ValueError", "inside"),
        ("import numpy", "ModuleNotFoundError", "numpy"),
        (
            "import greeting.nothing",
            "ModuleNotFoundError",
            "greeting.nothing",
        ),
    ] {
        let outcome = run(&runtime, source).await.unwrap();
        let Ending::Threw(thrown) = outcome.ending else {
            panic!("{}", outcome.ending)
        };
        assert_eq!(thrown.name, name);
        assert!(thrown.message.contains(says), "{}", thrown.message);
        let line = thrown.location.expect("a place").line;
        assert_eq!(line as usize, source.lines().count());
    }
}

#[tokio::test]
async fn limits_are_the_runs_own() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits {
        fuel: 300_000_000,
        ..Limits::default()
    };
    let runtime = with(folder.path(), &[greeting()])
        .limits(limits)
        .build()
        .unwrap();
    let outcome = run(&runtime, "import greeting\ngreeting.spin()")
        .await
        .unwrap();
    assert!(
        matches!(outcome.ending, Ending::Limit(_)),
        "{}",
        outcome.ending
    );
}
