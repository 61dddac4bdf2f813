//! Installs each package in an empty place, and uses it there: the report of the README in both
//! languages, and `serve` with the official client. Checks that can't run on this machine are
//! named.
//!
//! - `prefix`: the tarball, in an empty folder; `shells`: completions and the manual; `first_start`: how
//!   the first start goes, with nothing compiled
//! - `wheel`: in a virtual environment; `npm`: in an empty folder; `deb`, `rpm`: in a root of their
//!   own; `image`: by podman
//! - `script`: `install.sh`, from a server on this machine, which is `web`; `manifests`: by the
//!   programs that read them, and by their schemas
//! - `install_page`: how each is installed; `usage`: what is done with it

mod deb;
mod first_start;
mod image;
pub(super) mod install_page;
mod manifests;
mod npm;
mod prefix;
pub(super) mod rpm;
mod script;
mod shells;
mod usage;
pub(super) mod web;
mod wheel;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use super::Packages;
use crate::say;
use crate::test;
use usage::Client;

/// How a part went that did not fail.
enum PartOutcome {
    Works,
    /// Why it could not be tried here.
    Skipped(String),
}

/// Checks all packages.
pub(super) fn all(packages: &Packages) -> Result<()> {
    let client = Client::of(test::python()?);
    type Check = fn(&Packages, &Client) -> Result<PartOutcome>;
    let parts: [(&str, Check); 10] = [
        ("the tarball, in an empty folder", prefix::check),
        ("completions and the manual", shells::check),
        ("a first start, with nothing compiled", first_start::check),
        ("the wheel, in a virtual environment", wheel::check),
        ("the packages of npm, in an empty folder", npm::check),
        ("the package of Debian, in a root of its own", deb::check),
        ("the package of RPM, in a root of its own", rpm::check),
        ("install.sh, from a server on this machine", script::check),
        ("the manifests of package managers", manifests::check),
        ("the image, by podman", image::check),
    ];
    let mut skipped = 0;
    let mut failed = Vec::new();
    for (name, check) in parts {
        let started = Instant::now();
        match check(packages, &client) {
            Ok(PartOutcome::Works) => say(&format!(
                "works: {name} ({} s)",
                started.elapsed().as_secs()
            )),
            Ok(PartOutcome::Skipped(reason)) => {
                skipped += 1;
                say(&format!("skipped: {name}: {reason}"));
            }
            Err(problem) => {
                say(&format!("fails: {name}: {problem:#}"));
                failed.push(name);
            }
        }
    }
    say(&format!("{skipped} skipped"));
    if !failed.is_empty() {
        bail!("failed: {}", failed.join("; "));
    }
    if env::var_os("CI").is_some() && skipped > 0 {
        bail!("CI checks every package");
    }
    Ok(())
}

/// The first of these programs that is not installed, as a reason to skip what needs them.
fn missing(programs: &[&str]) -> Option<PartOutcome> {
    let missing = programs
        .iter()
        .find(|program| installed(program).is_none())?;
    Some(PartOutcome::Skipped(format!(
        "`{missing}` is not installed"
    )))
}

pub(super) fn installed(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    // Administrators' programs are not where everybody looks.
    let folders = env::split_paths(&folders).chain(["/usr/sbin".into(), "/sbin".into()]);
    let mut paths = folders.map(|folder| folder.join(program));
    paths.find(|path| path.is_file())
}

/// A command with nothing of the current user but `PATH`: its home is this folder.
fn clean(program: impl AsRef<std::ffi::OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", home)
        .env("LANG", "C.UTF-8")
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .current_dir(home)
        .stdin(Stdio::null());
    command
}
