//! The package for Fedora, RHEL and what comes from them. It installs what Debian's does, where
//! these systems look for it. Its payload is not compressed: the compressors of the crate `rpm`
//! would change how the program's own are built.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rpm::{BuildConfig, CompressionType, Dependency, FileOptions, PackageBuilder, Scriptlet};
use xtask::repository;

use super::entries::{Entry, Kind};
use super::licences::Licences;
use super::pages::Pages;
use super::release::Release;
use super::tarball::EXAMPLES;
use super::{SUMMARY, VERSION};

/// The configuration, which stays as it is when a newer version is installed.
const CONFIGURATION: &str = "etc/ampoule/ampoule.toml";
/// Its folder, which the service's group reads.
const CONFIGURATION_FOLDER: &str = "etc/ampoule";
/// The folder of documents, and that of licences.
const DOCUMENTATION: &str = "usr/share/doc/ampoule";
const LICENCES: &str = "usr/share/licenses/ampoule";
/// The service's group.
const GROUP: &str = "ampoule";

/// Writes it, and gives its path.
pub(super) fn write(release: &Release, pages: &Pages, licences: &Licences) -> Result<PathBuf> {
    let architecture = release.platform.machine();
    let file = release
        .folder
        .join(format!("ampoule-{VERSION}-1.{architecture}.rpm"));
    let mut bytes = Vec::new();
    package(release, &entries(release, pages, licences)?)?.write(&mut bytes)?;
    fs::write(&file, bytes)?;
    Ok(file)
}

fn package(release: &Release, entries: &[Entry]) -> Result<rpm::Package> {
    let date = u32::try_from(release.epoch).context("the date of the packages is too late")?;
    let config = BuildConfig::v4()
        .compression(CompressionType::None)
        .source_date(date);
    let (major, minor) = release.needs.glibc;
    let mut package = PackageBuilder::new(
        "ampoule",
        VERSION,
        "Apache-2.0",
        release.platform.machine(),
        SUMMARY,
    );
    package
        .using_config(config)
        .build_host("localhost")
        .description(
            "Each run gets a fresh WebAssembly instance with fuel, memory and time limits. One \
            program is an MCP server for any client; a service for many clients is installed \
            beside it; start it once it is configured.",
        )
        .requires(Dependency::any(format!(
            "libc.so.6(GLIBC_{major}.{minor})(64bit)"
        )))
        .requires(Dependency::any("libgcc_s.so.1()(64bit)"))
        .requires(Dependency::script_pre("shadow-utils"))
        .recommends(Dependency::any("ca-certificates"))
        .pre_install_script(script(include_str!("files/rpm-pre")))
        .post_install_script(script(include_str!("files/rpm-post")))
        .pre_uninstall_script(script(include_str!("files/rpm-preun")));
    package.with_dir_entry(
        FileOptions::dir(format!("/{CONFIGURATION_FOLDER}"))
            .group(GROUP)
            .permissions(0o750),
    )?;
    for entry in entries {
        add(&mut package, entry)?;
    }
    Ok(package.build()?)
}

/// A script of the shell.
fn script(text: &str) -> Scriptlet {
    Scriptlet::new(text).prog(vec!["/bin/sh"])
}

/// Adds a file, as what it is to the system.
fn add(package: &mut PackageBuilder, entry: &Entry) -> Result<()> {
    let Kind::File(content) = &entry.kind else {
        return Ok(());
    };
    let mode = u16::try_from(entry.mode).context("a mode is small")?;
    let path = format!("/{}", entry.path);
    let mut options = FileOptions::new(path).permissions(mode);
    if entry.path == CONFIGURATION {
        options = options.group(GROUP).noreplace();
    } else if entry.path.starts_with(DOCUMENTATION) || entry.path.starts_with("usr/share/man") {
        options = options.doc();
    } else if entry.path.starts_with(LICENCES) {
        options = options.license();
    }
    package.with_file_contents(content.clone(), options)?;
    Ok(())
}

