//! Interpreters and programs that this machine has.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// One that is installed: where it really is, and what it says it is.
#[derive(Clone)]
pub(super) struct Interpreter {
    pub(super) path: String,
    pub(super) version: String,
}

/// Node, where there is one.
pub(super) fn node() -> Option<Interpreter> {
    let tell = "process.stdout.write(process.execPath + ' Node ' + process.versions.node)";
    interpreter("node", &["-e", tell])
}

/// The Python that is called `python3`.
pub(super) fn python() -> Option<Interpreter> {
    interpreter("python3", &["-c", PYTHON])
}

/// Asks Python where it is, and what it is.
const PYTHON: &str =
    "import sys, platform; print(sys.executable, 'CPython', platform.python_version())";

/// A Python that is newer than the machine's own may be: some packages want one.
pub(super) fn newest_python() -> Option<Interpreter> {
    let names = ["python3.14", "python3.13", "python3.12"];
    let mut there = names
        .iter()
        .filter_map(|name| interpreter(name, &["-c", PYTHON]));
    there.next().or_else(|| {
        // One that pyenv has, but does not offer.
        let versions = PathBuf::from(env::var_os("HOME")?).join(".pyenv/versions");
        let versions = fs::read_dir(versions).ok()?.flatten();
        let programs = versions.map(|version| version.path().join("bin/python3"));
        let programs = programs.filter_map(|path| interpreter(path.to_str()?, &["-c", PYTHON]));
        programs.max_by_key(|python| {
            let version = python.version.trim_start_matches("CPython ");
            let numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
            numbers.collect::<Vec<u32>>()
        })
    })
}

/// What a program says of where it really is, and of its version.
fn interpreter(program: &str, ask: &[&str]) -> Option<Interpreter> {
    let output = Command::new(program).args(ask).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (path, version) = text.trim().split_once(' ')?;
    Some(Interpreter {
        path: path.to_owned(),
        version: version.to_owned(),
    })
}

/// The first line of what a program of the system says of itself.
pub(super) fn version_of(
    program: &str,
    environment: &HashMap<&'static str, String>,
) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .envs(environment)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().next()?.to_owned())
}

pub(super) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut found = env::split_paths(&path).map(|folder| folder.join(program));
    found.find(|path| path.is_file())
}
