//! What was built, from what, and with what: `guests/dist/manifest.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use xtask::sources::{digest_of, hex};

use crate::toolchain::Toolchain;

const FILE: &str = "manifest.json";

/// The artifacts by their names.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    artifacts: BTreeMap<String, Artifact>,
}

/// What was built, from what, and with what.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Artifact {
    sha256: String,
    bytes: u64,
    /// The digest of all sources, names and contents.
    sources_sha256: String,
    tools: Vec<String>,
}

impl Artifact {
    pub(super) fn of(content: &[u8], sources: &[PathBuf], toolchain: &Toolchain) -> Result<Self> {
        Ok(Self {
            sha256: hex(Sha256::digest(content)),
            bytes: content.len() as u64,
            sources_sha256: digest_of(sources)?,
            tools: toolchain.versions()?,
        })
    }
}

impl Manifest {
    pub(super) fn add(&mut self, name: &str, artifact: Artifact) {
        self.artifacts.insert(name.to_owned(), artifact);
    }

    pub(super) fn read(folder: &Path) -> Result<Self> {
        let text = fs::read_to_string(folder.join(FILE))
            .context("guests/dist has no manifest; run `cargo xtask guests`")?;
        serde_json::from_str(&text).context("the manifest can't be read")
    }

    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        Ok(fs::write(
            folder.join(FILE),
            serde_json::to_string_pretty(self)? + "\n",
        )?)
    }

    /// Whether an artifact is the one that was built, from these sources, with these tools.
    ///
    /// # Errors
    ///
    /// Says what differs.
    pub(super) fn check(&self, name: &str, now: &Artifact) -> Result<()> {
        let kept = self
            .artifacts
            .get(name)
            .with_context(|| format!("the manifest has no {name}; run `cargo xtask guests`"))?;
        if kept.sources_sha256 != now.sources_sha256 {
            bail!(
                "the sources of {name} have changed since it was built; run `cargo xtask guests`"
            );
        }
        if kept.tools != now.tools {
            bail!(
                "{name} was built with {:?}, and this machine has {:?}",
                kept.tools,
                now.tools
            );
        }
        if kept != now {
            bail!("{name} is not the file that the manifest describes; run `cargo xtask guests`");
        }
        Ok(())
    }
}
