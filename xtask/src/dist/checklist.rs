//! `cargo xtask release --dry-run`: what a release needs. What can be checked here is checked; the
//! rest is listed for a person. Nothing is signed, tagged, uploaded or published.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use xtask::repository;

use super::bill::Bill;
use super::built::{self, Archive};
use super::manifests::{self, Address};
use super::platform::PLATFORMS;
use super::{SUMS, VERSION, answer, digest};
use crate::say;

/// What a person does, in this order, once all that is checked holds.
const BY_A_PERSON: [&str; 11] = [
    "run `.ci/run` and `.ci/nightly` on the commit of the release",
    "run `cargo xtask dist --twice --check` on two machines, and compare their SHA256SUMS",
    "run `cargo xtask walks`, and read what stops or slows a beginner",
    "build for the other platforms of the list, each on a machine of its kind or with --runner, and \
    copy their folders to target/packages",
    "give the section of the version in CHANGELOG.md its date",
    "choose the address of the archives, and run `cargo xtask release --dry-run --address URL`",
    "sign SHA256SUMS and the image: nothing is signed here",
    "tag the commit, and upload archives, SHA256SUMS, install.sh and the bill of materials",
    "publish the wheel to PyPI, the packages to npm, the platform's before `ampoule`, and the image",
    "hand in the manifests: Homebrew's tap, Nix's flake, Scoop's bucket, winget's repository",
    "install from each of them on a clean machine, as docs/start/install.md says",
];

/// Something that is checked: what holds, or why it does not.
type Check = fn(&Path, Option<&Address>) -> Result<String>;

const CHECKS: [(&str, Check); 6] = [
    ("the sources are committed", |_, _| sources()),
    ("the version is the same everywhere", |_, _| versions()),
    ("the packages are a release's", |packages, _| {
        packages_of_a_release(packages)
    }),
    ("the digests fit", |packages, _| sums(packages)),
    ("the bills of materials have the guests", |packages, _| {
        bills(packages)
    }),
    ("manifests and install.sh follow from the packages", written),
];

/// Goes through the list.
///
/// # Errors
///
/// Something that is checked does not hold.
pub(super) fn go_through(packages: &Path, address: Option<&Address>) -> Result<()> {
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        match check(packages, address) {
            Ok(found) => say(&format!("holds: {name}: {found}")),
            Err(problem) => {
                say(&format!("fails: {name}: {problem:#}"));
                failed.push(name);
            }
        }
    }
    for (index, step) in BY_A_PERSON.iter().enumerate() {
        say(&format!("for a person, {}: {step}", index + 1));
    }
    if !failed.is_empty() {
        bail!("the release is not ready: {}", failed.join("; "));
    }
    Ok(())
}

fn sources() -> Result<String> {
    let git = |arguments: &[&str]| {
        let said = answer(
            Command::new("git")
                .args(arguments)
                .current_dir(repository()),
        )?;
        anyhow::Ok(String::from_utf8(said)?.trim().to_owned())
    };
    let changed = git(&["status", "--porcelain"])?;
    ensure!(
        changed.is_empty(),
        "commit or remove these first:\n{changed}"
    );
    git(&["rev-parse", "HEAD"])
}

fn versions() -> Result<String> {
    let read = |path: &str| {
        fs::read_to_string(repository().join(path)).with_context(|| format!("{path} can't be read"))
    };
    let npm: Value = serde_json::from_str(&read("host/bind/node/package.json")?)?;
    ensure!(
        npm["version"] == VERSION,
        "host/bind/node/package.json has version {} instead of {VERSION}",
        npm["version"]
    );
    let heading = format!("## {VERSION}");
    let changes = read("CHANGELOG.md")?;
    let has_section = changes
        .lines()
        .any(|line| line == heading || line.starts_with(&format!("{heading} ")));
    ensure!(has_section, "CHANGELOG.md has no section {heading}");
    Ok(VERSION.to_owned())
}

fn packages_of_a_release(packages: &Path) -> Result<String> {
    let archives = built::archives(packages)?;
    let for_work: Vec<_> = archives
        .iter()
        .filter(|archive| !archive.is_released)
        .map(|archive| archive.platform.triple)
        .collect();
    ensure!(
        for_work.is_empty(),
        "these are not of a release build (`dist --built` made them): {}",
        for_work.join(", ")
    );
    Ok(listed(&archives))
}

