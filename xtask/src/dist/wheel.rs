//! The wheel for Python: the module that embeds isolates there, with the program as a script. Its tag
//! names the least C library that what is in it needs. `maturin build` makes the same without the
//! program, in a build of its own.

use std::cmp::max;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use xtask::repository;
use xtask::sources::files_in;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::VERSION;
use super::entries::Kind;
use super::licences::Licences;
use super::needs::Needs;
use super::release::Release;

/// What the module is made from.
const SOURCES: &str = "host/bind/python";
/// The versions of Python that load its library: those that have the interface of 3.10.
const PYTHON: &str = "cp310-abi3";

/// The package and its module. PyPI's `ampoule` is another project.
const NAME: &str = "pyampoule";
/// Starts the program by the package's name, so that `uvx pyampoule` does. Installers write the
/// environment's Python into the first line.
const LAUNCHER: &str = "#!python\n\
    import os, sys\n\
    program = os.path.join(os.path.dirname(os.path.realpath(__file__)), \"ampoule\")\n\
    os.execv(program, [program, *sys.argv[1:]])\n";

/// A file of a wheel: its path, mode and content.
pub(super) type Part = (String, u32, Vec<u8>);

/// What the sources say of the package.
#[derive(Deserialize)]
struct Manifest {
    project: Project,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Project {
    name: String,
    description: String,
    requires_python: String,
    license: String,
    dependencies: Vec<String>,
    classifiers: Vec<String>,
}

/// Writes it, and gives its path.
pub(super) fn write(release: &Release, licences: &Licences) -> Result<PathBuf> {
    let library = release.python()?;
    let (major, minor) = max(release.needs.glibc, Needs::of_library(&library)?);
    let system = format!("manylinux_{major}_{minor}_{}", release.platform.machine());
    let tag = format!("{PYTHON}-{system}");
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: {tag}\n"
    );
    let mut parts = module()?;
    let program = format!("{NAME}-{VERSION}.data/scripts/ampoule");
    let launcher = format!("{NAME}-{VERSION}.data/scripts/{NAME}");
    parts.extend([
        (format!("{NAME}/_ampoule.abi3.so"), 0o755, library),
        (information("METADATA"), 0o644, metadata(licences)?.into()),
        (information("WHEEL"), 0o644, wheel.into()),
        (program, 0o755, release.bytes()?),
        (launcher, 0o755, LAUNCHER.into()),
    ]);
    // Below the environment, whose `bin` has the program.
    for entry in release.model(&format!("{NAME}-{VERSION}.data/data/share/ampoule")) {
        if let Kind::File(content) = entry.kind {
            parts.push((entry.path, entry.mode, content));
        }
    }
    for (name, content) in licences.files() {
        let path = information(&format!("licenses/{name}"));
        parts.push((path, 0o644, content.to_vec()));
    }
    let path = release.folder.join(format!("{NAME}-{VERSION}-{tag}.whl"));
    archive(&path, parts, &information("RECORD"))?;
    Ok(path)
}

/// Writes a wheel's parts, and the list with their digests.
pub(super) fn archive(path: &Path, parts: Vec<Part>, record: &str) -> Result<()> {
    let mut lines = String::new();
    let mut archive = ZipWriter::new(File::create(path)?);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        // The first that there is: installers give files the date of the day.
        .last_modified_time(DateTime::default());
    for (name, mode, content) in parts {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&content));
        writeln!(lines, "{name},sha256={digest},{}", content.len())?;
        archive.start_file(name, options.unix_permissions(mode))?;
        archive.write_all(&content)?;
    }
    writeln!(lines, "{record},,")?;
    archive.start_file(record, options.unix_permissions(0o644))?;
    archive.write_all(lines.as_bytes())?;
    archive.finish()?;
    Ok(())
}

fn information(file: &str) -> String {
    format!("{NAME}-{VERSION}.dist-info/{file}")
}

/// All of the module that is not compiled.
fn module() -> Result<Vec<Part>> {
    let root = format!("{SOURCES}/python");
    let files = files_in(&root)?.into_iter();
    // One that was built for work on it may lie there.
    let files = files.filter(|file| file.extension().is_none_or(|end| end != "so"));
    let parts = files.map(|file| {
        let content = fs::read(repository().join(&file))?;
        let name = file.strip_prefix(&root)?.display().to_string();
        Ok((name, 0o644, content))
    });
    parts.collect()
}

/// What the wheel says of itself, from what the sources say.
fn metadata(licences: &Licences) -> Result<String> {
    let manifest = fs::read_to_string(repository().join(SOURCES).join("pyproject.toml"))?;
    let project = toml::from_str::<Manifest>(&manifest)?.project;
    let mut text = format!(
        "Metadata-Version: 2.4\n\
        Name: {}\n\
        Version: {VERSION}\n\
        Summary: {}\n\
        License-Expression: {}\n\
        Keywords: mcp,sandbox,wasm,agents\n\
        Requires-Python: {}\n",
        project.name, project.description, project.license, project.requires_python
    );
    for (name, _) in licences.files() {
        writeln!(text, "License-File: {name}")?;
    }
    for classifier in project.classifiers {
        writeln!(text, "Classifier: {classifier}")?;
    }
    for needed in project.dependencies {
        writeln!(text, "Requires-Dist: {needed}")?;
    }
    text.push_str("Description-Content-Type: text/markdown\n\n");
    text.push_str(include_str!("files/pypi.md"));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use zip::ZipArchive;

    use super::super::bill::Bill;
    use super::*;

    fn read(wheel: &Path, name: &str) -> String {
        let mut archive = ZipArchive::new(File::open(wheel).expect("a wheel")).expect("an archive");
        let mut text = String::new();
        let mut entry = archive.by_name(name).expect(name);
        entry.read_to_string(&mut text).expect("text");
        text
    }

    #[test]
    fn a_wheel_lists_all_that_it_has_and_says_where_it_runs_and_what_it_needs() {
        let folder = tempfile::tempdir().expect("a folder");
        let release = Release::of_this(folder.path());
        let (major, minor) = release.needs.glibc;
        let licences = Licences::of(&Bill::default()).expect("licences");
        let wheel = write(&release, &licences).expect("a wheel");
        let tag = format!("cp310-abi3-manylinux_{major}_{minor}_x86_64");
        let name = wheel.file_name().expect("a name").to_string_lossy();
        assert_eq!(name, format!("{NAME}-{VERSION}-{tag}.whl"));
        let said = read(&wheel, &information("WHEEL"));
        assert!(said.ends_with(&format!("\nTag: {tag}\n")), "{said}");
        let record = read(&wheel, &information("RECORD"));
        for part in [
            "pyampoule/__init__.py,",
            "pyampoule/adapters/",
            "pyampoule/py.typed,",
            "pyampoule/_ampoule.abi3.so,",
            "/scripts/ampoule,",
            "/scripts/pyampoule,",
            "/licenses/NOTICE,",
            "/licenses/THIRD-PARTY.txt,",
            "/RECORD,,",
        ] {
            assert!(record.contains(part), "{record}");
        }
        let said = read(&wheel, &information("METADATA"));
        assert!(said.contains("\nRequires-Dist: pydantic"), "{said}");
        assert!(said.contains("\nRequires-Python: >=3.10\n"), "{said}");
        assert!(said.contains("\nLicense-File: THIRD-PARTY.txt\n"), "{said}");
    }
}
