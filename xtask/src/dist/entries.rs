//! Files of packages, and archives of them: the same bytes for the same files.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// A file or a folder, by its path in the package.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) kind: Kind,
    pub(super) mode: u32,
    /// The number of the user and group that it is of.
    pub(super) owner: u64,
}

/// What it is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A file, with its content.
    File(Vec<u8>),
    Folder,
}

impl Entry {
    /// A file that everybody may read.
    pub(super) fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self::new(path, Kind::File(content.into()), 0o644)
    }

    /// A program.
    pub(super) fn program(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self::new(path, Kind::File(content.into()), 0o755)
    }

    /// A folder with this mode. Those that entries are in need not be given.
    pub(super) fn folder(path: impl Into<String>, mode: u32) -> Self {
        Self::new(path, Kind::Folder, mode)
    }

    fn new(path: impl Into<String>, kind: Kind, mode: u32) -> Self {
        Self {
            path: path.into(),
            kind,
            mode,
            owner: 0,
        }
    }

    /// The same, of another user.
    pub(super) fn of(mut self, owner: u64) -> Self {
        self.owner = owner;
        self
    }

    /// The same, below a folder.
    pub(super) fn below(mut self, folder: &str) -> Self {
        self.path = format!("{folder}/{}", self.path);
        self
    }

    /// Writes its file, and the folders that this is in, below another folder.
    pub(super) fn write_below(&self, folder: &Path) -> Result<()> {
        let path = folder.join(&self.path);
        if let Kind::File(content) = &self.kind {
            fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
            fs::write(path, content)?;
        }
        Ok(())
    }

    /// How many bytes its file has.
    pub(super) fn bytes(&self) -> usize {
        match &self.kind {
            Kind::File(content) => content.len(),
            Kind::Folder => 0,
        }
    }
}

/// An archive of these, sorted, with the folders that they are in, all of this date.
pub(super) fn tar(entries: &[Entry], epoch: u64) -> Result<Vec<u8>> {
    let mut all = entries.to_vec();
    let given: BTreeSet<&str> = entries.iter().map(|entry| &*entry.path).collect();
    let mut folders = BTreeSet::new();
    for entry in entries {
        let parents = entry
            .path
            .match_indices('/')
            .map(|(at, _)| &entry.path[..at]);
        folders.extend(parents.filter(|folder| !folder.is_empty() && *folder != "."));
    }
    let missing = folders.iter().filter(|folder| !given.contains(**folder));
    all.extend(missing.map(|folder| Entry::folder(*folder, 0o755)));
    all.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = Builder::new(Vec::new());
    for entry in &all {
        append(&mut archive, entry, epoch)
            .with_context(|| format!("{} can't be packed", entry.path))?;
    }
    Ok(archive.into_inner()?)
}

fn append(archive: &mut Builder<Vec<u8>>, entry: &Entry, epoch: u64) -> Result<()> {
    let mut header = Header::new_gnu();
    header.set_mode(entry.mode);
    header.set_uid(entry.owner);
    header.set_gid(entry.owner);
    header.set_mtime(epoch);
    header.set_size(entry.bytes() as u64);
    match &entry.kind {
        Kind::File(content) => {
            header.set_entry_type(EntryType::Regular);
            archive.append_data(&mut header, &entry.path, &**content)?;
        }
        Kind::Folder => {
            header.set_entry_type(EntryType::Directory);
            let path = format!("{}/", entry.path.trim_end_matches('/'));
            archive.append_data(&mut header, path, std::io::empty())?;
        }
    }
    Ok(())
}

/// These bytes, compressed, without a date or a name.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::default());
    packed.write_all(bytes)?;
    Ok(packed.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(archive: &[u8]) -> Vec<(String, u32, u64)> {
        let mut archive = tar::Archive::new(archive);
        let entries = archive.entries().expect("entries").map(|entry| {
            let entry = entry.expect("an entry");
            let header = entry.header();
            let path = entry.path().expect("a path").display().to_string();
            (
                path,
                header.mode().expect("a mode"),
                header.uid().expect("a user"),
            )
        });
        entries.collect()
    }

    #[test]
    fn folders_come_before_what_is_in_them_and_order_does_not_matter() {
        let entries = [
            Entry::program("usr/bin/ampoule", "program").of(7),
            Entry::folder("usr/share", 0o700),
            Entry::file(format!("usr/{}", "long/".repeat(40) + "name"), "text"),
        ];
        let archive = tar(&entries, 1).expect("an archive");
        let mut turned = entries.to_vec();
        turned.reverse();
        assert_eq!(archive, tar(&turned, 1).expect("an archive"));
        let listed = listed(&archive);
        let place = |path: &str| listed.iter().position(|(found, ..)| found == path);
        assert!(place("usr/") < place("usr/bin/"));
        assert_eq!(place("usr/bin/").map(|at| at + 1), place("usr/bin/ampoule"));
        let of = |path: &str| place(path).map(|at| (listed[at].1, listed[at].2));
        assert_eq!(of("usr/bin/ampoule"), Some((0o755, 7)));
        assert_eq!(of("usr/share/"), Some((0o700, 0)));
        assert_eq!(
            gzip(&archive).expect("packed"),
            gzip(&archive).expect("packed")
        );
    }
}
