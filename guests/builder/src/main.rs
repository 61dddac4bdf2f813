//! Builds guests: `cargo xtask guests` and `cargo xtask component` start it.
//!
//! - [`data`]: the Python guest with numpy and pandas
//! - [`example`]: other crates in Rust, as components
//! - [`toolchain`]: what builds for WebAssembly on this machine
//! - [`link`]: dynamic libraries, made one module
//! - [`bulk`]: what fills and copies much memory, made to give way
//! - [`javascript`]: QuickJS with our crate
//! - [`python`]: CPython with our crate
//! - [`snapshot`]: the guest as it is after its initialisation
//! - [`pointers`]: calls by pointers, made fast
//! - [`resting_state`]: whether memory is all of a guest's state between two steps
//! - [`rewrite`]: a module, written once more with some of it otherwise
//! - [`trial`]: a guest that runs while it is built
//! - [`pages_written`]: how much of its memory a run writes to
//! - [`pages_read`]: which pages of it a small run reads
//! - [`notes`]: what a guest does while it runs scripts
//! - [`meter`]: marks by which a guest's fuel is counted
//! - [`manifest`]: what was built, from what, and with what

mod bulk;
mod data;
mod example;
mod javascript;
mod link;
mod manifest;
mod meter;
mod notes;
mod pages_read;
mod pages_written;
mod pointers;
mod python;
mod resting_state;
mod rewrite;
mod snapshot;
mod toolchain;
mod trial;

use std::fs;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, bail};
use clap::Parser;
use wit_component::ComponentEncoder;
use xtask::guests::{Kind, Task};
use xtask::repository;
use xtask::sources::files_in;

use manifest::{Artifact, Manifest};
use toolchain::Toolchain;

#[derive(Parser)]
#[command(about = "Builds guests for WebAssembly")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

fn main() -> Result<()> {
    match Cli::parse().task {
        Task::Guests(guests) if guests.check => check(guests.rebuild),
        Task::Guests(guests) => match (guests.profile, guests.build) {
            (Some(out), _) => profile(&out),
            (None, Some(kind)) => build_one(kind),
            (None, None) => build(),
        },
        Task::Component(component) => {
            example::component(&absolute(component.package)?, &absolute(component.out)?)
        }
    }
}

/// How hard Zstandard tries; the guest is built once, and unpacked on every machine that compiles
/// it.
const COMPRESSION: i32 = 19;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Guest {
    JavaScript,
    Python,
    /// With numpy and pandas: too large to be kept.
    PythonData,
}

impl Guest {
    /// Those that are kept in `guests/dist`.
    const KEPT: [Self; 2] = [Self::JavaScript, Self::Python];

    /// The names of its artifacts: the component, and which pages of its memory a
    /// small run reads.
    fn files(self) -> [&'static str; 2] {
        match self {
            Self::JavaScript => ["javascript.wasm.zst", "javascript.pages"],
            Self::Python => ["python.wasm.zst", "python.pages"],
            Self::PythonData => ["python-data.wasm.zst", "python-data.pages"],
        }
    }

    /// The artifacts, built.
    fn build(self, toolchain: &Toolchain) -> Result<[Vec<u8>; 2]> {
        let (module, small) = match self {
            Self::JavaScript => javascript::build(toolchain)?,
            Self::Python => python::build(toolchain, FunctionNames::Dropped)?,
            Self::PythonData => data::build(toolchain, FunctionNames::Dropped)?,
        };
        let pages = pages_read::pages(&module, small)?;
        let component = zstd::bulk::compress(&encode(&module)?, COMPRESSION)?;
        Ok([component, pages.into_bytes()])
    }

    /// Builds its files into a folder, and adds them to the folder's manifest.
    fn build_into(
        self,
        folder: &Path,
        manifest: &mut Manifest,
        toolchain: &Toolchain,
    ) -> Result<()> {
        for (file, built) in self.files().into_iter().zip(self.build(toolchain)?) {
            fs::write(folder.join(file), &built)?;
            manifest.add(file, self.artifact(&built, toolchain)?);
            report(&format!(
                "built {file} ({} KiB)",
                built.len().div_ceil(1024)
            ));
        }
        Ok(())
    }

