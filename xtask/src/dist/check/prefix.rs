//! The tarball, unpacked into an empty folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::install_page::typed;
use super::usage::{Client, InstalledProgram};
use super::{PartOutcome, missing};
use crate::dist::{Packages, answer};

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["tar"]) {
        return Ok(skipped);
    }
    let folder = tempfile::tempdir()?;
    typed("tarball", &[&packages.tarball], folder.path(), "")?;
    let program = folder.path().join(".local/bin/ampoule");
    InstalledProgram::at(&program, folder.path()).works(client)?;
    Ok(PartOutcome::Works)
}

/// Unpacks it, without the folder that all of it is in, and gives the prefix.
pub(super) fn unpacked(packages: &Packages, folder: &Path) -> Result<PathBuf> {
    let prefix = folder.join("prefix");
    std::fs::create_dir(&prefix)?;
    answer(
        Command::new("tar")
            .arg("--extract")
            .arg("--file")
            .arg(&packages.tarball)
            .arg("--directory")
            .arg(&prefix)
            .arg("--strip-components=1"),
    )?;
    Ok(prefix)
}
