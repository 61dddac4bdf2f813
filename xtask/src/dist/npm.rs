//! The packages for npm: the one that people name, with the module that embeds isolates in Node and
//! what starts the program, and the platform's two, which have the module's library and the program.
//! Each machine gets the platform's packages that fit, by npm itself: nothing is run or downloaded
//! when they are installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use xtask::repository;
use xtask::sources::files_in;

use super::VERSION;
use super::entries::{Entry, Kind, gzip, tar};
use super::licences::Licences;
use super::release::Release;

/// What the module is made from.
const SOURCES: &str = "host/bind/node";
/// What starts the program, in its package.
const LAUNCHER: &str = "bin/ampoule.cjs";
/// What packages describe themselves in.
const MANIFEST: &str = "package.json";

/// Writes them, the platform's before the one that needs them, and gives their paths.
pub(super) fn write(release: &Release, licences: &Licences) -> Result<Vec<PathBuf>> {
    let [platform, _] = release.platform.npm();
    let (mut manifest, mut entries) = module()?;
    entries.push(Entry::program(LAUNCHER, include_str!("files/launcher.cjs")));
    entries.push(Entry::file("README.md", include_str!("files/npm.md")));
    manifest["bin"] = json!({ "ampoule": LAUNCHER });
    let mut program = vec![Entry::program("bin/ampoule", release.bytes()?)];
    program.extend(release.model("bin"));
    let library = vec![Entry::file("index.node", release.node()?)];
    let mut packages = Vec::new();
    for (name, entries) in [
        (platform.to_owned(), program),
        (format!("node-{platform}"), library),
    ] {
        manifest["optionalDependencies"][format!("@ampoule/{name}")] = VERSION.into();
        packages.push(of_platform(release, licences, &name, entries)?);
    }
    packages.push(packed(release, licences, &manifest, entries)?);
    Ok(packages)
}

/// The module's manifest, and the files that this says belong to it.
fn module() -> Result<(Value, Vec<Entry>)> {
    let text = fs::read_to_string(repository().join(SOURCES).join(MANIFEST))?;
    let manifest: Value = serde_json::from_str(&text)?;
    ensure!(
        manifest["name"] == "ampoule" && manifest["version"] == VERSION,
        "{SOURCES}/{MANIFEST} is not of ampoule {VERSION}"
    );
    let patterns = Vec::<String>::deserialize(&manifest["files"])?;
    let mut entries = Vec::new();
    for file in files_in(SOURCES)? {
        let path = file.strip_prefix(SOURCES)?;
        // The library is in the platform's package; one that was built for work on it may lie here.
        let is_library = path.extension().is_some_and(|end| end == "node");
        if !is_library && patterns.iter().any(|pattern| has(pattern, path)) {
            let content = fs::read(repository().join(&file))?;
            entries.push(Entry::file(path.display().to_string(), content));
        }
    }
    Ok((manifest, entries))
}

/// Whether a pattern of the manifest, a folder or `*.end`, has this file.
fn has(pattern: &str, path: &Path) -> bool {
    match pattern.strip_prefix('*') {
        Some(end) => path.components().count() == 1 && path.to_string_lossy().ends_with(end),
        None => path.starts_with(pattern),
    }
}

/// A package that only machines of this platform get.
fn of_platform(
    release: &Release,
    licences: &Licences,
    name: &str,
    mut entries: Vec<Entry>,
) -> Result<PathBuf> {
    let [_, architecture] = release.platform.npm();
    let manifest = json!({
        "name": format!("@ampoule/{name}"),
        "version": VERSION,
        "description": format!("A part of the package ampoule: {name}"),
        "license": "Apache-2.0",
        "os": ["linux"],
        "cpu": [architecture],
        "libc": ["glibc"],
        "main": entries.first().map(|entry| &entry.path),
        "preferUnplugged": true,
    });
    let readme = format!("A part of the package `ampoule`, which names it: {name}.\n");
    entries.push(Entry::file("README.md", readme));
    packed(release, licences, &manifest, entries)
}

/// Writes a package as `npm pack` does, and names it as that does.
pub(super) fn packed(
    release: &Release,
    licences: &Licences,
    manifest: &Value,
    mut entries: Vec<Entry>,
) -> Result<PathBuf> {
    let text = serde_json::to_string_pretty(manifest).context("a manifest is JSON")?;
    entries.push(Entry::file(MANIFEST, text + "\n"));
    entries.extend(licences.entries());
    let entries: Vec<_> = entries
        .into_iter()
        .filter(|entry| matches!(entry.kind, Kind::File(_)))
        .map(|entry| entry.below("package"))
        .collect();
    let name = manifest["name"].as_str().context("a package has a name")?;
    // `@ampoule/linux-x64` is in `ampoule-linux-x64-….tgz`.
    let name = name.trim_start_matches('@').replace('/', "-");
    let file = release.folder.join(format!("{name}-{VERSION}.tgz"));
    fs::write(&file, gzip(&tar(&entries, release.epoch)?)?)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_has_what_its_manifest_says() {
        let (_, entries) = module().expect("the module");
        let paths: Vec<_> = entries.iter().map(|entry| &*entry.path).collect();
        for path in [
            "index.js",
            "index.d.ts",
            "outcome.d.ts",
            "errors.d.ts",
            "native.d.ts",
            "codemode.js",
            "lib/native.js",
        ] {
            assert!(paths.contains(&path), "{paths:?}");
        }
        let others = ["src/", "test/", "bench/", "tsconfig", "Cargo", "build.rs"];
        assert!(
            !paths
                .iter()
                .any(|path| others.iter().any(|other| path.starts_with(other))),
            "{paths:?}"
        );
    }
}
