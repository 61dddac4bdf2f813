//! The wheel for Python: the program as a script of a package, alone or with the module that embeds
//! the same in Python. Its tag names the least C library that what is in it needs.

use std::cmp::max;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use xtask::repository;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::needs::Needs;
use super::release::Release;
use super::{SUMMARY, VERSION};

/// A file of a wheel: its path, mode and content.
type Part = (String, u32, Vec<u8>);

/// What the line begins with that says which systems a wheel is for.
const TAG: &str = "Tag: ";

/// Writes it, with the module of a wheel that maturin made, if there is one, and gives its path.
pub(super) fn write(release: &Release, module: Option<&Path>) -> Result<PathBuf> {
    let mut parts = match module {
        Some(module) => taken_from(module)?,
        None => of_its_own()?,
    };
    let program = format!("ampoule-{VERSION}.data/scripts/ampoule");
    parts.push((program, 0o755, release.bytes()?));
    let tag = tag(release, &mut parts)?;
    let path = release.folder.join(format!("ampoule-{VERSION}-{tag}.whl"));
    let record = information("RECORD");
    let mut lines = String::new();
    let mut archive = ZipWriter::new(File::create(&path)?);
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
    Ok(path)
}

fn information(file: &str) -> String {
    format!("ampoule-{VERSION}.dist-info/{file}")
}

/// What a wheel says of itself that has the program alone.
fn of_its_own() -> Result<Vec<Part>> {
    let licence = fs::read(repository().join("LICENSE"))?;
    let metadata = format!(
        "Metadata-Version: 2.4\n\
        Name: ampoule\n\
        Version: {VERSION}\n\
        Summary: {SUMMARY}\n\
        License-Expression: Apache-2.0\n\
        License-File: LICENSE\n\
        Keywords: mcp,sandbox,wasm,agents\n\
        Requires-Python: >=3.8\n\
        Description-Content-Type: text/markdown\n\n{}",
        include_str!("files/pypi.md")
    );
    // The system is added once it is known.
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\n{TAG}py3-none-any\n"
    );
    Ok(vec![
        (information("METADATA"), 0o644, metadata.into()),
        (information("WHEEL"), 0o644, wheel.into()),
        (information("licenses/LICENSE"), 0o644, licence),
    ])
}

/// All that is in another wheel of the same version, but for the list of it.
fn taken_from(module: &Path) -> Result<Vec<Part>> {
    let file = File::open(module).with_context(|| format!("{} is not there", module.display()))?;
    let mut archive = ZipArchive::new(file)?;
    let mut parts = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let name = entry.name()?.into_owned();
        if !entry.is_dir() && name != information("RECORD") {
            let mode = entry.unix_mode().unwrap_or(0o644) & 0o777;
            let mut content = Vec::new();
            entry.read_to_end(&mut content)?;
            parts.push((name, mode, content));
        }
    }
    let described = parts
        .iter()
        .any(|(name, ..)| *name == information("METADATA"));
    ensure!(
        described,
        "{} is no wheel of ampoule {VERSION}",
        module.display()
    );
    // However maturin orders them.
    parts.sort();
    Ok(parts)
}

/// Says in the wheel which systems it is for, and gives that: the Python that it was for, and this
/// C library or a newer one.
fn tag(release: &Release, parts: &mut [Part]) -> Result<String> {
    let mut glibc = release.needs.glibc;
    for (name, _, content) in &*parts {
        if name.ends_with(".so") {
            glibc = max(glibc, Needs::of_library(content)?);
        }
    }
    let (major, minor) = glibc;
    let system = format!("manylinux_{major}_{minor}_{}", release.platform.wheel);
    let wheel = parts
        .iter_mut()
        .find(|(name, ..)| *name == information("WHEEL"));
    let (_, _, text) = wheel.context("a wheel says which systems it is for")?;
    let said = String::from_utf8(text.clone())?;
    let line = said.lines().find_map(|line| line.strip_prefix(TAG));
    let line = line.context("a wheel has a tag")?;
    let (python, _) = line.rsplit_once('-').context("a tag has parts")?;
    let tag = format!("{python}-{system}");
    let others = said.lines().filter(|line| !line.starts_with(TAG));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    *text = format!("{others}{TAG}{tag}\n").into_bytes();
    Ok(tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::platform::{HERE, Platform};

    /// This test's own program as a release.
    fn release(folder: &Path) -> Release {
        let platform = Platform::of(HERE).expect("a platform");
        let this = std::env::current_exe().expect("this test's path");
        Release::of(platform, None, &this, folder).expect("a release")
    }

    fn read(wheel: &Path, name: &str) -> String {
        let mut archive = ZipArchive::new(File::open(wheel).expect("a wheel")).expect("an archive");
        let mut text = String::new();
        let mut entry = archive.by_name(name).expect(name);
        entry.read_to_string(&mut text).expect("text");
        text
    }

    /// A wheel as maturin makes one, with a library: this test's own program passes for it.
    fn module(folder: &Path, library: &[u8]) -> PathBuf {
        let path = folder.join("module.whl");
        let mut archive = ZipWriter::new(File::create(&path).expect("a file"));
        let wheel = "Wheel-Version: 1.0\nTag: cp310-abi3-linux_x86_64\n";
        for (name, content) in [
            (
                "ampoule/__init__.py".to_owned(),
                &b"from ._ampoule import *\n"[..],
            ),
            ("ampoule/_ampoule.abi3.so".to_owned(), library),
            (information("METADATA"), b"Name: ampoule\n"),
            (information("WHEEL"), wheel.as_bytes()),
            (information("RECORD"), b"old,,\n"),
        ] {
            let options = SimpleFileOptions::default();
            archive.start_file(name, options).expect("a part");
            archive.write_all(content).expect("its content");
        }
        archive.finish().expect("a wheel");
        path
    }

    #[test]
    fn a_wheel_lists_all_that_it_has_and_says_where_it_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let release = release(folder.path());
        let (major, minor) = release.needs.glibc;
        let alone = write(&release, None).expect("a wheel");
        let tag = format!("py3-none-manylinux_{major}_{minor}_x86_64");
        let name = alone.file_name().expect("a name").to_string_lossy();
        assert_eq!(name, format!("ampoule-{VERSION}-{tag}.whl"));
        let said = read(&alone, &information("WHEEL"));
        assert!(said.ends_with(&format!("\nTag: {tag}\n")), "{said}");
        let record = read(&alone, &information("RECORD"));
        assert_eq!(record.lines().count(), 5, "{record}");
    }

    #[test]
    fn the_program_joins_a_module() {
        let folder = tempfile::tempdir().expect("a folder");
        let release = release(folder.path());
        let module = module(folder.path(), &release.bytes().expect("a program"));
        let both = write(&release, Some(&module)).expect("a wheel");
        let said = read(&both, &information("WHEEL"));
        assert!(said.contains("Tag: cp310-abi3-manylinux_"), "{said}");
        let record = read(&both, &information("RECORD"));
        for part in ["ampoule/__init__.py,", "/scripts/ampoule,", "/RECORD,,"] {
            assert!(record.contains(part), "{record}");
        }
        assert!(!record.contains("old"), "{record}");
        assert_eq!(read(&both, &information("METADATA")), "Name: ampoule\n");
    }
}
