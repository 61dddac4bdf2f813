//! What was built, of all platforms: each run of `dist` leaves a record beside its packages, and
//! manifests and the install script list what the records say, and nothing else.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::platform::{PLATFORMS, Platform};
use super::release::Release;
use super::{VERSION, digest};

/// The file of the record, in the folder of a platform's packages.
const RECORD: &str = "built.json";

/// The archive of one platform.
#[derive(Debug, Clone)]
pub(super) struct Archive {
    pub(super) platform: Platform,
    /// The name of the file.
    pub(super) file: String,
    /// The SHA-256 digest of its bytes.
    pub(super) digest: String,
    /// The folder that all of it is in.
    pub(super) folder: String,
    /// The C library that its program needs, where that is GNU's.
    pub(super) glibc: Option<[u32; 2]>,
    /// Whether it is of a release build, and not of one for work on the packages.
    pub(super) is_released: bool,
}

/// As it is in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    version: String,
    sha256: String,
    glibc: Option<[u32; 2]>,
    is_released: bool,
}

/// The names of a platform's archive and of the folder in it.
pub(super) fn names(platform: Platform) -> [String; 2] {
    let folder = format!("ampoule-{VERSION}-{}", platform.triple);
    [format!("{folder}.{}", platform.archive_end()), folder]
}

/// Records a release, whose archive is made.
pub(super) fn record(release: &Release, is_released: bool) -> Result<()> {
    let (major, minor) = release.needs.glibc;
    let glibc = Some([major, minor]);
    write(&release.folder, release.platform, glibc, is_released)
}

/// Records the archive of a platform that lies in this folder.
pub(super) fn write(
    folder: &Path,
    platform: Platform,
    glibc: Option<[u32; 2]>,
    is_released: bool,
) -> Result<()> {
    let [file, _] = names(platform);
    let record = Record {
        version: VERSION.to_owned(),
        sha256: digest(&fs::read(folder.join(file))?),
        glibc,
        is_released,
    };
    let text = serde_json::to_string_pretty(&record)? + "\n";
    Ok(fs::write(folder.join(RECORD), text)?)
}

/// The archives of all platforms that were built, in the folder of all packages.
///
/// # Errors
///
/// Nothing was built, or an archive is not the one that was recorded.
pub(super) fn archives(packages: &Path) -> Result<Vec<Archive>> {
    let mut archives = Vec::new();
    for platform in PLATFORMS {
        let folder = packages.join(platform.triple);
        if folder.join(RECORD).exists() {
            archives.push(archive(&folder, platform)?);
        }
    }
    ensure!(
        !archives.is_empty(),
        "{} has no packages; run `cargo xtask dist` first",
        packages.display()
    );
    Ok(archives)
}

fn archive(packages: &Path, platform: Platform) -> Result<Archive> {
    let path = packages.join(RECORD);
    let record: Record = serde_json::from_str(&fs::read_to_string(&path)?)
        .with_context(|| format!("{} can't be read; build the packages again", path.display()))?;
    ensure!(
        record.version == VERSION,
        "{} is of version {}; build the packages of {VERSION}",
        path.display(),
        record.version
    );
    let [file, folder] = names(platform);
    let bytes = fs::read(packages.join(&file))
        .with_context(|| format!("{file} is missing; build the packages again"))?;
    ensure!(
        digest(&bytes) == record.sha256,
        "{file} has changed since it was built; build the packages again"
    );
    Ok(Archive {
        platform,
        file,
        digest: record.sha256,
        folder,
        glibc: record.glibc,
        is_released: record.is_released,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_built_and_did_not_change_is_listed() {
        let packages = tempfile::tempdir().expect("a folder");
        let error = archives(packages.path()).expect_err("nothing was built");
        assert!(error.to_string().ends_with("run `cargo xtask dist` first"));
        let [here, ..] = PLATFORMS;
        let folder = packages.path().join(here.triple);
        fs::create_dir(&folder).expect("a folder");
        let [file, name] = names(here);
        fs::write(folder.join(&file), "an archive").expect("a file");
        write(&folder, here, Some([2, 34]), true).expect("a record");
        let found = archives(packages.path()).expect("what was built");
        let [archive] = &*found else {
            panic!("one was built: {found:?}");
        };
        assert_eq!(archive.digest, digest(b"an archive"));
        assert_eq!([&archive.file, &archive.folder], [&file, &name]);
        fs::write(folder.join(&file), "another").expect("a file");
        let error = archives(packages.path()).expect_err("it is another one");
        assert!(error.to_string().contains("has changed since it was built"));
    }
}
