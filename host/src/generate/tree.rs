//! Files that are written only where they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Files by their paths in the folder, with their contents.
pub(super) struct Tree {
    /// The file that lists the others: by it they are known again.
    list: &'static str,
    files: BTreeMap<PathBuf, String>,
}

/// How much there was to do.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Written {
    /// Files that are new, or changed.
    pub(crate) changed: usize,
    /// Files that were as they should be.
    pub(crate) unchanged: usize,
    /// Files of an earlier time that are no longer part of it.
    pub(crate) removed: usize,
}

impl Tree {
    pub(super) fn new(list: &'static str) -> Self {
        Self {
            list,
            files: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, path: impl Into<PathBuf>, content: impl Into<String>) {
        self.files.insert(path.into(), content.into());
    }

    /// Writes what is new or changed, and removes what is listed and no longer there. Where that would replace a file of somebody else, nothing is
    /// written.
    pub(super) fn write(mut self, folder: &Path) -> io::Result<Written> {
        let earlier = self.listed(folder)?;
        let mut changed = Vec::new();
        for (path, content) in &self.files {
            match fs::read(folder.join(path)) {
                Ok(there) if there == content.as_bytes() => {}
                Ok(_) if !earlier.contains(path) => {
                    let problem = format!(
                        "{} is there and was not written by this command; move it, or choose another folder",
                        path.display()
                    );
                    return Err(io::Error::new(ErrorKind::AlreadyExists, problem));
                }
                Ok(_) => changed.push(path.clone()),
                Err(error) if error.kind() == ErrorKind::NotFound => changed.push(path.clone()),
                Err(error) => return Err(error),
            }
        }
        let mut written = Written {
            changed: changed.len(),
            unchanged: self.files.len() - changed.len(),
            removed: 0,
        };
        for stale in earlier
            .iter()
            .filter(|path| !self.files.contains_key(*path))
        {
            match fs::remove_file(folder.join(stale)) {
                Ok(()) => written.removed += 1,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        // Before the files: what is broken off in the middle is known again, too.
        let list: Vec<_> = self
            .files
            .keys()
            .map(|path| path.to_string_lossy())
            .collect();
        let list = list.join("\n") + "\n";
        fs::create_dir_all(folder)?;
        fs::write(folder.join(self.list), list)?;
        for path in changed {
            let content = self.files.remove(&path).unwrap_or_default();
            let path = folder.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content)?;
        }
        Ok(written)
    }

    /// What was written earlier. The list is a file that anybody may have edited: paths that lead elsewhere are left alone.
    fn listed(&self, folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
        let list = match fs::read_to_string(folder.join(self.list)) {
            Ok(list) => list,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(error),
        };
        let inside = |path: &PathBuf| {
            path.components()
                .all(|component| matches!(component, Component::Normal(_)))
        };
        Ok(list.lines().map(PathBuf::from).filter(inside).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = ".list";

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::new(LIST);
        files
            .iter()
            .for_each(|(path, content)| tree.add(*path, *content));
        tree
    }

    #[test]
    fn only_what_changed_is_written_and_what_is_gone_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("out");
        let first = tree(&[("a/b.ts", "1"), ("c.ts", "2")]).write(&at).unwrap();
        assert_eq!((first.changed, first.unchanged, first.removed), (2, 0, 0));
        let again = tree(&[("a/b.ts", "1"), ("c.ts", "2")]).write(&at).unwrap();
        assert_eq!((again.changed, again.unchanged, again.removed), (0, 2, 0));
        fs::write(at.join("own.ts"), "mine").unwrap();
        let other = tree(&[("a/b.ts", "3")]).write(&at).unwrap();
        assert_eq!((other.changed, other.unchanged, other.removed), (1, 0, 1));
        assert_eq!(fs::read_to_string(at.join("a/b.ts")).unwrap(), "3");
        assert!(!at.join("c.ts").exists() && at.join("own.ts").exists());
    }

    #[test]
    fn a_file_of_somebody_else_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b"), "mine").unwrap();
        let refused = tree(&[("a", "1"), ("b", "2")]).write(folder.path());
        assert!(refused.unwrap_err().to_string().starts_with("b is there"));
        assert!(!folder.path().join("a").exists());
        assert_eq!(fs::read_to_string(folder.path().join("b")).unwrap(), "mine");
    }

    #[test]
    fn a_list_that_leads_elsewhere_removes_nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let (at, elsewhere) = (folder.path().join("out"), folder.path().join("precious"));
        fs::create_dir(&at).unwrap();
        fs::write(&elsewhere, "data").unwrap();
        let list = format!("../precious\n{}\n", elsewhere.display());
        fs::write(at.join(LIST), list).unwrap();
        let written = tree(&[("a", "1")]).write(&at).unwrap();
        assert_eq!(written.removed, 0);
        assert!(elsewhere.exists());
    }
}