/// All that it installs.
fn entries(release: &Release, pages: &Pages, licences: &Licences) -> Result<Vec<Entry>> {
    let [bash, zsh, fish] = &pages.completions;
    let mut entries = vec![
        Entry::program("usr/bin/ampoule", release.bytes()?),
        Entry::file(CONFIGURATION, include_str!("files/ampoule.toml")),
        Entry::file(
            "usr/lib/systemd/system/ampoule.service",
            include_str!("files/ampoule.service"),
        ),
        Entry::file(
            "usr/lib/systemd/system/ampoule.socket",
            include_str!("files/ampoule.socket"),
        ),
        Entry::file(
            "usr/share/bash-completion/completions/ampoule",
            bash.clone(),
        ),
        Entry::file("usr/share/zsh/site-functions/_ampoule", zsh.clone()),
        Entry::file(
            "usr/share/fish/vendor_completions.d/ampoule.fish",
            fish.clone(),
        ),
    ];
    entries.extend(licences.entries().map(|entry| entry.below(LICENCES)));
    entries.extend(release.model("usr/share/ampoule"));
    let examples = EXAMPLES.map(|name| format!("examples/{name}"));
    let documents = ["CHANGELOG.md", "README.md"].map(String::from);
    for name in documents.into_iter().chain(examples) {
        let path = repository().join(&name);
        let content =
            fs::read(&path).with_context(|| format!("{} can't be read", path.display()))?;
        entries.push(Entry::file(format!("{DOCUMENTATION}/{name}"), content));
    }
    for (name, page) in pages.compressed()? {
        entries.push(Entry::file(format!("usr/share/man/man1/{name}"), page));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use rustix::process::geteuid;

    use super::super::{answer, check};
    use super::*;

    #[test]
    fn it_says_what_it_needs_and_who_reads_its_configuration() {
        let folder = tempfile::tempdir().expect("a folder");
        let release = Release::of_this(folder.path());
        let entries = [
            Entry::program("usr/bin/ampoule", "#!/bin/sh\necho the program ran\n"),
            Entry::file(CONFIGURATION, "# nothing\n"),
        ];
        let built = || {
            let mut bytes = Vec::new();
            let package = package(&release, &entries).expect("a package");
            package.write(&mut bytes).expect("its bytes");
            bytes
        };
        let bytes = built();
        assert_eq!(bytes, built(), "the same files make the same package");
        // By `rpm` itself, where it is installed.
        if check::installed("rpm").is_some() {
            let file = folder.path().join("ampoule.rpm");
            fs::write(&file, &bytes).expect("a file");
            check::rpm::reads(&file, folder.path()).expect("rpm reads it");
            if geteuid().is_root() {
                let runs = |program: &Path| {
                    let said = answer(&mut Command::new(program))?;
                    assert_eq!(said, b"the program ran\n");
                    Ok(())
                };
                check::rpm::installs(&file, folder.path(), runs).expect("rpm installs it");
            }
        }
        let package = rpm::Package::parse(&mut &*bytes).expect("a package");
        let metadata = &package.metadata;
        assert_eq!(metadata.get_name().expect("a name"), "ampoule");
        assert_eq!(metadata.get_version().expect("a version"), VERSION);
        let requires = metadata.get_requires().expect("what it needs");
        let names: Vec<_> = requires.iter().map(|needed| &*needed.name).collect();
        assert!(
            names
                .iter()
                .any(|name| name.starts_with("libc.so.6(GLIBC_2.")),
            "{names:?}"
        );
        let files = metadata.get_file_entries().expect("its files");
        let of = |path: &str| {
            let file = files.iter().find(|file| file.path().to_str() == Some(path));
            let file = file.expect("a file");
            (file.group().to_owned(), file.mode().permissions())
        };
        assert_eq!(of("/etc/ampoule"), ("ampoule".to_owned(), 0o750));
        assert_eq!(of("/usr/bin/ampoule"), ("root".to_owned(), 0o755));
    }
}
