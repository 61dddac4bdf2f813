//! The wheel, in a virtual environment: the program, and the module.

use anyhow::{Result, ensure};

use super::install_page::typed;
use super::usage::{Client, InstalledProgram, embeds};
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, answer};

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["python3"]) {
        return Ok(skipped);
    }
    let folder = tempfile::tempdir()?;
    let environment = folder.path().join("environment");
    let quiet = "export PIP_DISABLE_PIP_VERSION_CHECK=1";
    typed("wheel", &[&packages.wheel], folder.path(), quiet)?;
    let pip = || clean(environment.join("bin/pip"), folder.path());
    let program = environment.join("bin/ampoule");
    InstalledProgram::at(&program, folder.path()).works(client)?;
    answer(clean(environment.join("bin/pyampoule"), folder.path()).arg("--version"))?;
    let mut python = clean(environment.join("bin/python"), folder.path());
    embeds(python.args(["-c", include_str!("module.py")]))?;
    answer(pip().arg("check"))?;
    answer(pip().args(["uninstall", "--yes", "pyampoule"]))?;
    ensure!(!program.exists(), "it is still there after `pip uninstall`");
    Ok(PartOutcome::Works)
}
