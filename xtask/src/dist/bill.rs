//! The bill of materials, in CycloneDX 1.6: the crates that the program and the modules for Python
//! and Node are made of, and those of the guests that are in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use xtask::repository;

use super::release::{PACKAGES, Release};
use super::{SUMMARY, VERSION, answer, digest};
use crate::programs::cargo;

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

/// What Cargo tells of a workspace.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    description: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// None is the usual one: it is linked. Others are for tests, and for build scripts.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

/// What is known of checksums.
#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// Parts, by their names in the bill, and what each is made of.
#[derive(Default)]
struct Bill {
    parts: BTreeMap<String, Value>,
    made_of: BTreeMap<String, BTreeSet<String>>,
}

/// Writes it.
pub(super) fn write(release: &Release) -> Result<()> {
    let mut bill = Bill::default();
    let mut roots = BTreeSet::new();
    for package in PACKAGES {
        roots.insert(bill.add(Path::new("."), package, release.platform.triple)?);
    }
    for guest in GUESTS {
        roots.insert(bill.add_guest(&guest)?);
    }
    let file = release.folder.join(format!("{}.cdx.json", release.name()));
    Ok(fs::write(
        file,
        serde_json::to_string_pretty(&bill.document(release, roots)?)?,
    )?)
}

impl Bill {
    /// Adds a guest; gives its name.
    fn add_guest(&mut self, guest: &Guest) -> Result<String> {
        let folder = Path::new(guest.folder);
        let name = self.add(folder, guest.package, guest.target)?;
        let bytes = fs::read(repository().join("guests/dist").join(guest.file))?;
        if let Some(part) = self.parts.get_mut(&name) {
            part["hashes"] = json!([{ "alg": "SHA-256", "content": digest(&bytes) }]);
        }
        if let Some(requirements) = guest.requirements {
            let text = fs::read_to_string(repository().join(folder).join(requirements))?;
            for (package, version) in required(&text) {
                let url = format!("pkg:pypi/{package}@{version}");
                let part = json!({
                    "type": "library",
                    "bom-ref": url,
                    "purl": url,
                    "name": package,
                    "version": version,
                });
                self.parts.insert(url.clone(), part);
                self.made_of.entry(name.clone()).or_default().insert(url);
            }
        }
        Ok(name)
    }

    /// Adds a package and all that it is linked with; gives its name.
    fn add(&mut self, workspace: &Path, package: &str, target: &str) -> Result<String> {
        let manifest = workspace.join("Cargo.toml").display().to_string();
        let metadata = answer(
            cargo(["metadata", "--locked", "--format-version", "1"]).args([
                "--manifest-path",
                &manifest,
                "--filter-platform",
                target,
            ]),
        )?;
        let metadata: Metadata = serde_json::from_slice(&metadata)?;
        let lock = fs::read_to_string(repository().join(workspace).join("Cargo.lock"))?;
        let lock: Lock = toml::from_str(&lock)?;
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
        }
        Ok(root.url())
    }

    fn document(mut self, release: &Release, roots: BTreeSet<String>) -> Result<Value> {
        let program = digest(&release.bytes()?);
        let time = UNIX_EPOCH + Duration::from_secs(release.epoch);
        let this = format!("ampoule@{VERSION}");
        self.made_of.insert(this.clone(), roots);
        let parts: Vec<_> = self.parts.into_values().collect();
        let made_of: Vec<_> = self
            .made_of
            .into_iter()
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

impl Dependency {
    fn is_linked(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.is_none())
    }
}

impl Package {
    fn is_macro(&self) -> bool {
        let mut kinds = self.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| kind == "proc-macro")
    }

    /// Its package URL, which names it in the bill.
    fn url(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    fn part(&self, checksum: Option<String>) -> Value {
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
        if let Some(license) = &self.license {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_is_made_of_what_it_is_linked_with() {
        let mut bill = Bill::default();
        let guest = bill.add_guest(&GUESTS[0]).expect("its crates");
        let of = |name: &str| {
            let name = format!("pkg:cargo/{name}@");
            bill.parts.iter().find(|(url, _)| url.starts_with(&name))
        };
        let (interpreter, part) = of("rquickjs-sys").expect("the interpreter");
        assert!(part["hashes"][0]["content"].is_string(), "{part}");
        assert_eq!(part["licenses"], json!([{ "expression": "MIT" }]));
        let (between, _) = of("rquickjs-core").expect("what binds it");
        assert!(bill.made_of[between].contains(interpreter));
        assert!(of("cc").is_none(), "it only compiles");
        assert!(bill.parts[&guest]["hashes"][0]["content"].is_string());
    }

    #[test]
    fn the_program_is_made_of_no_tests_and_no_tools() {
        let mut bill = Bill::default();
        let program = bill.add(Path::new("."), "ampoule-cli", super::super::platform::HERE);
        let program = program.expect("its crates");
        let has = |name: &str| {
            let name = format!("pkg:cargo/{name}@");
            bill.parts.keys().any(|url| url.starts_with(&name))
        };
        assert!(has("wasmtime") && has("ampoule-isolate"));
        for other in ["xtask", "criterion", "ampoule-tests", "serde_derive", "cc"] {
            assert!(!has(other), "{other}");
        }
        assert!(bill.made_of[&program].len() > 20);
    }

    #[test]
    fn what_pip_is_told_is_read() {
        let text = "# why\ncomponentize-py==0.25.1 \\\n    --hash=sha256:ab\ntzdata==2026.1\n";
        let found: Vec<_> = required(text).collect();
        assert_eq!(found, [("componentize-py", "0.25.1"), ("tzdata", "2026.1")]);
    }

    #[test]
    fn a_serial_number_is_a_uuid() {
        let serial = serial(&digest(b"program"));
        let uuid = serial.strip_prefix("urn:uuid:").expect("a name");
        let groups: Vec<_> = uuid.split('-').map(str::len).collect();
        assert_eq!(groups, [8, 4, 4, 4, 12], "{serial}");
    }
}
