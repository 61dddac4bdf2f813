//! What Cargo says of a workspace: its crates, what each is linked with, and their checksums.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use xtask::repository;

use super::LicenceText;
use crate::dist::answer;
use crate::programs::cargo;

/// A workspace of Cargo's, for one target.
pub(super) struct Workspace {
    pub(super) metadata: Metadata,
    pub(super) lock: Lock,
}

impl Workspace {
    pub(super) fn read(folder: &Path, target: &str) -> Result<Self> {
        let manifest = folder.join("Cargo.toml").display().to_string();
        let metadata = answer(
            cargo(["metadata", "--locked", "--format-version", "1"]).args([
                "--manifest-path",
                &manifest,
                "--filter-platform",
                target,
            ]),
        )?;
        let lock = fs::read_to_string(repository().join(folder).join("Cargo.lock"))?;
        Ok(Self {
            metadata: serde_json::from_slice(&metadata)?,
            lock: toml::from_str(&lock)?,
        })
    }
}

/// What Cargo says of a workspace.
#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    pub(super) resolve: Resolve,
}

/// The licences of crates that only have a file with the text.
const BY_FILE: [(&str, &str); 1] = [("jsonpath-rust", "MIT")];

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) source: Option<String>,
    pub(super) description: Option<String>,
    pub(super) manifest_path: PathBuf,
    pub(super) targets: Vec<Target>,
}

#[derive(Deserialize)]
pub(super) struct Resolve {
    pub(super) nodes: Vec<Node>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) id: String,
    pub(super) deps: Vec<Dependency>,
}

#[derive(Deserialize)]
pub(super) struct Dependency {
    pub(super) pkg: String,
    pub(super) dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
pub(super) struct DependencyKind {
    /// None is the usual one: it is linked. Others are for tests, and for build scripts.
    pub(super) kind: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) kind: Vec<String>,
}

/// What is known of checksums.
#[derive(Deserialize)]
pub(super) struct Lock {
    pub(super) package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
pub(super) struct LockedPackage {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) checksum: Option<String>,
}

impl Dependency {
    pub(super) fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}

impl Package {
    /// The licence, as far as it is known.
    fn license(&self) -> Option<&str> {
        let by_file = || BY_FILE.iter().find(|(name, _)| *name == self.name);
        let license = self.license.as_deref();
        license.or_else(|| by_file().map(|(_, license)| *license))
    }

    pub(super) fn is_macro(&self) -> bool {
        let mut kinds = self.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| kind == "proc-macro")
    }

    /// Its package URL, which names it in the bill.
    pub(super) fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    /// Where the texts of its licences are; nowhere, if it is one of our own.
    pub(super) fn text(&self) -> Result<Option<LicenceText>> {
        if self.source.is_none() {
            return Ok(None);
        }
        let folder = self.manifest_path.parent();
        Ok(Some(LicenceText::Folder {
            folder: folder.context("a manifest is in a folder")?.to_owned(),
            source: format!("https://crates.io/crates/{}/{}", self.name, self.version),
        }))
    }

    pub(super) fn part(&self, checksum: Option<String>) -> Value {
        let mut part = json!({
            "type": "library",
            "bom-ref": self.url(),
            "name": self.name,
            "version": self.version,
        });
        // Our own crates are on no registry.
        if self.source.is_some() {
            part["purl"] = self.url().into();
        }
        if let Some(description) = &self.description {
            part["description"] = description.trim().into();
        }
        if let Some(license) = self.license() {
            // How it was written once.
            let expression = license.replace('/', " OR ");
            part["licenses"] = json!([{ "expression": expression }]);
        }
        if let Some(checksum) = checksum {
            part["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        part
    }
}
