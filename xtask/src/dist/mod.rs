//! `cargo xtask dist`: packages, all from one release build; and a check of each in a clean place.
//!
//! - `platform`: what a target is called by each kind of package
//! - `release`: the build, the same bytes each time; `needs`: what it needs of the C library;
//!   `budget`: how large it may be, and how long it may take to start
//! - `entries`: files of packages, and archives of them; `pages`: completions and the manual
//! - `model`: the model of search by meaning, beside the program; `data`: the guest with numpy and
//!   pandas, in packages of its own
//! - `bill`: what packages are made of; `licences`: what they say of that
//! - `tarball`, `deb`, `rpm`, `npm`, `wheel`, `image`: the packages
//! - `built`: what was built, of all platforms; `manifests`: what package managers and the install
//!   script know of that
//! - `check`: installs each where nothing else is, and uses it
//! - `walks`: follows the pages for beginners with the packages
//! - `checklist`: what a release needs: what a task can check, and what a person does

mod bill;
mod budget;
mod built;
mod check;
mod checklist;
mod data;
mod deb;
mod entries;
mod image;
mod licences;
mod manifests;
mod model;
mod needs;
mod npm;
mod pages;
mod platform;
mod release;
mod rpm;
mod tarball;
mod walks;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use sha2::{Digest, Sha256};
use xtask::repository;
use xtask::sources::hex;

use crate::say;
use bill::Bill;
use licences::Licences;
use manifests::Address;
use platform::Platform;
use release::Release;
pub(crate) use walks::{Walks, take as take_walks};

/// The version of all packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What packages say of themselves in a line.
const SUMMARY: &str =
    "Runs code that models write, in sandboxes that reach what you grant and nothing else";
/// The file that has the digests of all others.
const SUMS: &str = "SHA256SUMS";

/// Packages.
#[derive(Debug, Args)]
pub(crate) struct Dist {
    /// The platform, as Rust calls it.
    #[arg(long, value_name = "TRIPLE", default_value = platform::HERE)]
    target: String,
    /// What runs the program where this machine can't: completions and compiled code come from it.
    #[arg(long, value_name = "PROGRAM")]
    runner: Option<PathBuf>,
    /// Builds a second time, from a copy of the sources in another folder, and compares the bytes.
    #[arg(long)]
    twice: bool,
    /// Installs each package in a clean place, and uses it there.
    #[arg(long)]
    check: bool,
    /// Uses what was built before, in whatever way, in this folder of Cargo's: for work on the
    /// packages themselves.
    #[arg(long, value_name = "FOLDER", conflicts_with = "twice")]
    built: Option<PathBuf>,
    /// The folder on the web that will have the archives: the manifests of Homebrew, Nix, Scoop and
    /// winget name it.
    #[arg(long, value_name = "URL", value_parser = Address::parse)]
    address: Option<Address>,
}

/// A release.
#[derive(Debug, Args)]
pub(crate) struct Releasing {
    /// Checks all that can be checked, and lists what a person does. Nothing is published. There is no
    /// other way yet.
    #[arg(long, required = true)]
    dry_run: bool,
    /// The folder on the web that will have the archives, for the manifests.
    #[arg(long, value_name = "URL", value_parser = Address::parse)]
    address: Option<Address>,
}

/// What was made, and where.
#[derive(Debug)]
struct Packages {
    tarball: PathBuf,
    deb: PathBuf,
    rpm: PathBuf,
    /// The platform's, and the one that needs them.
    npm: Vec<PathBuf>,
    wheel: PathBuf,
    image: image::Image,
    /// `install.sh` first.
    manifests: Vec<PathBuf>,
}

/// Makes the packages, in `target/packages`.
pub(crate) fn run(dist: &Dist) -> Result<()> {
    let platform = Platform::of(&dist.target)?;
    let all = all_packages();
    let folder = all.join(platform.triple);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let runner = dist.runner.clone();
    let release = match &dist.built {
        Some(built) => Release::of(platform, runner, built, &folder)?.with_model()?,
        None => Release::build(platform, runner, &folder)?,
    };
    if dist.twice {
        release.is_built_again()?;
    }
    let spent = budget::measure(&release)?;
    let mut packages = Packages::make(&release)?;
    data::write(&release)?;
    built::record(&release, dist.built.is_none())?;
    sums(&folder)?;
    say(&format!("packages are in {}", folder.display()));
    let written = manifests::write(&all, dist.address.as_ref())?;
    for why in &written.left_out {
        say(why);
    }
    packages.manifests = written.files;
    if dist.check {
        check::all(&packages)?;
    }
    match dist.built {
        // It is not the one that is held to it.
        Some(_) => Ok(()),
        None => spent.hold(),
    }
}

/// Checks what a release needs, and lists what a person does.
pub(crate) fn release(releasing: &Releasing) -> Result<()> {
    anyhow::ensure!(
        releasing.dry_run,
        "nothing here publishes a release; give --dry-run"
    );
    checklist::go_through(&all_packages(), releasing.address.as_ref())
}

/// The folder of the packages of all platforms.
fn all_packages() -> PathBuf {
    repository().join("target/packages")
}

/// Makes the wheel alone, in a folder, of what was built before for this machine.
pub(crate) fn wheel(built: &Path, folder: &Path) -> Result<PathBuf> {
    let platform = Platform::of(platform::HERE)?;
    let licences = Licences::of(&Bill::of(platform)?)?;
    wheel::write(&Release::of(platform, None, built, folder)?, &licences)
}

impl Packages {
    fn make(release: &Release) -> Result<Self> {
        let pages = pages::of(release)?;
        let bill = Bill::of(release.platform)?;
        bill.write(release)?;
        let licences = Licences::of(&bill)?;
        release.write_symbols()?;
        Ok(Self {
            tarball: tarball::write(release, &pages, &licences)?,
            deb: deb::write(release, &pages, &licences)?,
            rpm: rpm::write(release, &pages, &licences)?,
            npm: npm::write(release, &licences)?,
            wheel: wheel::write(release, &licences)?,
            image: image::write(release, &licences)?,
            manifests: Vec::new(),
        })
    }
}

/// Writes the digests of all files of a folder, as `sha256sum --check` reads them.
fn sums(folder: &Path) -> Result<()> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let name = entry.file_name().to_string_lossy().into_owned();
            lines.push((name, digest(&fs::read(entry.path())?)));
        }
    }
    lines.sort();
    let text: String = lines
        .iter()
        .map(|(name, digest)| format!("{digest}  {name}\n"))
        .collect();
    Ok(fs::write(folder.join(SUMS), text)?)
}

/// The SHA-256 digest of some bytes.
fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes))
}

/// What a command prints on standard output.
pub(crate) fn answer(command: &mut Command) -> Result<Vec<u8>> {
    let output = command
        .output()
        .with_context(|| format!("{:?} can't be started", command.get_program()))?;
    anyhow::ensure!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
