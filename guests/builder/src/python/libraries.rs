//! Where CPython comes from: the package `componentize-py` carries it as dynamic libraries, with
//! the C library and the standard library.
//!
//! They are in its extension module, each compressed with Zstandard; what each one is, it says
//! itself.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasmparser::{KnownCustom, Name, Parser, Payload};

use super::{FOLDER, zones};
use xtask::repository;

/// What Zstandard's frames begin with.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The extension module in the package.
const EXTENSION: &str = "componentize_py/componentize_py.abi3.so";
/// The libraries that the guest is linked with, in the order in which they are loaded.
const LIBRARIES: [&str; 5] = [
    "libc.so",
    "libwasi-emulated-signal.so",
    "libwasi-emulated-getpid.so",
    "libwasi-emulated-process-clocks.so",
    "libpython3.14.so",
];
/// A file that the archive with the standard library has, and no other.
const LIBRARY_FILE: &str = "functools.py";

/// Files: path and content.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// CPython, as it comes.
pub(crate) struct Libraries {
    /// Dynamic libraries: name and module.
    pub(crate) code: Files,
    /// The standard library's sources: path and text, by path.
    pub(super) standard_library: Files,
    /// The source of the module with the time zones.
    pub(super) zones: Vec<u8>,
}

impl Libraries {
    /// Downloads the packages, unless they are there, and takes out what the guest is made of.
    pub(super) fn get(folder: &Path) -> Result<Self> {
        let packages = packages(folder)?;
        let mut content = Content::of(&packages)?;
        Ok(Self {
            code: LIBRARIES
                .into_iter()
                .map(|name| content.take(name))
                .collect::<Result<_>>()?,
            standard_library: content
                .standard_library
                .context("the package has no standard library")?,
            zones: zones::source(&packages)?,
        })
    }

    /// Other dynamic libraries of the package: name and module.
    pub(crate) fn named(names: &[&str]) -> Result<Files> {
        let mut content = Content::of(&packages(&super::folder()?)?)?;
        names.iter().map(|name| content.take(name)).collect()
    }
}

/// What the package carries.
struct Content {
    modules: Files,
    standard_library: Option<Files>,
}

impl Content {
    fn of(packages: &Path) -> Result<Self> {
        let extension = fs::read(packages.join(EXTENSION))
            .with_context(|| format!("the package has no {EXTENSION}"))?;
        let mut modules = Vec::new();
        let mut standard_library = None;
        for content in contents(&extension) {
            if let Some(name) = module_name(&content) {
                modules.push((name, content));
            } else if let Some(files) = library_files(&content)? {
                standard_library = Some(files);
            }
        }
        Ok(Self {
            modules,
            standard_library,
        })
    }

    /// A dynamic library: name and module.
    fn take(&mut self, name: &str) -> Result<(String, Vec<u8>)> {
        let found = self.modules.iter().position(|(found, _)| found == name);
        let found = found.with_context(|| format!("the package has no {name}"))?;
        Ok(self.modules.swap_remove(found))
    }
}

/// The folder of the unpacked packages.
fn packages(folder: &Path) -> Result<PathBuf> {
    let requirements = repository().join(FOLDER).join("requirements.txt");
    let wanted = fs::read_to_string(&requirements)?;
    let packages = folder.join("packages");
    let done = packages.join("requirements.txt");
    if fs::read_to_string(&done).is_ok_and(|there| there == wanted) {
        return Ok(packages);
    }
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--upgrade",
    ];
    let installed = Command::new("python3")
        .args(pip)
        .arg("--target")
        .arg(&packages)
        .arg("--requirement")
        .arg(&requirements)
        .status()
        .context("python3 can't be started")?;
    if !installed.success() {
        bail!("pip can't install {}", requirements.display());
    }
    fs::write(done, wanted)?;
    Ok(packages)
}

/// Everything that is compressed in a file.
fn contents(file: &[u8]) -> Vec<Vec<u8>> {
    let starts = file.windows(MAGIC.len()).enumerate();
    starts
        .filter(|(_, bytes)| *bytes == MAGIC)
        .filter_map(|(start, _)| {
            let mut content = Vec::new();
            let mut frame = zstd::Decoder::with_buffer(&file[start..])
                .ok()?
                .single_frame();
            frame.read_to_end(&mut content).ok()?;
            Some(content)
        })
        .collect()
}

/// The name that a module has in its name section.
fn module_name(content: &[u8]) -> Option<String> {
    if !content.starts_with(b"\0asm\x01\0\0\0") {
        return None;
    }
    Parser::new(0).parse_all(content).find_map(|payload| {
        let Payload::CustomSection(section) = payload.ok()? else {
            return None;
        };
        let KnownCustom::Name(names) = section.as_known() else {
            return None;
        };
        names.into_iter().find_map(|name| match name.ok()? {
            Name::Module { name, .. } => Some(name.to_owned()),
            _ => None,
        })
    })
}

/// The files of the standard library, if this is their archive.
fn library_files(content: &[u8]) -> Result<Option<Files>> {
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(content);
    let Ok(entries) = archive.entries() else {
        return Ok(None);
    };
    for entry in entries {
        let Ok(mut entry) = entry else {
            return Ok(None);
        };
        let path = entry.path()?.to_string_lossy().into_owned();
        let mut text = Vec::new();
        entry.read_to_end(&mut text)?;
        files.push((path, text));
    }
    files.sort();
    let is_library = files.iter().any(|(path, _)| path == LIBRARY_FILE);
    Ok(is_library.then_some(files))
}
