//! What `docs/start/install.md` says to type.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use xtask::repository;

use crate::dist::answer;

/// The commands of a way of installing: those in the block that is called `sh` and its name.
pub(in crate::dist) fn commands(way: &str) -> Result<String> {
    let document = fs::read_to_string(repository().join("docs/start/install.md"))?;
    let begin = format!("```sh {way}\n");
    let (_, rest) = document
        .split_once(&begin)
        .with_context(|| format!("docs/start/install.md does not say how to install it: {way}"))?;
    let (commands, _) = rest.split_once("```").context("a block ends")?;
    Ok(commands.to_owned())
}

/// Types them, in a folder that has these packages. What they print at last is what a script
/// returns.
pub(super) fn typed(way: &str, packages: &[&Path], home: &Path, before: &str) -> Result<()> {
    for package in packages {
        let name = package.file_name().context("a file has a name")?;
        std::os::unix::fs::symlink(package, home.join(name))?;
    }
    let commands = commands(way)?;
    let mut shell = super::clean("sh", home);
    shell.args(["-euc", &format!("{before}\n{commands}")]);
    let said = String::from_utf8(answer(&mut shell)?)?;
    ensure!(
        said.lines().next_back() == Some("42"),
        "what docs/start/install.md says gives:\n{said}"
    );
    Ok(())
}
