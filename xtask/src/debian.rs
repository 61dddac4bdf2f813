//! A small Debian in a folder, in which packages are installed as on a machine where nothing else
//! is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use xtask::repository;

use crate::dist::answer;
use crate::{say, test};

/// The release of Debian.
const SUITE: &str = "bookworm";

/// Nobody is asked.
const UNASKED: &str = "APT::Get::Assume-Yes \"true\";\n";

/// Copies it into a folder, which it gives back: each use begins with what no other one changed.
pub(crate) fn copied(into: &Path) -> Result<PathBuf> {
    let root = into.join("root");
    answer(
        Command::new("cp")
            .arg("--archive")
            .args([&made_once()?, &root]),
    )?;
    fs::write(root.join("etc/apt/apt.conf.d/unasked"), UNASKED)?;
    Ok(root)
}

/// The one that is copied.
fn made_once() -> Result<PathBuf> {
    let folder = repository().join("target/test-servers/debian");
    if folder.exists() {
        return Ok(folder);
    }
    say("fetching a small Debian");
    let draft = folder.with_extension("draft");
    if draft.exists() {
        fs::remove_dir_all(&draft)?;
    }
    fs::create_dir_all(&draft)?;
    answer(
        Command::new("debootstrap")
            .args(["--variant=minbase", SUITE])
            .arg(&draft)
            .arg(test::mirror(SUITE)?),
    )?;
    fs::rename(&draft, &folder)?;
    Ok(folder)
}
