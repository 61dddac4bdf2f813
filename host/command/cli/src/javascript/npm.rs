//! Tarballs, downloaded by the user's own npm: with its registry, its settings and its rules.

use std::collections::HashMap;
use std::path::PathBuf;

use ampoule::{Package, PackageError, PackageFolder};
use ampoule_untrusted::text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::try_join_all;
use ring::digest::{SHA512, digest};
use tempfile::TempDir;
use tokio::process::Command;
use url::Url;

use super::lock::{LockedPackage, needed};
use crate::exit::Failure;
use crate::packages::download::{SHOWN_LINES, ended, failure, lines};
use crate::streams;

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
        let named = self.named()?;
        let place = tempfile::tempdir()?;
        tokio::fs::write(place.path().join("package.json"), r#"{"private":true}"#).await?;
        for registry in registries(&place, &named).await? {
            streams::err().note(registry);
        }
        let waiting = streams::err().waiting();
        waiting.on("npm downloads tarballs".to_owned());
        // One after the other: of two of the same name, the one that the user names counts.
        for specifiers in [self.there(&place).await?, named] {
            if !specifiers.is_empty() {
                let mut install = npm(&place, "install");
                install.args(["--package-lock-only", "--omit=dev", "--omit=optional"]);
                install.arg("--").args(specifiers);
                ran(install).await?;
            }
        }
        let needed = lock(&place).await?;
        let number = PackageFolder::check_number(needed.len());
        number.map_err(|error| Failure::usage(error.to_string()))?;
        let folder = place.path().join("tarballs");
        tokio::fs::create_dir(&folder).await?;
        let from_registry: Vec<&LockedPackage> =
            needed.iter().filter(|it| it.file.is_none()).collect();
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
        let mut downloads = Downloads::read(&files)?;
        needed
            .into_iter()
            .map(|it| downloads.matching(it))
            .collect()
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
        .current_dir(place.path());
    npm
}

/// The registries that npm asks for packages, in a sentence each. npm runs in a folder of its own, so it
/// reads the settings of the user, and none of a project.
async fn registries(place: &TempDir, specifiers: &[String]) -> Result<Vec<String>, Failure> {
    let scopes = specifiers.iter().filter(|it| it.starts_with('@'));
    let scopes = scopes.filter_map(|it| Some(it.split_once('/')?.0));
    let mut keys: Vec<String> = scopes.map(|scope| format!("{scope}:registry")).collect();
    keys.sort();
    keys.dedup();
    keys.insert(0, "registry".to_owned());
    let asked = keys.iter().map(|key| registry(place, key));
    let said = try_join_all(asked).await?;
    Ok(said.into_iter().flatten().collect())
}

/// The registry that a key of npm's settings names, in a sentence, if it names one.
async fn registry(place: &TempDir, key: &str) -> Result<Option<String>, Failure> {
    let mut config = npm(place, "config");
    config.args(["get", key]);
    let done = ended(config, "npm").await?;
    let value = String::from_utf8_lossy(&done.stdout);
    let registry = match (done.status.success(), Url::parse(value.trim())) {
        (true, Ok(registry)) => text::one_line(without_credentials(registry).as_str()).into_owned(),
        // Nothing is set for a scope.
        (true, Err(_)) => return Ok(None),
        // npm shows no address that has credentials in it.
        (false, _) => "a registry whose address it does not show".to_owned(),
    };
    let whose = match key.split_once(':') {
        Some((scope, _)) => format!(" for packages of {scope}"),
        None => String::new(),
    };
    Ok(Some(format!(
        "npm asks {registry}{whose}, as your own settings say; a project's .npmrc does not count"
    )))
}

fn without_credentials(mut registry: Url) -> Url {
    // An address that can't have any has none.
    let _ = registry.set_username("");
    let _ = registry.set_password(None);
    registry
}

async fn ran(npm: Command) -> Result<(), Failure> {
    let done = ended(npm, "npm").await?;
    match done.status.success() {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&done.stderr);
            let first = lines(&said).into_iter().take(SHOWN_LINES);
            Err(failure("npm can't download all that this needs:", first))
        }
    }
}

async fn lock(place: &TempDir) -> Result<Vec<LockedPackage>, Failure> {
    let file = place.path().join("package-lock.json");
    if tokio::fs::metadata(&file).await?.len() > MOST_LOCK_BYTES {
        return Err(Failure::usage("the packages need too many others"));
    }
    needed(&tokio::fs::read_to_string(file).await?)
}

/// What npm downloaded, by SHA-512 digests in Base64.
struct Downloads(HashMap<String, Vec<u8>>);

impl Downloads {
    fn read(files: &[PathBuf]) -> Result<Self, Failure> {
        let read = PackageFolder::read(files);
        let read = read.map_err(|error| Failure::usage(error.to_string()))?;
        let digests = read.into_iter();
        let digests = digests.map(|bytes| (STANDARD.encode(digest(&SHA512, &bytes)), bytes));
        Ok(Self(digests.collect()))
    }

    /// The tarball that has the digest which npm's lock file has.
    fn matching(&mut self, needed: LockedPackage) -> Result<Tarball, Failure> {
        match self.0.remove(&needed.digest) {
            Some(bytes) => Ok(Tarball {
                bytes,
                name: needed.name,
                version: needed.version,
            }),
            None => Err(Failure::usage(wrong_digest(&needed))),
        }
    }
}

fn wrong_digest(needed: &LockedPackage) -> String {
    let (name, version) = (
        text::one_line(&needed.name),
        text::one_line(&needed.version),
    );
    match &needed.address {
        Some(address) => {
            let address = Url::parse(address).map(without_credentials);
            let address = address.as_ref().map_or("elsewhere", Url::as_str);
            format!(
                "what the registry has as {name}@{version} is not the tarball that another package needs, which npm found at {}; download that tarball, and add its file",
                text::one_line(address)
            )
        }
        None => format!(
            "npm downloaded {name}@{version}, but not with the digest that the registry gives; run the command again"
        ),
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
    let is_range = |letter: char| letter.is_ascii_alphanumeric() || "._- ^~<>=*|+".contains(letter);
    match Package::is_npm_name(name) && !version.is_empty() && version.chars().all(is_range) {
        true => Ok(specifier),
        false => Err(Failure::usage(format!(
            "`{}` is not the name of a package, such as `dayjs` or `dayjs@1.11.23`, nor a tarball's file",
            text::one_line(specifier)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages_are_those_that_a_configuration_may_have() {
        for named in ["dayjs", "@scope/name@^1.2", "a~b@1", "x@latest"] {
            assert_eq!(checked(named).unwrap(), named);
        }
        for other in ["a/b", "@scope", "-x", "a@", "a@file:../b", "@s/n/m"] {
            assert!(checked(other).is_err(), "{other}");
        }
        assert!(checked(&"a".repeat(101)).is_err());
    }

    #[test]
    fn a_tarball_from_elsewhere_is_named_with_its_address() {
        let package = |address: Option<&str>| LockedPackage {
            name: "far".to_owned(),
            version: "1.0.0".to_owned(),
            digest: "a".to_owned(),
            file: None,
            address: address.map(str::to_owned),
        };
        let mut none = Downloads::read(&[]).unwrap();
        let far = package(Some("https://me:secret@example.com/far.tgz"));
        let refused = none.matching(far).err().unwrap();
        let says = "which npm found at https://example.com/far.tgz; download that tarball";
        assert!(refused.message().contains(says), "{refused:?}");
        let refused = none.matching(package(None)).err().unwrap();
        assert!(
            refused.message().contains("run the command again"),
            "{refused:?}"
        );
    }
}
