//! The package of RPM, by `rpm` itself: what it says of the package, and the package in a root of
//! its own, where nothing else is installed. What the package needs of the system is not there, and
//! its scripts need a whole system: the root has neither, and the program runs outside of it.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use rustix::process::geteuid;

use super::usage::{Client, InstalledProgram};
use super::{PartOutcome, clean, missing};
use crate::dist::{Packages, VERSION, answer};

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    if let Some(skipped) = missing(&["rpm", "rpmkeys", "sh"]) {
        return Ok(skipped);
    }
    if !geteuid().is_root() {
        return Ok(PartOutcome::Skipped(
            "only root has roots of its own".to_owned(),
        ));
    }
    let folder = tempfile::tempdir()?;
    reads(&packages.rpm, folder.path())?;
    installs(&packages.rpm, folder.path(), |program| {
        InstalledProgram::at(program, folder.path()).works(client)
    })?;
    Ok(PartOutcome::Works)
}

/// What `rpm` reads of a package is what it should be; its digests fit, and its scripts are the
/// shell's.
pub(in crate::dist) fn reads(package: &Path, folder: &Path) -> Result<()> {
    let said = |arguments: &[&str]| {
        let said = answer(clean("rpm", folder).args(arguments).arg(package))?;
        anyhow::Ok(String::from_utf8(said)?)
    };
    let described = said(&["-qip"])?;
    for line in [
        "Name        : ampoule".to_owned(),
        format!("Version     : {VERSION}"),
        "License     : Apache-2.0".to_owned(),
    ] {
        ensure!(described.contains(&line), "{line} is not in:\n{described}");
    }
    let needs = said(&["-qp", "--requires"])?;
    ensure!(
        needs.contains("libc.so.6(GLIBC_2."),
        "the package needs no C library:\n{needs}"
    );
    answer(
        clean("rpmkeys", folder)
            .args(["--checksig", "--nosignature"])
            .arg(package),
    )?;
    scripts(&said(&["-qp", "--scripts"])?, folder)
}

/// The scripts are the shell's.
fn scripts(listed: &str, folder: &Path) -> Result<()> {
    let mut count = 0;
    for script in listed.split("scriptlet (using /bin/sh):\n").skip(1) {
        // The next one's name ends the text, in a line of its own.
        let text: Vec<_> = script
            .lines()
            .filter(|line| !line.trim_end().ends_with("install"))
            .collect();
        let file = folder.join("script");
        std::fs::write(&file, text.join("\n"))?;
        answer(clean("sh", folder).arg("-n").arg(&file))?;
        count += 1;
    }
    ensure!(count == 3, "there are {count} scripts:\n{listed}");
    Ok(())
}

/// Installs it in a root in this folder, uses the program, and removes it.
pub(in crate::dist) fn installs(
    package: &Path,
    folder: &Path,
    uses: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let root = folder.join("root");
    std::fs::create_dir(&root)?;
    let rpm = |arguments: &[&str]| {
        let mut command = Command::new("rpm");
        command.arg("--root").arg(&root).args(arguments);
        command
    };
    answer(&mut rpm(&["--initdb"]))?;
    let alone = ["--install", "--nodeps", "--noscripts"];
    answer(rpm(&alone).arg(package))?;
    let changed = rpm(&["--verify", "--nodeps", "--nouser", "--nogroup", "ampoule"]).output()?;
    ensure!(
        changed.status.success(),
        "what was installed differs from the package: {}",
        String::from_utf8_lossy(&changed.stdout)
    );
    uses(&root.join("usr/bin/ampoule"))?;
    answer(&mut rpm(&["--erase", "--noscripts", "ampoule"]))?;
    for left in ["usr/bin/ampoule", "etc/ampoule/ampoule.toml"] {
        ensure!(
            !root.join(left).exists(),
            "{left} is left after `rpm --erase`"
        );
    }
    Ok(())
}
