//! What the libraries are compiled from, and with: `guests/python-data/pins.json`. Everything is
//! downloaded once, and is what its digest says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use xtask::sources::hex;

use super::run;

/// What is pinned.
#[derive(Deserialize)]
pub(super) struct Pins {
    /// Archives of sources, from PyPI.
    pub(super) sources: Vec<Source>,
    /// Packages of Debian.
    packages: Vec<Package>,
    /// Programs in Python, as pip names them.
    pub(super) tools: Vec<String>,
}

/// An archive of sources.
#[derive(Deserialize)]
pub(super) struct Source {
    pub(super) name: String,
    version: String,
    sha256: String,
}

/// A package of Debian: only its files are taken, it is not installed.
#[derive(Deserialize)]
struct Package {
    name: String,
    release: String,
    version: String,
    sha256: String,
}

impl Pins {
    pub(super) fn read(own: &Path) -> Result<Self> {
        let file = own.join("pins.json");
        let text = fs::read(&file).with_context(|| format!("{} is missing", file.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} can't be read", file.display()))
    }

    /// What the guest has, for the program: the modules by whose names scripts choose it, and the
    /// versions of packages.
    pub(super) fn about(&self) -> serde_json::Value {
        let versions = self.sources.iter().map(|source| {
            let name = source.name.replace('_', "-");
            (name, serde_json::Value::from(source.version.clone()))
        });
        serde_json::json!({
            "modules": super::PACKAGES,
            "packages": versions.collect::<serde_json::Map<_, _>>(),
        })
    }

    /// The licences of all that is compiled into the guest: those of the archives, which lie unpacked
    /// in a folder, and those of Debian's packages.
    pub(super) fn licences(&self, sources: &Path, packages: &Path) -> Result<String> {
        let mut texts = String::new();
        for source in &self.sources {
            let folder = sources.join(source.full_name());
            let mut found = files_that_begin(&folder, "LICENSE")?;
            found.sort();
            ensure!(!found.is_empty(), "{} has no licence", folder.display());
            for file in found {
                add_licence(&mut texts, &source.full_name(), &file)?;
            }
        }
        for package in &self.packages {
            let name = &package.name;
            let file = packages.join("usr/share/doc").join(name).join("copyright");
            add_licence(&mut texts, &format!("{name} {}", package.version), &file)?;
        }
        Ok(texts)
    }

    /// Takes the files of all packages into a folder.
    pub(super) fn unpack_packages(&self, folder: &Path, into: &Path) -> Result<()> {
        let archives = folder.join("packages");
        fs::create_dir_all(&archives)?;
        for package in &self.packages {
            let archive = package.archive(&archives)?;
            run(Command::new("dpkg-deb").arg("-x").arg(archive).arg(into))?;
        }
        Ok(())
    }
}

impl Source {
    /// What it is called: its folder, and the beginning of its archive's name.
    pub(super) fn full_name(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Unpacks it into a folder, by a program of the tools.
    pub(super) fn unpack(&self, unearth: &Path, folder: &Path, into: &Path) -> Result<PathBuf> {
        let archives = folder.join("archives");
        fs::create_dir_all(&archives)?;
        let archive = archives.join(format!("{}.tar.gz", self.full_name()));
        if !archive.exists() {
            // pip would build what it downloads as sources.
            run(Command::new(unearth)
                .args(["--no-binary", "--python-version", "3.14", "--download"])
                .arg(&archives)
                .arg(format!("{}=={}", self.name, self.version)))?;
        }
        verify(&archive, &self.sha256)?;
        run(Command::new("tar")
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(into))?;
        Ok(into.join(self.full_name()))
    }
}

impl Package {
    /// Its archive, downloaded unless it is there.
    fn archive(&self, archives: &Path) -> Result<PathBuf> {
        let folder = archives.join(&self.name);
        fs::create_dir_all(&folder)?;
        if archive_in(&folder)?.is_none() {
            let lists = archives.join(format!("lists-{}", self.release));
            let options = options(&lists, &self.release)?;
            if !lists.join("pkgcache.bin").exists() {
                run(Command::new("apt-get").args(&options).arg("update"))?;
            }
            let wanted = format!("{}={}", self.name, self.version);
            let downloaded = run(Command::new("apt-get")
                .current_dir(&folder)
                .args(&options)
                .args(["download", &wanted]));
            downloaded.with_context(|| {
                format!(
                    "{} has no {wanted} any more; pin another version in pins.json, and try what it builds",
                    self.release
                )
            })?;
        }
        let archive = archive_in(&folder)?.context("nothing was downloaded")?;
        verify(&archive, &self.sha256)?;
        Ok(archive)
    }
}

/// The files of a folder whose names begin so.
fn files_that_begin(folder: &Path, with: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(with) && path.is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

/// Adds the text of a licence under the name of what it is of.
fn add_licence(texts: &mut String, of: &str, file: &Path) -> Result<()> {
    let text = fs::read_to_string(file);
    let text = text.with_context(|| format!("{} can't be read", file.display()))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    texts.push_str(&format!("== {of}: {name}\n\n{}\n\n", text.trim_end()));
    Ok(())
}

fn archive_in(folder: &Path) -> Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// What apt is told so that it knows a release beside the machine's own, from the same archive.
fn options(lists: &Path, release: &str) -> Result<Vec<String>> {
    let archive = Command::new("apt-get")
        .args(["indextargets", "--format", "$(ORIGIN) $(REPO_URI)"])
        .arg("Created-By: Packages")
        .output()
        .context("apt-get can't be started")?;
    let archive = String::from_utf8(archive.stdout)?;
    let archive = archive.lines().find_map(|line| {
        let address = line.strip_prefix("Debian ")?;
        (!address.contains("security")).then_some(address)
    });
    let archive = archive.context("apt knows no archive of Debian; run `apt-get update`")?;
    for part in ["lists/partial", "archives/partial"] {
        fs::create_dir_all(lists.join(part))?;
    }
    let sources = lists.join("sources.list");
    let line = format!(
        "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {archive} {release} main\n"
    );
    fs::write(&sources, line)?;
    let set = |name: &str, value: &str| ["-o".to_owned(), format!("{name}={value}")];
    Ok([
        set("Dir::Etc::sourcelist", &sources.to_string_lossy()),
        set("Dir::Etc::sourceparts", "-"),
        set("Dir::State::lists", &lists.join("lists").to_string_lossy()),
        set("Dir::Cache", &lists.to_string_lossy()),
        // The index of a release that moves is older than it says where the archive is a copy.
        set("Acquire::Check-Valid-Until", "false"),
    ]
    .concat())
}

/// # Errors
///
/// Where a file is not what was pinned.
fn verify(file: &Path, sha256: &str) -> Result<()> {
    let content = fs::read(file).with_context(|| format!("{} is missing", file.display()))?;
    ensure!(
        hex(Sha256::digest(&content)) == sha256,
        "{} is not the file that is pinned; remove it, and try again",
        file.display()
    );
    Ok(())
}

/// The programs in Python: a folder with them.
pub(super) fn tools(pins: &Pins, folder: &Path) -> Result<PathBuf> {
    let tools = folder.join("tools");
    let done = tools.join("tools.txt");
    let wanted = pins.tools.join("\n");
    if fs::read_to_string(&done).is_ok_and(|there| there == wanted) {
        return Ok(tools.join("bin"));
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&tools))?;
    let pip = tools.join("bin/python3");
    let installed = run(Command::new(pip)
        .args(["-m", "pip", "install", "--quiet"])
        .arg("--disable-pip-version-check")
        .args(&pins.tools));
    if installed.is_err() {
        bail!("pip can't install {}", pins.tools.join(", "));
    }
    fs::write(done, wanted)?;
    Ok(tools.join("bin"))
}
