//! The package for Debian and what comes from it. It has the service's units and a configuration
//! folder; nothing starts until somebody says so.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use ar::{Builder, Header};
use xtask::repository;

use super::entries::{Entry, gzip, tar};
use super::licences::{LICENCE, Licences};
use super::pages::Pages;
use super::release::Release;
use super::tarball::EXAMPLES;
use super::{SUMMARY, VERSION};

/// The configuration, which stays as it is when a newer version is installed.
const CONFIGURATION: &str = "etc/ampoule/ampoule.toml";
/// What runs before and after it is installed and removed.
const SCRIPTS: [(&str, &str); 3] = [
    ("postinst", include_str!("files/postinst")),
    ("prerm", include_str!("files/prerm")),
    ("postrm", include_str!("files/postrm")),
];

/// Writes it, and gives its path.
pub(super) fn write(release: &Release, pages: &Pages, licences: &Licences) -> Result<PathBuf> {
    let entries = entries(release, pages, licences)?;
    let control = control(release, &entries)?;
    let architecture = release.platform.deb();
    let file = release
        .folder
        .join(format!("ampoule_{VERSION}_{architecture}.deb"));
    fs::write(&file, archive(control, entries, release)?)?;
    Ok(file)
}

/// A package of what it says of itself, and of what it installs.
pub(super) fn archive(
    control: Vec<Entry>,
    entries: Vec<Entry>,
    release: &Release,
) -> Result<Vec<u8>> {
    let mut package = Builder::new(Vec::new());
    for (name, content) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", packed(control, release)?),
        ("data.tar.gz", packed(entries, release)?),
    ] {
        let mut header = Header::new(name.into(), content.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(release.epoch);
        package.append(&header, &*content)?;
    }
    Ok(package.into_inner()?)
}

/// An archive whose paths begin as dpkg's do.
fn packed(entries: Vec<Entry>, release: &Release) -> Result<Vec<u8>> {
    let mut entries: Vec<_> = entries.into_iter().map(|entry| entry.below(".")).collect();
    entries.push(Entry::folder(".", 0o755));
    gzip(&tar(&entries, release.epoch)?)
}

/// All that it installs.
pub(super) fn entries(release: &Release, pages: &Pages, licences: &Licences) -> Result<Vec<Entry>> {
    let document = |name: &str| {
        let path = repository().join(name);
        fs::read(&path).with_context(|| format!("{} can't be read", path.display()))
    };
    let [bash, zsh, fish] = &pages.completions;
    let of_service = |name: &str| format!("usr/lib/systemd/system/{name}");
    let of_documents = |name: &str| format!("usr/share/doc/ampoule/{name}");
    let mut entries = vec![
        Entry::program("usr/bin/ampoule", release.bytes()?),
        Entry::file(CONFIGURATION, include_str!("files/ampoule.toml")),
        Entry::file(
            of_service("ampoule.service"),
            include_str!("files/ampoule.service"),
        ),
        Entry::file(
            of_service("ampoule.socket"),
            include_str!("files/ampoule.socket"),
        ),
        Entry::file(
            "usr/share/bash-completion/completions/ampoule",
            bash.clone(),
        ),
        Entry::file("usr/share/zsh/vendor-completions/_ampoule", zsh.clone()),
        Entry::file(
            "usr/share/fish/vendor_completions.d/ampoule.fish",
            fish.clone(),
        ),
        Entry::file(of_documents("copyright"), copyright()),
        Entry::file(
            of_documents("CHANGELOG.md.gz"),
            gzip(&document("CHANGELOG.md")?)?,
        ),
        Entry::file(of_documents("README.md"), document("README.md")?),
    ];
    // Debian has the licence's text for all packages.
    let of_licences = licences.entries().filter(|entry| entry.path != LICENCE);
    entries.extend(of_licences.map(|entry| entry.below("usr/share/doc/ampoule")));
    entries.extend(release.model("usr/share/ampoule"));
    for name in EXAMPLES {
        let path = of_documents(&format!("examples/{name}"));
        entries.push(Entry::file(path, document(&format!("examples/{name}"))?));
    }
    for (name, page) in pages.compressed()? {
        entries.push(Entry::file(format!("usr/share/man/man1/{name}"), page));
    }
    Ok(entries)
}

fn control(release: &Release, entries: &[Entry]) -> Result<Vec<Entry>> {
    let (major, minor) = release.needs.glibc;
    let kibibytes: usize = entries
        .iter()
        .map(|entry| entry.bytes().div_ceil(1024))
        .sum();
    let architecture = release.platform.deb();
    let control = format!(
        "Package: ampoule\n\
        Version: {VERSION}\n\
        Architecture: {architecture}\n\
        Maintainer: The makers of Ampoule <ampoule@example.invalid>\n\
        Installed-Size: {kibibytes}\n\
        Depends: libc6 (>= {major}.{minor}), libgcc-s1, passwd\n\
        Recommends: ca-certificates\n\
        Section: utils\n\
        Priority: optional\n\
        Description: {SUMMARY}\n \
        Each run gets a fresh WebAssembly instance with fuel, memory and time\n \
        limits. One program is an MCP server for any client; a service for many\n \
        clients is installed beside it; start it once it is configured.\n"
    );
    let mut files = vec![
        Entry::file("control", control),
        Entry::file("conffiles", format!("/{CONFIGURATION}\n")),
    ];
    files.extend(SCRIPTS.map(|(name, script)| Entry::program(name, script)));
    Ok(files)
}

fn copyright() -> String {
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
    Upstream-Name: ampoule\n\n\
    Files: *\n\
    Copyright: 2026 The Ampoule authors\n\
    License: Apache-2.0\n \
    /usr/share/common-licenses/Apache-2.0 has the text. What others wrote is\n \
    listed in NOTICE and, with the texts of its licences, in THIRD-PARTY.txt\n \
    beside this file.\n"
        .to_owned()
}
