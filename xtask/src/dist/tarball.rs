//! The tarball: a folder laid out as below `/usr/local`.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use xtask::repository;

use super::entries::{Entry, gzip, tar};
use super::licences::Licences;
use super::pages::Pages;
use super::release::Release;

/// The folder of documents.
const DOCUMENTATION: &str = "share/doc/ampoule";
/// Documents that are in it.
const DOCUMENTS: [&str; 3] = ["CHANGELOG.md", "README.md", "SECURITY.md"];
/// Examples that are in it.
pub(super) const EXAMPLES: [&str; 3] =
    ["ampoule.toml", "quarterly-report.py", "quarterly-report.ts"];

/// Writes it, and gives its path.
pub(super) fn write(release: &Release, pages: &Pages, licences: &Licences) -> Result<PathBuf> {
    let name = release.name();
    let entries: Vec<_> = entries(release, pages, licences)?
        .into_iter()
        .map(|entry| entry.below(&name))
        .collect();
    let file = release.folder.join(format!("{name}.tar.gz"));
    fs::write(&file, gzip(&tar(&entries, release.epoch)?)?)?;
    Ok(file)
}

/// All that is in it.
pub(super) fn entries(release: &Release, pages: &Pages, licences: &Licences) -> Result<Vec<Entry>> {
    let mut entries = vec![Entry::program("bin/ampoule", release.bytes()?)];
    let [bash, zsh, fish] = &pages.completions;
    for (path, script) in [
        ("share/bash-completion/completions/ampoule", bash),
        ("share/zsh/site-functions/_ampoule", zsh),
        ("share/fish/vendor_completions.d/ampoule.fish", fish),
    ] {
        entries.push(Entry::file(path, script.clone()));
    }
    for (name, page) in &pages.manual {
        entries.push(Entry::file(format!("share/man/man1/{name}"), page.clone()));
    }
    let of_licences = licences.entries();
    entries.extend(of_licences.map(|entry| entry.below(DOCUMENTATION)));
    entries.extend(release.model("share/ampoule"));
    entries.extend(documents()?);
    Ok(entries)
}

/// Documents and examples.
fn documents() -> Result<Vec<Entry>> {
    let examples = EXAMPLES.map(|name| format!("examples/{name}"));
    let names = DOCUMENTS.into_iter().map(String::from);
    let files = names.chain(examples).map(|name| {
        let content = fs::read(repository().join(&name))?;
        Ok(Entry::file(format!("{DOCUMENTATION}/{name}"), content))
    });
    files.collect()
}
