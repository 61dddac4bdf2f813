//! What every package says of licences: `LICENSE`, `NOTICE`, and `THIRD-PARTY.txt`, which is made
//! from the bill: what is inside, the licence of each part, and the texts.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xtask::repository;

use super::VERSION;
use super::bill::{Bill, LicenceText};
use super::entries::Entry;

/// The licence's file.
pub(super) const LICENCE: &str = "LICENSE";
/// What names of files with licences begin with.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];
/// What their names end with that are not of that kind.
const OTHER_FILES: [&str; 7] = [".rs", ".yml", ".yaml", ".toml", ".json", ".html", ".h"];
/// What texts of licences begin with that nothing here is under: Zstandard is under the first of these
/// or BSD-3-Clause, and liblzma's sources have programs and scripts beside them that are not built.
const NOT_CHOSEN: [&str; 2] = [
    "GNU GENERAL PUBLIC LICENSE Version",
    "GNU LESSER GENERAL PUBLIC LICENSE Version",
];
/// How long a line with names gets, in characters.
const WIDTH: usize = 98;

/// The files.
#[derive(Debug)]
pub(super) struct Licences {
    files: [(&'static str, Vec<u8>); 3],
}

impl Licences {
    /// Those of packages with this bill.
    pub(super) fn of(bill: &Bill) -> Result<Self> {
        let of_repository = |name: &str| {
            let path = repository().join(name);
            fs::read(&path).with_context(|| format!("{} can't be read", path.display()))
        };
        Ok(Self {
            files: [
                (LICENCE, of_repository(LICENCE)?),
                ("NOTICE", of_repository("NOTICE")?),
                ("THIRD-PARTY.txt", third_party(bill)?.into_bytes()),
            ],
        })
    }

    /// Names and contents.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.files.iter().map(|(name, content)| (*name, &**content))
    }

    /// Files of a package, at its top.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.files()
            .map(|(name, content)| Entry::file(name, content))
    }
}

/// A text, and the parts that are under it.
struct SharedText {
    text: String,
    parts: Vec<String>,
}

/// All parts of a bill with their licences, and the texts.
fn third_party(bill: &Bill) -> Result<String> {
    let mut list = String::new();
    // By their words: the same text comes with lines of several lengths.
    let mut texts: BTreeMap<String, SharedText> = BTreeMap::new();
    for part in bill.foreign()? {
        let (found, address) = match part.text {
            LicenceText::Here(text) => (vec![(*text).to_owned()], None),
            LicenceText::Address(address) => (Vec::new(), Some(*address)),
            LicenceText::Folder { folder, source } => {
                let found = texts_below(folder)?;
                let address = found.is_empty().then_some(&**source);
                (found, address)
            }
        };
        write!(list, "{}: {}", part.name, part.licence)?;
        match address {
            Some(address) => writeln!(list, "\n    no text below: see {address}")?,
            None => writeln!(list)?,
        }
        for text in found {
            let words: Vec<_> = text.split_whitespace().collect();
            let shared = texts.entry(words.join(" ")).or_insert_with(|| SharedText {
                text,
                parts: Vec::new(),
            });
            if shared.parts.last() != Some(&part.name) {
                shared.parts.push(part.name.clone());
            }
        }
    }
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort_by_cached_key(|text| (text.parts.join(" ").to_lowercase(), text.text.clone()));
    let own: Vec<_> = bill.own().into_iter().map(str::to_owned).collect();
    let mut page = format!(
        "What Ampoule {VERSION} is made of\n\n\
        Ampoule is licensed under Apache-2.0: see LICENSE, and NOTICE for what is inside and is not\n\
        a Rust crate. The parts of Ampoule itself:\n\n{}\n\
        The parts that others wrote, each with its licence as an expression of SPDX\n\
        (https://spdx.org/licenses). The texts that they carry are below.\n\n{list}",
        listed(&own)
    );
    for SharedText { text, parts } in texts {
        let rule = "=".repeat(WIDTH);
        write!(page, "\n{rule}\n{}{rule}\n\n", listed(&parts))?;
        for line in text.trim_matches('\n').lines() {
            writeln!(page, "{}", line.trim_end())?;
        }
    }
    Ok(page)
}

/// Names with commas, in lines.
fn listed(names: &[String]) -> String {
    let mut lines = String::new();
    let mut length = 0;
    for (index, name) in names.iter().enumerate() {
        let end = if index + 1 == names.len() { "\n" } else { "," };
        if length > 0 && length + name.len() + 2 > WIDTH {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines += name;
        lines += end;
        length += name.len() + 1;
    }
    lines
}

/// The texts of licences below a folder, by their paths: sources of others that a crate carries
/// have theirs beside them.
fn texts_below(folder: &Path) -> Result<Vec<String>> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("{} can't be read", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let is_of_licences = is_of_licence(folder);
    let mut texts = Vec::new();
    let (folders, files): (Vec<_>, Vec<_>) = entries.iter().partition(|path| path.is_dir());
    for file in files {
        if is_of_licence(file) || is_of_licences {
            let bytes = fs::read(file)?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let words: Vec<_> = text.split_whitespace().take(8).collect();
            let begins = words.join(" ");
            if !NOT_CHOSEN.iter().any(|other| begins.starts_with(other)) {
                texts.push(text);
            }
        }
    }
    for folder in folders {
        texts.extend(texts_below(folder)?);
    }
    Ok(texts)
}

/// Whether a file or a folder is called as those with licences are.
fn is_of_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_uppercase();
    let other = |end: &&str| name.ends_with(&end.to_uppercase());
    NAMES.iter().any(|begin| name.starts_with(begin)) && !OTHER_FILES.iter().any(other)
}