/// The platforms that were built, and those that were not.
fn listed(archives: &[Archive]) -> String {
    let is_built = |triple: &str| {
        archives
            .iter()
            .any(|archive| archive.platform.triple == triple)
    };
    let all = PLATFORMS.iter().map(|platform| platform.triple);
    let (built, missing): (Vec<_>, Vec<_>) = all.partition(|triple| is_built(triple));
    match &*missing {
        [] => built.join(", "),
        missing => format!("{}; not built: {}", built.join(", "), missing.join(", ")),
    }
}

/// Each file that SHA256SUMS of a platform names.
fn sums(packages: &Path) -> Result<String> {
    let mut compared = 0;
    for archive in built::archives(packages)? {
        let folder = packages.join(archive.platform.triple);
        let text = fs::read_to_string(folder.join(SUMS))?;
        for line in text.lines() {
            let (expected, name) = line.split_once("  ").context("a line of digests")?;
            let bytes = fs::read(folder.join(name))
                .with_context(|| format!("{name} is missing; build the packages again"))?;
            ensure!(
                digest(&bytes) == expected,
                "{name} is not the file that was built; build the packages again"
            );
            compared += 1;
        }
    }
    Ok(format!("{compared} files"))
}

fn bills(packages: &Path) -> Result<String> {
    let mut parts = Vec::new();
    for Archive {
        platform, folder, ..
    } in built::archives(packages)?
    {
        let path = packages
            .join(platform.triple)
            .join(format!("{folder}.cdx.json"));
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} can't be read", path.display()))?;
        let bill: Value = serde_json::from_str(&text)?;
        let missing = Bill::missing_of_committed(&bill)?;
        ensure!(
            missing.is_empty(),
            "the bill of {} lacks {}",
            platform.triple,
            missing.join(", ")
        );
        let count = bill["components"].as_array().map_or(0, Vec::len);
        parts.push(format!("{}: {count} parts", platform.triple));
    }
    Ok(parts.join(", "))
}

fn written(packages: &Path, address: Option<&Address>) -> Result<String> {
    let written = manifests::write(packages, address)?;
    let folder = packages.join(manifests::FOLDER);
    let files: Vec<_> = written
        .files
        .iter()
        .map(|file| {
            file.strip_prefix(&folder)
                .unwrap_or(file)
                .display()
                .to_string()
        })
        .collect();
    Ok([vec![files.join(", ")], written.left_out]
        .concat()
        .join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_agree_and_the_change_log_has_a_section() {
        assert_eq!(versions().expect("they agree"), VERSION);
    }

    #[test]
    fn packages_for_work_are_not_a_release_and_a_changed_file_is_found() {
        let packages = tempfile::tempdir().expect("a folder");
        let [here, ..] = PLATFORMS;
        let folder = packages.path().join(here.triple);
        fs::create_dir(&folder).expect("a folder");
        let [file, name] = built::names(here);
        fs::write(folder.join(&file), "an archive").expect("a file");
        fs::write(folder.join("other.deb"), "a package").expect("a file");
        built::write(&folder, here, None, false).expect("a record");
        super::super::sums(&folder).expect("digests");
        assert_eq!(sums(packages.path()).expect("they fit"), "3 files");
        let error = packages_of_a_release(packages.path()).expect_err("it is for work");
        assert!(error.to_string().contains("not of a release build"));
        built::write(&folder, here, None, true).expect("a record");
        let found = packages_of_a_release(packages.path()).expect("a release's");
        assert!(
            found.contains("not built: aarch64-unknown-linux-gnu, "),
            "{found}"
        );
        fs::remove_file(folder.join(SUMS)).expect("the old digests");
        super::super::sums(&folder).expect("digests");
        fs::write(folder.join("other.deb"), "another").expect("a file");
        let error = sums(packages.path()).expect_err("it has changed");
        assert!(
            error.to_string().starts_with("other.deb is not the file"),
            "{error}"
        );
        let bill = format!("{name}.cdx.json");
        fs::write(folder.join(bill), r#"{ "components": [] }"#).expect("a file");
        let error = bills(packages.path()).expect_err("it has nothing");
        assert!(error.to_string().contains("javascript.wasm.zst"), "{error}");
    }
}
