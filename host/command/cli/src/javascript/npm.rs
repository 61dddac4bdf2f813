//! Tarballs, downloaded by the user's own npm: with its registry, its settings and its rules.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Output, Stdio};

use ampoule::{Package, PackageError, PackageFolder};
use ampoule_untrusted::text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA512, digest};
use tempfile::TempDir;
use tokio::process::Command;

use super::lock::{Needed, needed};
use crate::exit::Failure;
use crate::streams;

/// How many lines of npm's are shown where it fails.
const SHOWN_LINES: usize = 6;
/// How large npm's list of what is needed may be, in bytes.
const MOST_LOCK_BYTES: u64 = 16 << 20;

/// What to download.
pub(super) struct Request<'a> {
    /// Names, perhaps with versions, as npm takes them; or paths of tarballs.
    pub(super) packages: &'a [String],
    /// Packages that are there.
    pub(super) kept: &'a [Package],
    /// Their tarballs.
    pub(super) folder: &'a PackageFolder,
}

/// A tarball whose digest is the registry's.
pub(super) struct Tarball {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) bytes: Vec<u8>,
}

impl Request<'_> {
    /// Downloads the tarballs, with those that they need. Those that are kept keep their versions,
    /// unless they are asked for again.
    pub(super) async fn download(&self) -> Result<Vec<Tarball>, Failure> {
        let place = tempfile::tempdir()?;
        let waiting = streams::err().waiting();
        waiting.on("npm downloads tarballs".to_owned());
        tokio::fs::write(place.path().join("package.json"), r#"{"private":true}"#).await?;
        // One after the other: of two of the same name, the one that the user names counts.
        for specifiers in [self.there(&place).await?, self.named()?] {
            if !specifiers.is_empty() {
                let mut install = npm(&place, "install");
                install.args(["--package-lock-only", "--omit=dev", "--omit=optional"]);
                install.arg("--").args(specifiers);
                ran(install).await?;
            }
        }
        let needed = lock(&place).await?;
        let folder = place.path().join("tarballs");
        tokio::fs::create_dir(&folder).await?;
        let from_registry: Vec<&Needed> = needed.iter().filter(|it| it.file.is_none()).collect();
        if !from_registry.is_empty() {
            let mut pack = npm(&place, "pack");
            pack.arg("--pack-destination").arg(&folder).arg("--");
            pack.args(
                from_registry
                    .iter()
                    .map(|it| format!("{}@{}", it.name, it.version)),
            );
            ran(pack).await?;
        }
        drop(waiting);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&folder)? {
            files.push(entry?.path());
        }
        let named = needed.iter().filter_map(|it| it.file.as_ref());
        files.extend(named.map(|file| place.path().join(file)));
        let mut packed = Packed::read(&files)?;
        needed.into_iter().map(|it| packed.matching(it)).collect()
    }

    /// What the user names.
    fn named(&self) -> Result<Vec<String>, Failure> {
        let named = self.packages.iter().map(|package| {
            Ok(match package.ends_with(".tgz") {
                true => std::path::absolute(package)?.to_string_lossy().into_owned(),
                false => checked(package)?.to_owned(),
            })
        });
        named.collect()
    }

    /// What is there: each tarball, whether a registry has it or not. One that is gone is downloaded
    /// again.
    async fn there(&self, place: &TempDir) -> Result<Vec<String>, Failure> {
        let mut specifiers = Vec::new();
        for kept in self.kept {
            match self.folder.archive(kept) {
                Ok(bytes) => {
                    let file = place.path().join(format!("{}.tgz", kept.digest()));
                    tokio::fs::write(&file, bytes).await?;
                    specifiers.push(file.to_string_lossy().into_owned());
                }
                Err(PackageError::Missing { .. }) => specifiers.push(kept.pinned()),
                Err(error) => return Err(Failure::usage(error.to_string())),
            }
        }
        Ok(specifiers)
    }
}

fn npm(place: &TempDir, task: &str) -> Command {
    let mut npm = Command::new("npm");
    npm.arg(task)
        .args(["--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--no-update-notifier", "--loglevel=error"])
        // A package from a repository would be built on this machine, whatever is said of scripts.
        .args(["--allow-git=none", "--allow-directory=none"])
        .env("npm_config_git", "false")
        .env("npm_config_ignore_scripts", "true")
        .current_dir(place.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    npm
}

async fn ran(mut npm: Command) -> Result<(), Failure> {
    let done: Output = npm.output().await.map_err(|error| {
        Failure::usage(format!(
            "`npm` downloads packages, and does not start: {error}"
        ))
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let lines = said.lines().filter(|line| !line.trim().is_empty());
    let mut message = "npm can't download all that this needs:".to_owned();
    for line in lines.take(SHOWN_LINES) {
        message += &format!("\n  {}", text::one_line(line));
    }
    Err(Failure::usage(message))
}

async fn lock(place: &TempDir) -> Result<Vec<Needed>, Failure> {
    let file = place.path().join("package-lock.json");
    if tokio::fs::metadata(&file).await?.len() > MOST_LOCK_BYTES {
        return Err(Failure::usage("the packages need too many others"));
    }
    needed(&tokio::fs::read_to_string(file).await?)
}

/// What npm downloaded, by SHA-512 digests in Base64.
struct Packed(HashMap<String, Vec<u8>>);

impl Packed {
    fn read(files: &[PathBuf]) -> Result<Self, Failure> {
        let read = PackageFolder::read(files);
        let read = read.map_err(|error| Failure::usage(error.to_string()))?;
        let digests = read.into_iter();
        let digests = digests.map(|bytes| (STANDARD.encode(digest(&SHA512, &bytes)), bytes));
        Ok(Self(digests.collect()))
    }

    /// The tarball that has the digest which npm's lock file has.
    fn matching(&mut self, needed: Needed) -> Result<Tarball, Failure> {
        match self.0.remove(&needed.digest) {
            Some(bytes) => Ok(Tarball {
                bytes,
                name: needed.name,
                version: needed.version,
            }),
            None => Err(Failure::usage(format!(
                "npm downloaded {}@{}, but not with the digest that the registry gives; run the command again",
                text::one_line(&needed.name),
                text::one_line(&needed.version)
            ))),
        }
    }
}

/// The name in what the user writes: `dayjs@1.11.23`, `@scope/name`.
fn name_of(specifier: &str) -> Option<&str> {
    let from = usize::from(specifier.starts_with('@'));
    let end = specifier[from..].find('@').map(|at| from + at);
    specifier.get(..end.unwrap_or(specifier.len()))
}

/// Refuses what npm would take from elsewhere than its registry: repositories, folders, addresses.
fn checked(specifier: &str) -> Result<&str, Failure> {
    let name = name_of(specifier).unwrap_or_default();
    let version = specifier[name.len()..].strip_prefix('@').unwrap_or("*");
    let is_sign = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric()) && part.chars().all(is_sign)
    };
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, name)| is_part(scope) && is_part(name)),
        None => is_part(name),
    };
    let is_range = |letter: char| is_sign(letter) || " ^~<>=*|+".contains(letter);
    match is_name && !version.is_empty() && version.chars().all(is_range) {
        true => Ok(specifier),
        false => Err(Failure::usage(format!(
            "`{}` is not the name of a package, such as `dayjs` or `dayjs@1.11.23`, nor a tarball's file",
            text::one_line(specifier)
        ))),
    }
}
