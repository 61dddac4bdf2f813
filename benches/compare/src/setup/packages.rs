//! Ordinary package managers, asked for what is pinned. What they brought is kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// Makes a folder unless it was made from the same list before.
pub(crate) fn once(
    folder: &Path,
    wanted: &str,
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let wanted = format!("{:x?}", Sha256::digest(wanted));
    let stamp = folder.join("made-from");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    make(folder)?;
    Ok(fs::write(stamp, wanted)?)
}

pub(super) fn npm(folder: &Path, packages: &[&str]) -> Result<()> {
    // Or npm would look for a project further up.
    fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    let install = [
        "install",
        "--no-audit",
        "--no-fund",
        "--silent",
        "--save-exact",
    ];
    succeed(
        Command::new("npm")
            .args(install)
            .args(packages)
            .current_dir(folder),
    )
}

/// Packages of apt, and what they depend on that is not installed, unpacked into a folder.
pub(super) fn unpack(root: &Path, packages: &[&str]) -> Result<()> {
    let archives = root.join("archives");
    fs::create_dir_all(archives.join("partial"))?;
    let mut apt = Command::new("apt-get");
    apt.args([
        "install",
        "--yes",
        "--quiet",
        "--download-only",
        // Also what this machine has already: it is to be beside it.
        "--reinstall",
        "--no-install-recommends",
    ])
    .arg("-o")
    .arg(format!("Dir::Cache::archives={}", archives.display()))
    .args(["-o", "Debug::NoLocking=1"])
    .args(packages);
    succeed(&mut apt)?;
    for entry in fs::read_dir(&archives)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            succeed(
                Command::new("dpkg-deb")
                    .arg("--extract")
                    .arg(&path)
                    .arg(root),
            )?;
        }
    }
    Ok(fs::remove_dir_all(archives)?)
}

pub(crate) fn succeed(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("`{program}` can't be started"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stderr, output.stdout].concat();
    let words = String::from_utf8_lossy(&words);
    let mut lines = words.lines().filter(|line| !line.trim().is_empty());
    bail!(
        "`{program}` failed: {}",
        lines.next_back().unwrap_or_default()
    )
}

/// A crate that is this project's, but not of its workspace: compiled into a folder.
pub(super) fn cargo(target: &Path, manifest: &Path) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--manifest-path",
    ]);
    succeed(cargo.arg(manifest).arg("--target-dir").arg(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_kept_until_the_list_changes() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("peer");
        let made = |wanted: &str| {
            let mut made = false;
            once(&folder, wanted, |_| {
                made = true;
                Ok(())
            })
            .unwrap();
            made
        };
        assert!(made("a@1") && !made("a@1") && made("a@2"));
        assert!(once(&folder, "a@3", |_| bail!("no")).is_err());
        // What failed is tried again.
        assert!(made("a@3"));
    }
}
