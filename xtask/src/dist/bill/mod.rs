//! The bill of materials, in CycloneDX 1.6: the crates that the program and the modules for Python
//! and Node are made of, those of the guests that are in them, what these carry, and the model
//! beside them.
//!
//! - `crates`: what Cargo says of a workspace
//! - `editor`: the packages of npm that the console's editor is bundled of
//! - `embedded`: what guests are made of and Cargo does not know

mod crates;
mod editor;
mod embedded;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use xtask::repository;

use super::platform::Platform;
use super::release::{PACKAGES, Release};
use super::{SUMMARY, VERSION, digest};
use crates::{Node, Package, Workspace};
use editor::NpmPackage;
use embedded::{EMBEDDED, EmbeddedSoftware, EmbeddedText};

/// A guest that is in the program.
struct Guest {
    /// Its workspace, and the package there.
    folder: &'static str,
    package: &'static str,
    target: &'static str,
    /// Its file in `guests/dist`.
    file: &'static str,
    /// What it is made of from PyPI.
    requirements: Option<&'static str>,
}

/// All of them.
const GUESTS: [Guest; 2] = [
    Guest {
        folder: "guests/javascript",
        package: "ampoule-javascript",
        target: "wasm32-unknown-unknown",
        file: "javascript.wasm.zst",
        requirements: None,
    },
    Guest {
        folder: "guests/python",
        package: "ampoule-python",
        target: "wasm32-wasip2",
        file: "python.wasm.zst",
        requirements: Some("requirements.txt"),
    },
];

/// What the model of search by meaning is made of.
const MODEL: &str = "xtask/src/model/requirements.txt";

/// Parts, by their names in the bill, and what each is made of.
#[derive(Default)]
pub(super) struct Bill {
    parts: BTreeMap<String, Value>,
    made_of: BTreeMap<String, BTreeSet<String>>,
    /// What the program and the modules are made of at first hand.
    roots: BTreeSet<String>,
    /// Where the texts of the licences are, of all parts that others wrote.
    texts: BTreeMap<String, LicenceText>,
}

/// A part that others wrote, and the licence that it has.
pub(super) struct ForeignPart<'a> {
    /// Its name and version.
    pub(super) name: String,
    /// An expression of SPDX.
    pub(super) licence: &'a str,
    pub(super) text: &'a LicenceText,
}

