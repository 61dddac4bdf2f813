//! The packages of npm, in an empty folder, from their files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

use super::install_page::typed;
use super::usage::{Client, InstalledProgram, embeds};
use super::{PartOutcome, clean, missing};
use crate::dist::Packages;

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["node", "npm"]) {
        return Ok(skipped);
    }
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("package.json"), "{}")?;
    let files: Vec<_> = packages.npm.iter().map(PathBuf::as_path).collect();
    // They have all that they need: no registry is asked.
    let alone = "export npm_config_offline=true npm_config_audit=false npm_config_fund=false";
    typed("npm", &files, folder.path(), alone)?;
    let program = folder.path().join("node_modules/.bin/ampoule");
    let installed = InstalledProgram::at(&program, folder.path());
    installed.works(client)?;
    ends_alike(&installed)?;
    let module = ["--input-type=module", "--eval", include_str!("module.mjs")];
    embeds(clean("node", folder.path()).args(module))?;
    // Without the platform's packages, it says what is missing.
    fs::remove_dir_all(folder.path().join("node_modules/@ampoule"))?;
    let alone = clean(&program, folder.path()).arg("--version").output()?;
    let said = String::from_utf8_lossy(&alone.stderr);
    ensure!(
        alone.status.code() == Some(2) && said.contains("@ampoule/"),
        "without the platform's package it says {said}"
    );
    Ok(PartOutcome::Works)
}

/// Exit codes are the program's own, and who ends the launcher ends the program.
fn ends_alike(installed: &InstalledProgram) -> Result<()> {
    let threw = installed.run(&["run", "-e", "throw new Error('not today')"]);
    let threw = { threw }.output()?;
    ensure!(
        threw.status.code() == Some(1),
        "a script that throws: {threw:?}"
    );
    let mut server = installed
        .run(&["serve", "--http", "0"])
        .stderr(Stdio::piped())
        .spawn()?;
    let said = server.stderr.take().context("a pipe")?;
    // It says where it is, as soon as it is there.
    let mut lines = BufReader::new(said).lines();
    let at = lines.find_map(|line| line.ok()?.contains("/mcp").then_some(()));
    at.context("the server ended before it began")?;
    kill_process(Pid::from_child(&server), Signal::TERM)?;
    // All that it still says, until both are gone.
    lines.for_each(drop);
    let status = server.wait()?;
    ensure!(
        status.code() == Some(0),
        "told to stop, it ends with {status}"
    );
    Ok(())
}
