//! `cargo xtask test`: sets up what the tests need, and runs them all.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::repository;

/// Runs every test: unit, integration and documentation tests, the guest's own, and each bench once.
pub(crate) fn run() -> Result<()> {
    let skipped = repository().join("target/skipped");
    if skipped.exists() {
        fs::remove_dir_all(&skipped)?;
    }
    fs::create_dir_all(&skipped)?;
    let mut servers = Vec::new();
    for (variable, prepared) in [
        ("AMPOULE_TEST_NODE", node()),
        ("AMPOULE_TEST_PYTHON", python()),
    ] {
        match prepared {
            Ok(folder) => servers.push((variable, folder)),
            Err(problem) if env::var_os("CI").is_some() => {
                return Err(problem.context("CI runs every test"));
            }
            Err(problem) => say(&format!(
                "tests that need {variable} will be skipped: {problem:#}"
            )),
        }
    }
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(repository())
            .args(arguments)
            .env("AMPOULE_SKIPPED", &skipped)
            .envs(servers.iter().cloned());
        command
    };
    // The command line's tests run the binary.
    succeed(&mut cargo(&["build", "--locked", "--package", "ampoule"]))?;
    // It compiles the guest once, where otherwise each of the first tests would.
    succeed(&mut cargo(&[
        "run",
        "--quiet",
        "--locked",
        "--package",
        "ampoule",
        "--",
        "run",
        "--quiet",
        "-e",
        "0",
    ]))?;
    let nextest = Command::new("cargo-nextest")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if nextest.is_ok_and(|status| status.success()) {
        succeed(&mut cargo(&["nextest", "run", "--locked", "--workspace"]))?;
    } else {
        succeed(&mut cargo(&[
            "test",
            "--locked",
            "--workspace",
            "--lib",
            "--bins",
            "--tests",
        ]))?;
    }
    succeed(&mut cargo(&["test", "--locked", "--workspace", "--doc"]))?;
    succeed(&mut cargo(&[
        "test",
        "--locked",
        "--package",
        "ampoule-benches",
        "--benches",
    ]))?;
    succeed(&mut cargo(&[
        "test",
        "--locked",
        "--manifest-path",
        "guests/javascript/Cargo.toml",
    ]))?;
    count_skipped(&skipped)
}

/// npm's servers, in a folder that holds `node_modules`.
fn node() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/node");
    prepare(&folder, &["package.json", "package-lock.json"], |folder| {
        succeed(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(folder),
        )
        .context("npm installs no servers")
    })
}

/// A virtual environment with PyPI's servers and client.
fn python() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/python");
    prepare(&folder, &["requirements.txt"], |folder| {
        let venv = folder.join("venv");
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))
            .context("Python makes no virtual environment")?;
        let pip = venv.join("bin/pip");
        succeed(
            Command::new(pip)
                .args([
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "-r",
                    "requirements.txt",
                ])
                .current_dir(folder),
        )
        .context("pip installs no servers")
    })
}

/// Makes a folder from files in `tests/servers`, unless it was made from the same ones before.
fn prepare(
    folder: &Path,
    files: &[&str],
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let source = repository().join("tests/servers");
    let wanted: Vec<u8> = files
        .iter()
        .map(|file| fs::read(source.join(file)))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let stamp = folder.join("made-from");
    if fs::read(&stamp).ok().as_ref() != Some(&wanted) {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        for file in files {
            fs::copy(source.join(file), folder.join(file))?;
        }
        make(folder)?;
        fs::write(stamp, wanted)?;
    }
    Ok(folder.to_owned())
}

/// Each test that could not run left a note.
fn count_skipped(folder: &Path) -> Result<()> {
    let mut names = Vec::new();
    for note in fs::read_dir(folder)? {
        let note = note?;
        names.push(format!(
            "{}: {}",
            note.file_name().to_string_lossy(),
            fs::read_to_string(note.path())?
        ));
    }
    names.sort();
    names
        .iter()
        .for_each(|name| say(&format!("skipped {name}")));
    say(&format!("{} tests skipped", names.len()));
    if env::var_os("CI").is_some() && !names.is_empty() {
        bail!("CI runs every test");
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{:?} can't be started", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a task tells how far it is")]
fn say(what: &str) {
    eprintln!("xtask: {what}");
}