    /// What tells whether an artifact was made from what is here.
    fn artifact(self, content: &[u8], toolchain: &Toolchain) -> Result<Artifact> {
        let (files, folders): (&[&str], &[&str]) = match self {
            Self::JavaScript => (
                &[
                    "guests/javascript/Cargo.toml",
                    "guests/javascript/Cargo.lock",
                    "guests/javascript/build.rs",
                    "guests/brief.rs",
                    "guests/memory.rs",
                ],
                &[
                    "guests/javascript/src",
                    "guests/javascript/prelude",
                    "guests/javascript/build",
                    "guests/javascript/c",
                    "guests/javascript/locales",
                    "guests/builder/src",
                    "wit",
                ],
            ),
            Self::Python => (
                &[
                    "guests/python/Cargo.toml",
                    "guests/python/Cargo.lock",
                    "guests/python/requirements.txt",
                    "guests/brief.rs",
                    "guests/memory.rs",
                ],
                &[
                    "guests/python/c",
                    "guests/python/src",
                    "guests/python/lib",
                    "guests/builder/src",
                    "wit",
                ],
            ),
            Self::PythonData => (
                &[
                    "guests/python/Cargo.toml",
                    "guests/python/Cargo.lock",
                    "guests/python/requirements.txt",
                    "guests/python-data/cross.ini",
                    "guests/python-data/pins.json",
                    "guests/python-data/wasm-ld",
                    "guests/brief.rs",
                    "guests/memory.rs",
                ],
                &[
                    "guests/python/c",
                    "guests/python/src",
                    "guests/python/lib",
                    "guests/python-data/c",
                    "guests/python-data/include",
                    "guests/python-data/lib",
                    "guests/python-data/patches",
                    "guests/builder/src",
                    "wit",
                ],
            ),
        };
        Artifact::of(content, &sources(files, folders)?, toolchain)
    }
}

/// Whether a guest says what its functions are called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FunctionNames {
    Kept,
    Dropped,
}

/// Builds the guests into `guests/dist`.
fn build() -> Result<()> {
    let toolchain = Toolchain::find()?;
    let dist = dist();
    fs::create_dir_all(&dist)?;
    let mut manifest = Manifest::default();
    for guest in Guest::KEPT {
        guest.build_into(&dist, &mut manifest, &toolchain)?;
    }
    manifest.write(&dist)
}

/// Builds a guest into `target/guests`, with its manifest.
fn build_one(kind: Kind) -> Result<()> {
    let guest = match kind {
        Kind::JavaScript => Guest::JavaScript,
        Kind::Python => Guest::Python,
        Kind::PythonData => Guest::PythonData,
    };
    let toolchain = Toolchain::find()?;
    let folder = repository().join("target/guests");
    fs::create_dir_all(&folder)?;
    let mut manifest = Manifest::read(&folder).unwrap_or_default();
    guest.build_into(&folder, &mut manifest, &toolchain)?;
    if guest == Guest::PythonData {
        for (file, text) in data::beside()? {
            fs::write(folder.join(file), text)?;
        }
    }
    manifest.write(&folder)
}

/// Compares the guests that are kept with what they were built from, and by: the sources, tools and
/// bytes that the manifest tells of; those that are built again, if that is wanted, too.
fn check(rebuild: bool) -> Result<()> {
    let toolchain = Toolchain::find()?;
    let manifest = Manifest::read(&dist())?;
    for guest in Guest::KEPT {
        let kept = guest.files().map(|file| (file, dist().join(file)));
        let kept = kept.map(|(file, path)| {
            let kept = fs::read(path);
            let missing = || format!("guests/dist has no {file}; run `cargo xtask guests`");
            Ok((file, kept.with_context(missing)?))
        });
        let kept: Vec<(&str, Vec<u8>)> = kept.into_iter().collect::<Result<_>>()?;
        for (file, kept) in &kept {
            manifest.check(file, &guest.artifact(kept, &toolchain)?)?;
        }
        if !rebuild {
            let [component, _] = guest.files();
            report(&format!("{component} was built from these sources"));
            continue;
        }
        for ((file, kept), built) in kept.into_iter().zip(guest.build(&toolchain)?) {
            if built != kept {
                bail!(
                    "{file} does not match its sources: it has {} bytes, and {} when built now; run `cargo xtask guests`",
                    kept.len(),
                    built.len()
                );
            }
            report(&format!("{file} matches its sources"));
        }
    }
    Ok(())
}

/// Builds the Python guest for a profile: a component whose functions have names.
fn profile(out: &Path) -> Result<()> {
    let (module, _) = python::build(&Toolchain::find()?, FunctionNames::Kept)?;
    fs::write(out, encode(&module)?).with_context(|| format!("{} can't be written", out.display()))
}

/// A module as the component that its sections tell of.
fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|mut encoder| encoder.encode())
        .map_err(|error| anyhow::anyhow!("the guest is not a component: {error:?}"))
}

/// Every file that a guest is made of.
fn sources(files: &[&str], folders: &[&str]) -> Result<Vec<PathBuf>> {
    let mut sources: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    for folder in folders {
        sources.extend(files_in(folder)?);
    }
    sources.sort();
    Ok(sources)
}

fn dist() -> PathBuf {
    repository().join("guests/dist")
}

#[expect(clippy::print_stdout, reason = "a task tells what it did")]
fn report(what: &str) {
    println!("{what}");
}
