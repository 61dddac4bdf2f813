//! `install.sh`, from a server on this machine.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::usage::{Client, InstalledProgram};
use super::web::Web;
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, answer};

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["sh", "curl", "tar"]) {
        return Ok(skipped);
    }
    let folder = packages.tarball.parent().context("a file is in a folder")?;
    let script = packages.manifests.first().context("the script")?;
    let home = tempfile::tempdir()?;
    let web = Web::of(folder.to_owned())?;
    let install = |from: &str| {
        let mut command = clean("sh", home.path());
        command.arg(script).args(["--from", from]);
        command
    };
    let elsewhere = install(&format!("{}/elsewhere", web.address())).output()?;
    ensure!(
        !elsewhere.status.success() && !program(home.path()).exists(),
        "the script installs what it could not download"
    );
    answer(&mut install(&web.address()))?;
    InstalledProgram::at(&program(home.path()), home.path()).works(client)?;
    Ok(PartOutcome::Works)
}

fn program(home: &Path) -> PathBuf {
    home.join(".local/bin/ampoule")
}
