//! What the site is made from: the folder `docs`, and the files outside of it that its pages link
//! to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xtask::repository;
use xtask::sources::files_in;

/// The folder of the pages.
const DOCS: &str = "docs";
/// The table of contents.
const CONTENTS: &str = "SUMMARY.md";
/// Where the site has files of the repository.
const FILES: &str = "repository";

/// The pages of the site.
pub(super) struct Book {
    /// All of them, by their paths in the site.
    pub(super) pages: BTreeSet<PathBuf>,
    /// The table of contents.
    pub(super) contents: String,
}

/// Copies all that the site needs into a folder.
///
/// # Errors
///
/// Names a link that leads nowhere.
pub(super) fn gather(to: &Path) -> Result<Book> {
    let mut gathered = GatheredPages {
        to,
        outside: BTreeMap::new(),
    };
    let mut pages = BTreeSet::new();
    for file in files_in(DOCS)? {
        let path = as_index(file.strip_prefix(DOCS)?);
        if path == Path::new(CONTENTS) {
            continue;
        }
        if is_page(&path) {
            gathered.page(&file, &path)?;
            pages.insert(path);
        } else {
            gathered.copy(&file, &path)?;
        }
    }
    // What they link to may link on.
    let mut done = BTreeSet::new();
    while let Some((file, path)) = gathered.next(&done) {
        match is_page(&path) {
            true => gathered.page(&file, &path)?,
            false => gathered.copy(&file, &path)?,
        }
        done.insert(file);
    }
    let contents = fs::read_to_string(repository().join(DOCS).join(CONTENTS))?;
    let contents = contents.replace("README.md", "index.md");
    let mut all = contents.clone();
    let outside = gathered.outside.values().filter(|path| is_page(path));
    let outside: Vec<_> = outside.cloned().collect();
    if !outside.is_empty() {
        all += "\n# From the repository\n\n";
        for path in &outside {
            let text = fs::read_to_string(to.join(path))?;
            all += &format!("- [{}]({})\n", title(&text)?, path.display());
        }
    }
    fs::write(to.join(CONTENTS), &all)?;
    for page in &pages {
        let is_listed = contents.contains(&format!("({})", page.display()));
        ensure!(is_listed, "{} is not in docs/{CONTENTS}", page.display());
    }
    pages.extend(outside);
    Ok(Book { pages, contents })
}

/// What a page is called: its first heading.
pub(super) fn title(text: &str) -> Result<&str> {
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    title.context("a page begins with its title")
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

/// A site's sources on their way.
struct GatheredPages<'a> {
    to: &'a Path,
    /// The files outside of `docs` that are linked to, and where the site has them.
    outside: BTreeMap<PathBuf, PathBuf>,
}

impl GatheredPages<'_> {
    /// A file that was linked to, and is not there yet.
    fn next(&self, done: &BTreeSet<PathBuf>) -> Option<(PathBuf, PathBuf)> {
        let mut outside = self.outside.iter();
        let next = outside.find(|(file, _)| !done.contains(*file))?;
        Some((next.0.clone(), next.1.clone()))
    }

    fn copy(&self, file: &Path, path: &Path) -> Result<()> {
        let to = self.to.join(path);
        fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
        fs::copy(repository().join(file), to)?;
        Ok(())
    }

    /// Writes a page, whose links out of `docs` lead to copies in the site.
    fn page(&mut self, file: &Path, path: &Path) -> Result<()> {
        let text = fs::read_to_string(repository().join(file))?;
        let mut written = String::new();
        let mut rest = &*text;
        while let Some((before, link)) = rest.split_once("](") {
            let (target, after) = link.split_once(')').context("a link ends")?;
            let target = self
                .target(file, path, target)
                .with_context(|| format!("{}: {target}", file.display()))?;
            written += &format!("{before}]({target})");
            rest = after;
        }
        written += rest;
        let to = self.to.join(path);
        fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
        fs::write(to, written)?;
        Ok(())
    }

    /// What a link of a page is in the site.
    fn target(&mut self, file: &Path, path: &Path, target: &str) -> Result<String> {
        let (link, place) = match target.split_once('#') {
            Some((link, place)) => (link, format!("#{place}")),
            None => (target, String::new()),
        };
        if link.is_empty() || link.contains("://") || link.starts_with("mailto:") {
            return Ok(target.to_owned());
        }
        let from = file.parent().unwrap_or(Path::new(""));
        let mut meant = plain(&from.join(link));
        if repository().join(&meant).is_dir() {
            meant.push("README.md");
        }
        ensure!(repository().join(&meant).is_file(), "file not found");
        let in_site = match meant.strip_prefix(DOCS) {
            Ok(inside) => as_index(inside),
            Err(_) => {
                let in_site = as_index(&Path::new(FILES).join(&meant));
                self.outside.insert(meant, in_site.clone());
                in_site
            }
        };
        let up = path
            .parent()
            .map_or(0, |folder| folder.components().count());
        Ok(format!("{}{}{place}", "../".repeat(up), in_site.display()))
    }
}

/// What a file is called in the site, where the page of a folder is its index.
fn as_index(path: &Path) -> PathBuf {
    match path.ends_with("README.md") {
        true => path.with_file_name("index.md"),
        false => path.to_owned(),
    }
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::index;

    /// The files that the links of a page lead to.
    fn targets(text: &str) -> impl Iterator<Item = &str> {
        let links = text.split("](").skip(1);
        let targets = links.filter_map(|rest| rest.split([')', '#']).next());
        targets.filter(|it| !it.is_empty() && !it.contains("://") && !it.starts_with("mailto:"))
    }

    #[test]
    fn the_site_has_each_page_and_all_that_pages_link_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let book = gather(folder.path()).expect("the pages");
        let (mut links, mut outside) = (0, 0);
        for page in &book.pages {
            let text = fs::read_to_string(folder.path().join(page)).expect("a page");
            title(&text).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
            // mdBook would run these, and what is included would not be checked.
            assert!(!text.contains("{{#"), "{} includes a file", page.display());
            let here = folder.path().join(page);
            for target in targets(&text) {
                let there = here.parent().expect("a folder").join(target);
                assert!(there.is_file(), "{}: {target}", page.display());
                links += 1;
            }
            outside += usize::from(page.starts_with(FILES));
        }
        assert!(links > 500 && outside > 5, "{links}, {outside}");
        let contents = fs::read_to_string(folder.path().join(CONTENTS)).expect("contents");
        for target in targets(&contents) {
            assert!(folder.path().join(target).is_file(), "{target}");
        }
        // Each page has a sentence for models.
        let list = index::of(folder.path(), &book).expect("a list");
        let lines = list.lines().filter(|line| line.starts_with("- ["));
        let mute: Vec<_> = lines.filter(|line| !line.ends_with(['.', ':'])).collect();
        assert!(mute.is_empty(), "no first sentence:\n{}", mute.join("\n"));
    }
}
