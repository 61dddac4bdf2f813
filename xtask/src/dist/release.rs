//! The release build: the program, and the libraries that embed it in Python and Node. The place
//! and time of the build leave no trace, so that the same sources and the same compiler give the
//! same bytes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use xtask::repository;

use super::entries::{Entry, gzip, tar};
use super::model;
use super::needs::Needs;
use super::platform::Platform;
use super::{VERSION, answer};
use crate::programs::{cargo, succeed};
use crate::say;

/// What separates flags in Cargo's variable, so that paths may have spaces.
const BETWEEN_FLAGS: &str = "\x1f";

/// The program's file.
const PROGRAM: &str = "ampoule";
/// The library of Python's module.
const PYTHON: &str = "lib_ampoule.so";
/// The library of Node's module.
const NODE: &str = "libampoule_node.so";
/// All that is built, as Cargo calls it.
const BUILT: [&str; 3] = [PROGRAM, PYTHON, NODE];
/// What the packages are called that it is built from.
pub(super) const PACKAGES: [&str; 3] = ["ampoule-cli", "ampoule-python", "ampoule-node"];

/// What was built, and what is to be known of it.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) platform: Platform,
    /// What files of packages are dated, in seconds: the last commit's time, or
    /// `SOURCE_DATE_EPOCH`.
    pub(super) epoch: u64,
    /// What the program needs.
    pub(super) needs: Needs,
    /// The folder of packages.
    pub(super) folder: PathBuf,
    /// Where all that was built is, each parted from its symbols.
    parted: PathBuf,
    runner: Option<PathBuf>,
    /// The model of search by meaning, and what is to be said of it: files beside the program that
    /// can be left out.
    model: Vec<Entry>,
}

impl Release {
    /// Builds it.
    pub(super) fn build(
        platform: Platform,
        runner: Option<PathBuf>,
        folder: &Path,
    ) -> Result<Self> {
        say("building for release; from scratch, that takes many minutes");
        let sources = repository();
        let built = build(platform, &sources, &sources.join("target"))?;
        Self::of(platform, runner, &built, folder)?.with_model()
    }

    /// The same with the model, which is made unless it is there.
    pub(super) fn with_model(mut self) -> Result<Self> {
        self.model = model::entries()?;
        Ok(self)
    }

    /// The model's files, below this folder.
    pub(super) fn model(&self, folder: &str) -> impl Iterator<Item = Entry> {
        self.model
            .iter()
            .map(move |entry| entry.clone().below(folder))
    }

    /// What was built before, in this folder of Cargo's.
    pub(super) fn of(
        platform: Platform,
        runner: Option<PathBuf>,
        built: &Path,
        folder: &Path,
    ) -> Result<Self> {
        let parted = folder.join("built");
        part(built, &parted)?;
        Ok(Self {
            platform,
            epoch: epoch()?,
            needs: Needs::of(&fs::read(parted.join(PROGRAM))?)?,
            folder: folder.to_owned(),
            parted,
            runner,
            model: Vec::new(),
        })
    }

    /// This test's own program, as each of its parts.
    #[cfg(test)]
    pub(super) fn of_this(folder: &Path) -> Self {
        let this = env::current_exe().expect("this test's path");
        let built = folder.join("built-of-this");
        fs::create_dir(&built).expect("a folder");
        for name in BUILT {
            std::os::unix::fs::symlink(&this, built.join(name)).expect("a link");
        }
        let platform = Platform::of(super::platform::HERE).expect("a platform");
        Self::of(platform, None, &built, folder).expect("a release")
    }

    /// Where the program is.
    pub(super) fn program(&self) -> PathBuf {
        self.parted.join(PROGRAM)
    }

    /// The program's bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        self.read(PROGRAM)
    }

    /// The bytes of the library of Python's module.
    pub(super) fn python(&self) -> Result<Vec<u8>> {
        self.read(PYTHON)
    }

    /// The bytes of the library of Node's module.
    pub(super) fn node(&self) -> Result<Vec<u8>> {
        self.read(NODE)
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        Ok(fs::read(self.parted.join(name))?)
    }

    /// A command of the program.
    pub(super) fn command(&self) -> Result<Command> {
        match &self.runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(self.program());
                Ok(command)
            }
            None if self.platform.is_here() => Ok(Command::new(self.program())),
            None => bail!(
                "programs for {} don't run here: `--runner` names what runs them",
                self.platform.triple
            ),
        }
    }

    /// `ampoule-0.1.0-x86_64-unknown-linux-gnu`, which files and folders are called by.
    pub(super) fn name(&self) -> String {
        format!("ampoule-{VERSION}-{}", self.platform.triple)
    }

    /// Writes the symbols as a package.
    pub(super) fn write_symbols(&self) -> Result<()> {
        let name = self.name();
        let entries = BUILT.map(symbols).map(|file| {
            let content = self.read(&file)?;
            Ok(Entry::file(format!("{name}/{file}"), content))
        });
        let entries = entries.into_iter().collect::<Result<Vec<_>>>()?;
        let archive = gzip(&tar(&entries, self.epoch)?)?;
        Ok(fs::write(
            self.folder.join(format!("{name}-symbols.tar.gz")),
            archive,
        )?)
    }

    /// Builds it again, in another place, and compares.
    pub(super) fn is_built_again(&self) -> Result<()> {
        say("building again, from a copy of the sources");
        let elsewhere = repository().join("target/again");
        let sources = elsewhere.join("sources");
        copy_sources(&sources)?;
        let built = build(self.platform, &sources, &sources.join("target"))?;
        let parted = elsewhere.join("built");
        part(&built, &parted)?;
        for name in BUILT
            .into_iter()
            .flat_map(|name| [name.to_owned(), symbols(name)])
        {
            let (first, second) = (self.read(&name)?, fs::read(parted.join(&name))?);
            let differ = first.iter().zip(&second).position(|(a, b)| a != b);
            ensure!(
                differ.is_none() && first.len() == second.len(),
                "{name} of the second build differs from the first's: {} and {} bytes, at {:?} for the first time",
                first.len(),
                second.len(),
                differ
            );
        }
        say("both builds are the same, byte for byte");
        Ok(fs::remove_dir_all(elsewhere)?)
    }
}

