//! The release build. Nothing of where and when it was built is in it, so that whoever builds the
//! same sources with the same compiler gets the same bytes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use xtask::repository;

use super::entries::{Entry, gzip, tar};
use super::needs::Needs;
use super::platform::Platform;
use super::{VERSION, answer};
use crate::building::{cargo, succeed};
use crate::say;

/// What separates flags in Cargo's variable, so that paths may have spaces.
const BETWEEN_FLAGS: &str = "\x1f";

/// A program, and what is to be known of it.
#[derive(Debug)]
pub(super) struct Release {
    pub(super) platform: Platform,
    /// What files of packages are dated, in seconds: the last commit's time, or
    /// `SOURCE_DATE_EPOCH`.
    pub(super) epoch: u64,
    /// The program, without names.
    pub(super) program: PathBuf,
    pub(super) needs: Needs,
    /// The folder of packages.
    pub(super) folder: PathBuf,
    /// What debuggers need.
    symbols: PathBuf,
    runner: Option<PathBuf>,
}

impl Release {
    /// Builds it.
    pub(super) fn build(
        platform: Platform,
        runner: Option<PathBuf>,
        folder: &Path,
    ) -> Result<Self> {
        say("building the program for release; from scratch, that takes many minutes");
        let sources = repository();
        let built = build(platform, &sources, &sources.join("target"))?;
        Self::of(platform, runner, &built, folder)
    }

    /// One that was built before.
    pub(super) fn of(
        platform: Platform,
        runner: Option<PathBuf>,
        built: &Path,
        folder: &Path,
    ) -> Result<Self> {
        let [program, symbols] = part(built, &folder.join("program"))?;
        Ok(Self {
            platform,
            epoch: epoch()?,
            needs: Needs::of(&fs::read(&program)?)?,
            program,
            folder: folder.to_owned(),
            symbols,
            runner,
        })
    }

    /// The program's bytes.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        Ok(fs::read(&self.program)?)
    }

    /// A command of the program.
    pub(super) fn command(&self) -> Result<Command> {
        match &self.runner {
            Some(runner) => {
                let mut command = Command::new(runner);
                command.arg(&self.program);
                Ok(command)
            }
            None if self.platform.is_here() => Ok(Command::new(&self.program)),
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
        let entry = Entry::file(format!("{name}/ampoule.debug"), fs::read(&self.symbols)?);
        let archive = gzip(&tar(&[entry], self.epoch)?)?;
        Ok(fs::write(
            self.folder.join(format!("{name}-symbols.tar.gz")),
            archive,
        )?)
    }

    /// Builds it again, in another place, and compares.
    pub(super) fn is_built_again(&self) -> Result<()> {
        say("building the program again, from a copy of the sources");
        let elsewhere = repository().join("target/again");
        let sources = elsewhere.join("sources");
        copy_sources(&sources)?;
        let built = build(self.platform, &sources, &sources.join("target"))?;
        let [program, symbols] = part(&built, &elsewhere.join("program"))?;
        for (first, second) in [(&self.program, program), (&self.symbols, symbols)] {
            let (first, second) = (fs::read(first)?, fs::read(&second)?);
            let differ = first.iter().zip(&second).position(|(a, b)| a != b);
            ensure!(
                differ.is_none() && first.len() == second.len(),
                "the second build differs from the first: {} and {} bytes, at {:?} for the first time",
                first.len(),
                second.len(),
                differ
            );
        }
        say("both builds are the same, byte for byte");
        Ok(fs::remove_dir_all(elsewhere)?)
    }
}

/// Builds the program of these sources, and gives its path.
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
        "--package",
        "ampoule-cli",
        "--bin",
        "ampoule",
        "--target",
        platform.triple,
    ]);
    command
        .current_dir(sources)
        .arg("--target-dir")
        .arg(target)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join(BETWEEN_FLAGS))
        .env("TARGET_CFLAGS", renamed("-ffile-prefix-map").join(" "))
        .env("SOURCE_DATE_EPOCH", epoch()?.to_string());
    succeed(&mut command)?;
    Ok(target.join(platform.triple).join("dist/ampoule"))
}

/// Places that must not be in the program, and what they are called there. A later one counts
/// before an earlier one that it is in.
fn places(sources: &Path) -> Result<Vec<(String, &'static str)>> {
    let sysroot = answer(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot)?.trim());
    let mut places = vec![(sysroot.join("lib/rustlib/src/rust"), "/rust")];
    let home = match env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => env::home_dir()
            .context("there is no home folder")?
            .join(".cargo"),
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
        // What compilers of C are told is parted at spaces.
        let place = place.filter(|place| !place.contains(char::is_whitespace));
        Ok((place.context("a path has spaces, or is no text")?, name))
    });
    places.collect()
}

/// Parts a program from its symbols.
fn part(built: &Path, folder: &Path) -> Result<[PathBuf; 2]> {
    fs::create_dir_all(folder)?;
    let program = folder.join("ampoule");
    let symbols = folder.join("ampoule.debug");
    let objcopy = || Command::new(env::var_os("OBJCOPY").unwrap_or_else(|| "objcopy".into()));
    succeed(objcopy().arg("--only-keep-debug").args([built, &symbols]))?;
    let mut link = OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    let strip = [OsString::from("--strip-all"), link];
    succeed(objcopy().args(strip).args([built, &program]))?;
    Ok([program, symbols])
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
            .with_context(|| format!("SOURCE_DATE_EPOCH is {epoch}, which is no number"));
    }
    let commit = answer(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(repository()),
    )?;
    Ok(String::from_utf8(commit)?.trim().parse()?)
}
