//! What package managers and the install script know of the packages: manifests for Homebrew, Nix,
//! Scoop and winget, and `install.sh`. All follow from the list of what was built, with digests: a
//! platform that was not built is in none of them.
//!
//! - `formula`: Homebrew's formula; `flake`: Nix's flake; `windows`: manifests of Scoop and winget
//! - `script`: `install.sh`

mod flake;
mod formula;
mod script;
#[cfg(test)]
mod tests;
mod windows;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::built::{self, Archive};
use super::platform::System;

/// The folder of manifests, beside those of platforms.
pub(super) const FOLDER: &str = "manifests";

/// Where the archives will be: a folder on the web. Nothing is published yet, so that there is no
/// default.
#[derive(Debug, Clone)]
pub(super) struct Address(String);

impl Address {
    /// The address as it was given.
    ///
    /// # Errors
    ///
    /// It is not an encrypted connection, or has characters that manifests would have to quote.
    pub(super) fn parse(given: &str) -> Result<Self> {
        let rest = given.strip_prefix("https://").unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/@%+".contains(&byte);
        ensure!(
            !rest.is_empty() && rest.bytes().all(is_plain),
            "{given} is not an address that manifests can name; it must begin with https:// and have \
            letters, digits and -._~:/@%+ alone"
        );
        Ok(Self(given.trim_end_matches('/').to_owned()))
    }

    fn of(&self, archive: &Archive) -> String {
        format!("{}/{}", self.0, archive.file)
    }
}

/// A manifest, and its path below the folder of manifests.
struct Manifest {
    path: String,
    text: String,
}

/// Writes those that can be made, in the folder of all packages; gives their paths, and a sentence
/// for each that could not be made.
pub(super) fn write(packages: &Path, address: Option<&Address>) -> Result<Written> {
    let archives = built::archives(packages)?;
    let folder = packages.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut manifests = vec![script::script(&archives)];
    let mut left_out = Vec::new();
    match address {
        None => left_out.push(
            "manifests for Homebrew, Nix, Scoop and winget name the address of the archives; give \
            --address to make them"
                .to_owned(),
        ),
        Some(address) => {
            manifests.push(formula::formula(&archives, address)?);
            manifests.push(flake::flake(&archives, address)?);
            let has_windows = archives
                .iter()
                .any(|archive| archive.platform.system == System::Windows);
            match has_windows {
                true => manifests.extend(windows::manifests(&archives, address)?),
                false => left_out.push(
                    "manifests for Scoop and winget need a program for Windows, which was not built"
                        .to_owned(),
                ),
            }
        }
    }
    let mut files = Vec::new();
    for Manifest { path, text } in manifests {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(&path, text)?;
        files.push(path);
    }
    Ok(Written { files, left_out })
}

/// What was written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) files: Vec<PathBuf>,
    /// Why others were not.
    pub(super) left_out: Vec<String>,
}
