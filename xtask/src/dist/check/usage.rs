//! What is done with each package, once it is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xtask::repository;

use crate::dist::{VERSION, answer};

/// The report, in each language.
pub(super) const REPORTS: [&str; 2] = ["quarterly-report.ts", "quarterly-report.py"];

/// The official client.
pub(super) struct Client {
    python: PathBuf,
}

impl Client {
    /// The one of the tests' virtual environments.
    pub(super) fn of(environments: PathBuf) -> Self {
        Self {
            python: environments.join("venv/bin/python"),
        }
    }

    /// Has it start a server, and use it: gives what it saw, in JSON.
    pub(super) fn uses(&self, installed: &InstalledProgram) -> Result<Value> {
        let mut client = Command::new(&self.python);
        client
            .arg(repository().join("xtask/src/dist/check/client.py"))
            .args(&installed.words)
            .arg("serve");
        let saw = answer(
            client
                .env_clear()
                .envs(installed.environment.iter().cloned()),
        )?;
        serde_json::from_slice(&saw).context("what the client says is JSON")
    }
}

/// Has a module run scripts in both languages, which call functions of its process.
pub(super) fn embeds(script: &mut Command) -> Result<()> {
    let said = String::from_utf8(answer(script)?)?;
    ensure!(
        said == "typescript\npython\n",
        "with the module it says {said}"
    );
    Ok(())
}

/// A program that is installed somewhere.
pub(super) struct InstalledProgram {
    /// What starts it, at least one, such as `podman run IMAGE`.
    pub(super) words: Vec<String>,
    /// All that there is of variables.
    pub(super) environment: Vec<(&'static str, String)>,
    /// Where it finds the examples.
    pub(super) examples: String,
}

impl InstalledProgram {
    /// A program in the file system, with this folder as its home.
    pub(super) fn at(program: &Path, home: &Path) -> Self {
        let path = std::env::var("PATH").unwrap_or_default();
        Self {
            words: vec![program.display().to_string()],
            environment: vec![
                ("HOME", home.display().to_string()),
                ("LANG", "C.UTF-8".to_owned()),
                ("PATH", path),
            ],
            examples: repository().join("examples").display().to_string(),
        }
    }

    /// A command of it.
    pub(super) fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null());
        command
    }

    /// What it prints.
    pub(super) fn prints(&self, arguments: &[&str]) -> Result<String> {
        Ok(String::from_utf8(answer(&mut self.run(arguments))?)?)
    }

    /// Uses it: its version, the report in both languages, the server by the official client.
    pub(super) fn works(&self, client: &Client) -> Result<()> {
        let version = self.prints(&["--version"])?;
        ensure!(
            version.trim() == format!("ampoule {VERSION}"),
            "it says that it is {version}"
        );
        let reports = REPORTS.map(|name| {
            let path = format!("{}/{name}", self.examples);
            self.prints(&["run", &path])
        });
        let [typescript, python] = reports;
        let (typescript, python) = (typescript?, python?);
        ensure!(
            typescript.contains("\"overdueAccounts\""),
            "the report is {typescript}"
        );
        ensure!(
            typescript == python,
            "the report is another one in Python:\n{typescript}\n{python}"
        );
        let saw = client.uses(self)?;
        for (what, expected) in [("typescript", "42"), ("python", "42")] {
            ensure!(
                saw[what]["text"] == expected,
                "the client saw {saw}, and {what} should have been {expected}"
            );
        }
        Ok(())
    }
}