/// Builds all of it from these sources, and gives the folder where it is.
fn build(platform: Platform, sources: &Path, target: &Path) -> Result<PathBuf> {
    let places = places(sources)?;
    let renamed = |option: &str| -> Vec<String> {
        let renamed = places
            .iter()
            .map(|(place, name)| format!("{option}={place}={name}"));
        renamed.collect()
    };
    let mut flags = renamed("--remap-path-prefix");
    // Of functions that are the same, as those of one generic type for several others are, one is
    // kept.
    flags.push("-Clink-arg=-Wl,--icf=all".to_owned());
    // By it, a debugger finds the symbols.
    flags.push("-Clink-arg=-Wl,--build-id=sha1".to_owned());
    let mut command = cargo([
        "build",
        "--locked",
        "--profile",
        "dist",
        "--bin",
        "ampoule",
        "--lib",
        "--target",
        platform.triple,
    ]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    command
        .current_dir(sources)
        .arg("--target-dir")
        .arg(target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join(BETWEEN_FLAGS))
        .env("TARGET_CFLAGS", renamed("-ffile-prefix-map").join(" "))
        .env("SOURCE_DATE_EPOCH", epoch()?.to_string());
    succeed(&mut command)?;
    Ok(target.join(platform.triple).join("dist"))
}

/// Places that must not be in the program, and what they are called there. A later one counts
/// before an earlier one that it is in.
fn places(sources: &Path) -> Result<Vec<(String, &'static str)>> {
    let sysroot = answer(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot)?.trim());
    let mut places = vec![(sysroot.join("lib/rustlib/src/rust"), "/rust")];
    let home = match env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => env::home_dir().context("no home folder")?.join(".cargo"),
    };
    // One folder for each registry, whose name tells which.
    let registries = home.join("registry/src");
    for registry in fs::read_dir(&registries)
        .with_context(|| format!("{} can't be read", registries.display()))?
    {
        places.push((registry?.path(), "/crates"));
    }
    places.push((sources.to_owned(), "/ampoule"));
    let places = places.into_iter().map(|(place, name)| {
        let place = place.into_os_string().into_string().ok();
        // Flags of C compilers are split at spaces.
        let place = place.filter(|place| !place.contains(char::is_whitespace));
        Ok((place.context("a path has spaces, or is not text")?, name))
    });
    places.collect()
}

/// Parts all that was built from its symbols, in another folder.
fn part(built: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let objcopy = || Command::new(env::var_os("OBJCOPY").unwrap_or_else(|| "objcopy".into()));
    for name in BUILT {
        let from = built.join(name);
        ensure!(from.exists(), "{} is not built", from.display());
        let symbols = folder.join(symbols(name));
        succeed(objcopy().arg("--only-keep-debug").args([&from, &symbols]))?;
        let mut link = OsString::from("--add-gnu-debuglink=");
        link.push(&symbols);
        let strip = [OsString::from("--strip-all"), link];
        succeed(objcopy().args(strip).args([from, folder.join(name)]))?;
    }
    Ok(())
}

/// The file with what debuggers need of another.
fn symbols(name: &str) -> String {
    format!("{name}.debug")
}

/// Copies what git knows of the sources.
fn copy_sources(to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    let files = answer(
        Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(repository())
            .stdin(Stdio::null()),
    )?;
    for file in String::from_utf8(files)?.split_terminator('\0') {
        let (from, to) = (repository().join(file), to.join(file));
        // One that was removed, and not yet from git.
        if !from.exists() {
            continue;
        }
        fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
        fs::copy(&from, &to).with_context(|| format!("{file} can't be copied"))?;
    }
    Ok(())
}

fn epoch() -> Result<u64> {
    if let Some(epoch) = env::var_os("SOURCE_DATE_EPOCH") {
        let epoch = epoch.to_string_lossy();
        return epoch
            .parse()
            .with_context(|| format!("SOURCE_DATE_EPOCH is {epoch}, which is not a number"));
    }
    let commit = answer(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(repository()),
    )?;
    Ok(String::from_utf8(commit)?.trim().parse()?)
}
