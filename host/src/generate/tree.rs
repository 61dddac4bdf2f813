//! Files that are written only where they changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// The list of what was written, beside it.
const LIST: &str = ".ampoule-generated";

/// Files by their paths in the folder, with their contents.
#[derive(Default)]
pub(super) struct Tree {
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
    pub(super) fn add(&mut self, path: impl Into<PathBuf>, content: impl Into<String>) {
        self.files.insert(path.into(), content.into());
    }

    pub(super) fn write(mut self, folder: &Path) -> io::Result<Written> {
        fs::create_dir_all(folder)?;
        let earlier = listed(folder)?;
        let list: Vec<String> = self
            .files
            .keys()
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let mut written = Written::default();
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
        self.add(LIST, list.join("\n") + "\n");
        for (path, content) in self.files {
            let path = folder.join(path);
            if fs::read(&path).is_ok_and(|there| there == content.as_bytes()) {
                written.unchanged += 1;
                continue;
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, content)?;
            written.changed += 1;
        }
        Ok(written)
    }
}

/// What was written earlier. The list is a file that anybody may have edited: paths that lead elsewhere are left alone.
fn listed(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let list = match fs::read_to_string(folder.join(LIST)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
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
        assert_eq!((first.changed, first.unchanged, first.removed), (3, 0, 0));
        let again = tree(&[("a/b.ts", "1"), ("c.ts", "2")]).write(&at).unwrap();
        assert_eq!((again.changed, again.unchanged, again.removed), (0, 3, 0));
        fs::write(at.join("own.ts"), "mine").unwrap();
        let other = tree(&[("a/b.ts", "3")]).write(&at).unwrap();
        assert_eq!((other.changed, other.unchanged, other.removed), (2, 0, 1));
        assert_eq!(fs::read_to_string(at.join("a/b.ts")).unwrap(), "3");
        assert!(!at.join("c.ts").exists() && at.join("own.ts").exists());
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
