//! The packages for npm: the one that people name, which only starts the program, and the
//! platform's, which has it. With the module that embeds the same in Node, the first has that, too,
//! and there is a third with the module's library. Each machine gets the platform's packages that
//! fit, by npm itself: nothing is run or downloaded when they are installed.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tar::Archive;
use xtask::repository;

use super::entries::{Entry, Kind, gzip, tar};
use super::release::Release;
use super::{SUMMARY, VERSION, answer};

/// What starts the program, in its package.
const LAUNCHER: &str = "bin/ampoule.cjs";
/// What packages describe themselves in.
const MANIFEST: &str = "package.json";

/// Writes them, the platform's before the one that needs them, and gives their paths.
pub(super) fn write(release: &Release, module: Option<&Path>) -> Result<Vec<PathBuf>> {
    let [platform, _] = release.platform.npm;
    let (mut manifest, mut entries) = match module {
        Some(folder) => taken_from(folder)?,
        None => of_its_own(),
    };
    let (libraries, others): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|entry| entry.path.ends_with(".node"));
    entries = others;
    entries.push(Entry::program(LAUNCHER, include_str!("files/launcher.cjs")));
    manifest["bin"] = json!({ "ampoule": LAUNCHER });
    let mut packages = Vec::new();
    let program = Entry::program("bin/ampoule", release.bytes()?);
    let mut named = vec![(platform.to_owned(), program)];
    for library in libraries {
        let path = "index.node".to_owned();
        named.push((format!("node-{platform}"), Entry { path, ..library }));
    }
    for (name, entry) in named {
        manifest["optionalDependencies"][format!("@ampoule/{name}")] = VERSION.into();
        packages.push(of_platform(release, &name, entry)?);
    }
    packages.push(packed(release, "ampoule", &manifest, entries)?);
    Ok(packages)
}

/// A package that has the program alone.
fn of_its_own() -> (Value, Vec<Entry>) {
    let manifest = json!({
        "name": "ampoule",
        "version": VERSION,
        "description": SUMMARY,
        "license": "Apache-2.0",
        "keywords": ["mcp", "sandbox", "wasm", "agents"],
        "engines": { "node": ">=20" },
    });
    let readme = Entry::file("README.md", include_str!("files/npm.md"));
    (manifest, vec![readme])
}

/// The module's package as npm packs it, with its library for this platform.
fn taken_from(folder: &Path) -> Result<(Value, Vec<Entry>)> {
    let into = tempfile::tempdir()?;
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]);
    let name = answer(pack.arg(into.path()).arg(folder.canonicalize()?))?;
    let file = into.path().join(String::from_utf8(name)?.trim());
    let mut archive = Archive::new(GzDecoder::new(fs::File::open(file)?));
    let mut manifest = None;
    let mut entries = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.display().to_string();
        let path = path.strip_prefix("package/").unwrap_or(&path).to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        if path == MANIFEST {
            manifest = Some(serde_json::from_slice::<Value>(&content)?);
        } else {
            entries.push(Entry::file(path, content));
        }
    }
    let manifest = manifest.context("the module has no manifest")?;
    ensure!(
        manifest["name"] == "ampoule" && manifest["version"] == VERSION,
        "{} is not the module of ampoule {VERSION}",
        folder.display()
    );
    Ok((manifest, entries))
}

/// A package that only machines of this platform get.
fn of_platform(release: &Release, name: &str, entry: Entry) -> Result<PathBuf> {
    let [_, architecture] = release.platform.npm;
    let manifest = json!({
        "name": format!("@ampoule/{name}"),
        "version": VERSION,
        "description": format!("A part of the package ampoule: {name}"),
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": [architecture],
        "libc": ["glibc"],
        "main": entry.path,
        "preferUnplugged": true,
    });
    let readme = format!("A part of the package `ampoule`, which names it: {name}.\n");
    let entries = vec![entry, Entry::file("README.md", readme)];
    packed(release, &format!("ampoule-{name}"), &manifest, entries)
}

/// Writes a package as `npm pack` does, and names it as that does.
fn packed(
    release: &Release,
    name: &str,
    manifest: &Value,
    mut entries: Vec<Entry>,
) -> Result<PathBuf> {
    let text = serde_json::to_string_pretty(manifest).context("a manifest is JSON")?;
    entries.push(Entry::file(MANIFEST, text + "\n"));
    if entries.iter().all(|entry| entry.path != "LICENSE") {
        let licence = fs::read(repository().join("LICENSE"))?;
        entries.push(Entry::file("LICENSE", licence));
    }
    let entries: Vec<_> = entries
        .into_iter()
        .filter(|entry| matches!(entry.kind, Kind::File(_)))
        .map(|entry| entry.below("package"))
        .collect();
    let file = release.folder.join(format!("{name}-{VERSION}.tgz"));
    fs::write(&file, gzip(&tar(&entries, release.epoch)?)?)?;
    Ok(file)
}
