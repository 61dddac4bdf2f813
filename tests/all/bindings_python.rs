//! Ampoule for Python, by its own tests, under a real Python and with real packages.

use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};

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
    let ended = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = ended.expect("it ends").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
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