/// Where the text of a part's licence is.
#[derive(Debug)]
pub(super) enum LicenceText {
    /// In files below a folder of sources, if there are any; else, where the part comes from.
    Folder { folder: PathBuf, source: String },
    /// Here.
    Here(&'static str),
    /// At this address.
    Address(&'static str),
}

impl Bill {
    /// The bill of a platform's packages.
    pub(super) fn of(platform: Platform) -> Result<Self> {
        let mut bill = Self::default();
        let program = Workspace::read(Path::new("."), platform.triple)?;
        for package in PACKAGES {
            let root = bill.add(&program, package)?;
            bill.roots.insert(root);
        }
        bill.add_editor()?;
        bill.add_guests()?;
        // Its file is beside the program.
        let model = bill.add_required(Path::new(MODEL))?;
        bill.roots.extend(model);
        Ok(bill)
    }

    /// Adds the guests, and all that they carry.
    fn add_guests(&mut self) -> Result<()> {
        for guest in GUESTS {
            let root = self.add_guest(&guest)?;
            self.roots.insert(root);
        }
        for software in &EMBEDDED {
            self.add_embedded(software)?;
        }
        Ok(())
    }

    /// What a written bill lacks of what is committed: the guests as they are in the repository, what
    /// they carry, and what the console's editor is made of.
    pub(super) fn missing_of_committed(document: &Value) -> Result<Vec<String>> {
        let none = Vec::new();
        let parts = document["components"].as_array().unwrap_or(&none);
        let mut missing = Vec::new();
        for guest in GUESTS {
            let bytes = fs::read(repository().join("guests/dist").join(guest.file))?;
            let digest = digest(&bytes);
            let is_it = |part: &Value| {
                part["name"] == guest.package && part["hashes"][0]["content"] == *digest
            };
            if !parts.iter().any(is_it) {
                missing.push(guest.file.to_owned());
            }
        }
        let editor = editor::packages()?;
        let urls = EMBEDDED.iter().map(EmbeddedSoftware::url);
        let urls = urls.chain(editor.iter().map(NpmPackage::url));
        missing.extend(urls.filter(|url| !parts.iter().any(|part| part["purl"] == **url)));
        Ok(missing)
    }

    /// Writes it beside the packages.
    pub(super) fn write(&self, release: &Release) -> Result<()> {
        let file = release.folder.join(format!("{}.cdx.json", release.name()));
        let document = self.document(release)?;
        Ok(fs::write(file, serde_json::to_string_pretty(&document)?)?)
    }

    /// The parts that others wrote, by name.
    pub(super) fn foreign(&self) -> Result<Vec<ForeignPart<'_>>> {
        let parts = self.texts.iter().map(|(url, text)| {
            let part = &self.parts[url];
            let licence = part["licenses"][0]["expression"].as_str();
            Ok(ForeignPart {
                name: full_name(part),
                licence: licence.with_context(|| format!("{url} names no licence"))?,
                text,
            })
        });
        let mut parts = parts.collect::<Result<Vec<_>>>()?;
        parts.sort_by_key(|part| part.name.to_lowercase());
        Ok(parts)
    }

    /// The names of the parts that are Ampoule's own.
    pub(super) fn own(&self) -> BTreeSet<&str> {
        let own = self.parts.iter();
        let own = own.filter(|(url, _)| !self.texts.contains_key(*url));
        own.filter_map(|(_, part)| part["name"].as_str()).collect()
    }

    /// Adds what a crate or a package of PyPI carries.
    fn add_embedded(&mut self, software: &EmbeddedSoftware) -> Result<()> {
        let url = software.url();
        let mut part = json!({
            "type": "library",
            "bom-ref": url,
            "purl": url,
            "name": software.name,
            "licenses": [{ "expression": software.licence }],
            "externalReferences": [{ "type": "website", "url": software.source }],
        });
        if let Some(version) = software.version {
            part["version"] = version.into();
        }
        self.parts.insert(url.clone(), part);
        for carrier in software.carriers {
            let of_carrier = self.texts.get(*carrier).with_context(|| {
                format!(
                    "the bill has no {carrier}, which carries {}: if there is another version now, \
                    bill/embedded.rs and NOTICE must say what this carries",
                    software.name
                )
            })?;
            let text = match (&software.text, of_carrier) {
                (EmbeddedText::Here(text), _) => LicenceText::Here(text),
                (EmbeddedText::Address(address), _) => LicenceText::Address(address),
                (EmbeddedText::Folder(below), LicenceText::Folder { folder, .. }) => {
                    LicenceText::Folder {
                        folder: folder.join(below),
                        source: software.source.to_owned(),
                    }
                }
                (EmbeddedText::Folder(below), _) => bail!("{carrier} has no folder {below}"),
            };
            self.texts.insert(url.clone(), text);
            let of = self.made_of.entry((*carrier).to_owned()).or_default();
            of.insert(url.clone());
        }
        Ok(())
    }

    /// Adds a guest; gives its name.
    fn add_guest(&mut self, guest: &Guest) -> Result<String> {
        let folder = Path::new(guest.folder);
        let workspace = Workspace::read(folder, guest.target)?;
        let name = self.add(&workspace, guest.package)?;
        let bytes = fs::read(repository().join("guests/dist").join(guest.file))?;
        if let Some(part) = self.parts.get_mut(&name) {
            part["hashes"] = json!([{ "alg": "SHA-256", "content": digest(&bytes) }]);
        }
        if let Some(requirements) = guest.requirements {
            let carried = self.add_required(&folder.join(requirements))?;
            let of = self.made_of.entry(name.clone()).or_default();
            of.extend(carried);
        }
        Ok(name)
    }

    /// Adds the packages of PyPI that a file for pip names; gives their names.
    fn add_required(&mut self, requirements: &Path) -> Result<Vec<String>> {
        let text = fs::read_to_string(repository().join(requirements))?;
        let mut added = Vec::new();
        for (package, version) in required(&text) {
            let url = format!("pkg:pypi/{package}@{version}");
            let known = embedded::pypi(package)?;
            let part = json!({
                "type": known.kind,
                "bom-ref": url,
                "purl": url,
                "name": package,
                "version": version,
                "licenses": [{ "expression": known.licence }],
            });
            self.parts.insert(url.clone(), part);
            let text = LicenceText::Here(known.text);
            self.texts.insert(url.clone(), text);
            added.push(url);
        }
        Ok(added)
    }

    /// Adds a package and all that it is linked with; gives its name.
    fn add(&mut self, workspace: &Workspace, package: &str) -> Result<String> {
        let Workspace { metadata, lock } = workspace;
        let root = metadata
            .packages
            .iter()
            .find(|found| found.name == package && found.source.is_none())
            .with_context(|| format!("unknown package {package}"))?;
        let of_id: BTreeMap<&str, &Package> = metadata
            .packages
            .iter()
            .map(|package| (&*package.id, package))
            .collect();
        let nodes: BTreeMap<&str, &Node> = metadata
            .resolve
            .nodes
            .iter()
            .map(|node| (&*node.id, node))
            .collect();
        let mut left = vec![&*root.id];
        let mut seen = BTreeSet::from([&*root.id]);
        while let Some(id) = left.pop() {
            let package = of_id.get(id).context("a package is described")?;
            let node = nodes.get(id).context("a package is resolved")?;
            let of = self.made_of.entry(package.url()).or_default();
            for part in node.deps.iter().filter(|part| part.is_linked()) {
                let described = of_id.get(&*part.pkg).context("a part is described")?;
                // What runs while something is compiled is not in it.
                if !described.is_macro() {
                    of.insert(described.url());
                    if seen.insert(&part.pkg) {
                        left.push(&part.pkg);
                    }
                }
            }
            let checksum = lock.package.iter().find_map(|locked| {
                let is_it = locked.name == package.name && locked.version == package.version;
                is_it.then(|| locked.checksum.clone())?
            });
            self.parts.insert(package.url(), package.part(checksum));
            if let Some(text) = package.text()? {
                self.texts.insert(package.url(), text);
            }
        }
        Ok(root.url())
    }

    fn document(&self, release: &Release) -> Result<Value> {
        let program = digest(&release.bytes()?);
        let time = UNIX_EPOCH + Duration::from_secs(release.epoch);
        let this = format!("ampoule@{VERSION}");
        let parts: Vec<_> = self.parts.values().collect();
        let made_of = self.made_of.iter().map(|(part, of)| (&**part, of));
        let made_of: Vec<_> = made_of
            .chain([(&*this, &self.roots)])
            .map(|(part, of)| json!({ "ref": part, "dependsOn": of }))
            .collect();
        Ok(json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "serialNumber": serial(&program),
            "version": 1,
            "metadata": {
                "timestamp": humantime::format_rfc3339_seconds(time).to_string(),
                "component": {
                    "type": "application",
                    "bom-ref": this,
                    "name": "ampoule",
                    "version": VERSION,
                    "description": SUMMARY,
                    "licenses": [{ "expression": "Apache-2.0" }],
                    "hashes": [{ "alg": "SHA-256", "content": program }],
                },
            },
            "components": parts,
            "dependencies": made_of,
        }))
    }
}

/// Names and versions in a file for pip.
fn required(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(['#', '-']));
    lines.filter_map(|line| {
        let (name, rest) = line.split_once("==")?;
        Some((name.trim(), rest.split([' ', ';']).next()?))
    })
}

/// A number that is another for other programs, and the same for the same.
fn serial(digest: &str) -> String {
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    // The digits that say that it is of nobody's kind but ours: version 8 of UUIDs.
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    )
}

/// A part's name with its version.
fn full_name(part: &Value) -> String {
    let [name, version] = ["name", "version"].map(|key| part[key].as_str().unwrap_or_default());
    format!("{name} {version}").trim_end().to_owned()
}
