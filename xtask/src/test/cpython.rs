//! CPython's own tests: Debian's package of them, and of the library that they are a part of, by
//! the mirror and the keys that this machine has.
//!
//! Nothing of the machine's own lists and packages is touched: apt is given a folder of its own,
//! and nothing is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::programs::succeed;
use crate::say;
use xtask::repository;

/// The packages: the tests, and what supports them.
const PACKAGES: [&str; 2] = ["libpython3.14-testsuite", "libpython3.14-stdlib"];

/// The distributions that have them, by their names in `os-release`: suites, and the components of
/// these.
const DISTRIBUTIONS: [(&str, &str, &str); 2] = [
    ("debian", "forky sid", "main"),
    ("ubuntu", "resolute devel", "main universe"),
];

/// What is needed of the table of suites.
#[derive(Deserialize)]
struct Table {
    version: String,
}

/// A folder with `version` and `test`. It has the version that the table of suites was made from,
/// where that is still to be had, and else the newest.
pub(super) fn prepare() -> Result<PathBuf> {
    let table = fs::read_to_string(repository().join("tests/all/cpython/suites.json"))?;
    let Table { version: wanted } = serde_json::from_str(&table)?;
    let folder = repository().join("target/test-servers/cpython");
    let stamp = folder.join("made-from");
    if fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let apt = folder.join("apt");
    let configuration = configure(&apt)?;
    let version = download(&configuration, &apt, &wanted)?;
    for package in packages_in(&apt)? {
        succeed(
            Command::new("dpkg-deb")
                .arg("--extract")
                .arg(package)
                .arg(apt.join("unpacked")),
        )?;
    }
    fs::rename(
        apt.join("unpacked/usr/lib/python3.14/test"),
        folder.join("test"),
    )
    .context("the packages have no tests")?;
    fs::remove_dir_all(&apt)?;
    fs::write(folder.join("version"), version)?;
    fs::write(stamp, wanted)?;
    Ok(folder)
}

/// Writes the configuration of apt, and returns the file's name.
fn configure(apt: &Path) -> Result<PathBuf> {
    let release =
        fs::read_to_string("/etc/os-release").context("this is neither Debian nor Ubuntu")?;
    let field = |name: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(name));
        line.map(|value| value.trim_matches('"'))
    };
    let (name, suites, components) = DISTRIBUTIONS
        .into_iter()
        .find(|(name, ..)| field("ID=") == Some(name))
        .context("this is neither Debian nor Ubuntu")?;
    let mirror = mirror(field("VERSION_CODENAME=").context("the machine's release has no name")?)?;
    for folder in ["state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(apt.join(folder))?;
    }
    fs::write(apt.join("status"), "")?;
    let keys = format!("/usr/share/keyrings/{name}-archive-keyring.gpg");
    // Where the keys are elsewhere, apt knows where.
    let signed = if Path::new(&keys).exists() {
        format!("Signed-By: {keys}\n")
    } else {
        String::new()
    };
    fs::write(
        apt.join("mirror.sources"),
        format!(
            "Types: deb\nURIs: {mirror}\nSuites: {suites}\nComponents: {components}\nTargets: Packages\n{signed}"
        ),
    )?;
    let configuration = apt.join("apt.conf");
    let at = apt.display();
    fs::write(
        &configuration,
        format!(
            r#"Dir::State "{at}/state";
Dir::State::status "{at}/status";
Dir::Cache "{at}/cache";
Dir::Etc::SourceList "{at}/mirror.sources";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Acquire::Retries "3";
Acquire::Languages "none";
# It would warn that another user can't write here.
APT::Sandbox::User "root";
# What the machine does after its own updates.
#clear APT::Update;
#clear DPkg;
"#
        ),
    )?;
    Ok(configuration)
}

/// The mirror that this machine has its own release from.
pub(crate) fn mirror(release: &str) -> Result<String> {
    let listed = answer(Command::new("apt-get").args([
        "indextargets",
        "--format",
        "$(RELEASE) $(COMPONENT) $(REPO_URI)",
        "Created-By: Packages",
    ]))
    .context("apt lists no mirrors")?;
    let own = format!("{release} main ");
    let found = listed.lines().find_map(|line| line.strip_prefix(&own));
    Ok(found.context("this machine has no mirror")?.to_owned())
}

/// Downloads the packages: in the wanted version, or in the newest that all suites have. Gives the
/// version.
fn download(configuration: &Path, folder: &Path, wanted: &str) -> Result<String> {
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.arg("-c").arg(configuration).arg("-qq").args(arguments);
        apt.current_dir(folder);
        apt
    };
    // It fails also where one suite of several is missing; what matters is whether the packages are
    // there then.
    if let Err(problem) = succeed(&mut apt(&["update"])) {
        say(&format!("{problem:#}"));
    }
    let pinned = PACKAGES.map(|package| format!("{package}={wanted}"));
    let exact = succeed(&mut apt(&["download", &pinned[0], &pinned[1]]));
    if exact.is_err() {
        say(&format!(
            "CPython's tests are not there in version {wanted}: taking the newest"
        ));
        succeed(&mut apt(&["download", PACKAGES[0], PACKAGES[1]]))
            .context("the mirror has no tests of CPython 3.14")?;
    }
    let mut versions = Vec::new();
    for package in packages_in(folder)? {
        let mut command = Command::new("dpkg-deb");
        versions.push(answer(command.arg("-f").arg(package).arg("Version"))?);
    }
    versions.dedup();
    match &versions[..] {
        [version] => Ok(version.trim().to_owned()),
        several => bail!("the packages have the versions {several:?}"),
    }
}

/// The downloaded packages.
fn packages_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            packages.push(path);
        }
    }
    Ok(packages)
}

/// What a command prints.
fn answer(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{:?} can't be started", command.get_program()))?;
    if !output.status.success() {
        bail!("{command:?} failed");
    }
    Ok(String::from_utf8(output.stdout)?)
}
