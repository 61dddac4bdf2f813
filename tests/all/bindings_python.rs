//! Ampoule for Python, by its own tests, under a real Python and with real packages.

use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use tokio::process::Command;

/// Longer than all of them take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs a module of Python's where the package is installed.
async fn python(test: &str, arguments: &[&str]) {
    let Some(folder) = prepared(test, "AMPOULE_TEST_BINDINGS_PYTHON") else {
        return;
    };
    let workplace = Workplace::default();
    let python = folder.join("venv/bin/python");
    let mut command = workplace.command(python, arguments);
    command
        .current_dir(repository().join("host/python"))
        .env("PYTHONPATH", folder.join("site"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    succeeds(command).await;
}

/// Runs a command to its end, which must be a good one, and gives what it said.
async fn succeeds(mut command: Command) -> String {
    let ended = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = ended.expect("it ends").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    said.into_owned()
}

#[tokio::test]
async fn its_own_tests_pass() {
    let arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"];
    python("bindings_python::its_own_tests_pass", &arguments).await;
}

#[tokio::test]
async fn its_types_are_right() {
    let arguments = [
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        "/dev/null",
        "python/ampoule",
        "tests",
        "benches",
    ];
    python("bindings_python::its_types_are_right", &arguments).await;
}

/// What somebody does first who has installed the wheel, and needs nothing else for.
const FIRST: &str = r#"
import ampoule, asyncio, importlib.util, pathlib

assert importlib.util.find_spec("pytest") is None
assert pathlib.Path(ampoule.__file__).with_name("py.typed").exists()

@ampoule.tool
async def add(a: int, b: int) -> int:
    """Adds."""
    return a + b

def double(n: int) -> int:
    return 2 * n

with ampoule.Runtime() as runtime:
    for language, code in [
        ("typescript", "return await host.double({ n: await host.add({ a: 20, b: 1 }) })"),
        ("python", "return await host.double(n=await host.add(a=20, b=1))"),
    ]:
        outcome = asyncio.run(runtime.run_async(code, language=language, tools=[add, double]))
        assert outcome.result(int) == 42, outcome
        print(language)
"#;

#[tokio::test]
async fn the_wheel_is_all_that_is_needed() {
    let test = "bindings_python::the_wheel_is_all_that_is_needed";
    let Some(folder) = prepared(test, "AMPOULE_TEST_BINDINGS_WHEEL") else {
        return;
    };
    let wheels = std::fs::read_dir(folder.join("wheels")).expect("wheels");
    let names: Vec<_> = wheels
        .map(|wheel| wheel.expect("a wheel").file_name())
        .collect();
    let [name] = &names[..] else {
        panic!("one wheel for all versions: {names:?}");
    };
    let name = name.to_string_lossy();
    assert!(name.contains("-cp310-abi3-manylinux_"), "{name}");
    let workplace = Workplace::default();
    let python = folder.join("venv/bin/python");
    let said = succeeds(workplace.command(&python, &["-c", FIRST])).await;
    assert_eq!(said, "typescript\npython\n");
    succeeds(workplace.command(&python, &["-m", "pip", "check"])).await;
}
