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
        .current_dir(repository().join("host/bind/python"))
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
        // `drivers` has the frameworks that these are for.
        "--exclude",
        "adapters/(agent_framework|crewai|google_adk|langgraph|llama_index|openai_agents|smolagents)\\.py$",
        "python/pyampoule",
        "tests",
        "benches",
    ];
    python("bindings_python::its_types_are_right", &arguments).await;
}

#[tokio::test]
async fn the_wheel_is_all_that_is_needed() {
    let test = "bindings_python::the_wheel_is_all_that_is_needed";
    let Some(folder) = prepared(test, "AMPOULE_TEST_BINDINGS_WHEEL") else {
        return;
    };
    let workplace = Workplace::default();
    let in_venv = |name: &str| folder.join("venv/bin").join(name);
    let first = include_str!("../../xtask/src/dist/check/module.py");
    let said = succeeds(workplace.command(in_venv("python"), &["-c", first])).await;
    assert_eq!(said, "typescript\npython\n");
    let check = ["-m", "pip", "check"];
    succeeds(workplace.command(in_venv("python"), &check)).await;
    // By the program's name, and by the package's, as `uvx` starts it.
    for name in ["ampoule", "pyampoule"] {
        let said = succeeds(workplace.command(in_venv(name), &["--version"])).await;
        assert_eq!(said, format!("ampoule {}\n", env!("CARGO_PKG_VERSION")));
    }
}
