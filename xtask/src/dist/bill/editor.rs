//! The packages of npm that the console's editor is bundled of. The bundle is committed, so
//! neither Cargo nor npm knows its parts; the list beside it names them.

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::{Bill, LicenceText};

/// The crate that carries the bundle.
const CARRIER: &str = "pkg:cargo/ampoule-console@";
/// The packages with their licences, in parts of one text each.
const LIST: &str = include_str!("../../../../host/serve/console/assets/editor/THIRD-PARTY.txt");
/// What stands between two parts.
const RULE: &str = "\n----\n";

/// A package of npm in the bundle.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NpmPackage {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    /// As an expression of SPDX.
    pub(super) licence: &'static str,
    pub(super) text: &'static str,
}

impl NpmPackage {
    /// Its package URL.
    pub(super) fn url(&self) -> String {
        format!("pkg:npm/{}@{}", self.name.replace('@', "%40"), self.version)
    }
}

/// All of them.
///
/// # Errors
///
/// A line of the list has another form.
pub(super) fn packages() -> Result<Vec<NpmPackage>> {
    let (_, list) = LIST.split_once("\n\n").context("the list has a head")?;
    let mut packages = Vec::new();
    let parts = list.split(RULE).map(str::trim_start);
    for part in parts.filter(|part| !part.is_empty()) {
        let (names, text) = part
            .split_once("\n\n")
            .context("a part of the editor's list has names and a text")?;
        for line in names.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, version, licence] = words[..] else {
                bail!("the editor's list has another line: {line}");
            };
            let licence = licence
                .strip_prefix('(')
                .and_then(|it| it.strip_suffix(')'));
            packages.push(NpmPackage {
                name,
                version,
                licence: licence.with_context(|| format!("{name} has no licence"))?,
                text,
            });
        }
    }
    Ok(packages)
}

impl Bill {
    /// Adds what the console's editor is made of.
    pub(super) fn add_editor(&mut self) -> Result<()> {
        let mut parts = self.parts.keys();
        let carrier = parts.find(|url| url.starts_with(CARRIER)).cloned();
        let carrier = carrier.context("the bill has no crate with the console's editor")?;
        for package in packages()? {
            let url = package.url();
            let part = json!({
                "type": "library",
                "bom-ref": url,
                "purl": url,
                "name": package.name,
                "version": package.version,
                "licenses": [{ "expression": package.licence }],
            });
            self.parts.insert(url.clone(), part);
            let text = LicenceText::Here(package.text);
            self.texts.insert(url.clone(), text);
            let of = self.made_of.entry(carrier.clone()).or_default();
            of.insert(url);
        }
        Ok(())
    }
}
