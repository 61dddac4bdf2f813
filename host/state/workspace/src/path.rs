//! Paths: from what a script writes to a place in one of its roots. Nothing of the file system is
//! looked at.

use serde::{Deserialize, Serialize};

use crate::error::{Code, FileError};

/// How long a path may be, and a name in it, in bytes.
const PATH_BYTES: usize = 4095;
const NAME_BYTES: usize = 255;
/// How many folders may be one in the other.
pub(crate) const DEPTH: usize = 64;
/// What the folder of the host's own files is called, at the top of each root.
pub(crate) const OWN: &str = ".ampoule";

/// What the roots are called in paths.
pub(crate) const WORKSPACE: &str = "workspace";
pub(crate) const SCRATCH: &str = "tmp";
pub(crate) const FOLDERS: &str = "folders";

/// Where a path begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Root {
    /// `/`, which has nothing but the roots.
    Top,
    /// `/folders`, which has nothing but folders.
    Folders,
    Workspace,
    Scratch,
    /// A folder, by its name.
    Folder(String),
}

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedPath {
    pub(crate) root: Root,
    /// Names with `/` between them; empty for the root itself.
    pub(crate) path: String,
}

/// Where what a path means is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mount {
    /// It is `/`, which has nothing but the roots.
    Top,
    /// Among the run's files in [memory](crate::Memory).
    Memory(ResolvedPath),
    /// Among those that it was [given](crate::Files).
    Given,
}

/// Where what a path means is, for a run that was given a workspace; or was not, and this is said to
/// scripts of what is not there.
///
/// # Errors
///
/// It means nothing. Beside a workspace there may be something, and it is not to be reached; beside
/// memory alone there is nothing.
pub fn mount(text: &str, no_workspace: Option<&str>) -> Result<Mount, FileError> {
    let place = match (place(text), no_workspace) {
        (Err(error), Some(advice)) if error == outside() => {
            return Err(FileError::new(Code::NoEntry, advice));
        }
        (place, _) => place?,
    };
    Ok(match place.root {
        Root::Top => Mount::Top,
        Root::Scratch => Mount::Memory(place),
        Root::Workspace if no_workspace.is_some() => Mount::Memory(place),
        Root::Workspace | Root::Folders | Root::Folder(_) => Mount::Given,
    })
}

/// What a path means.
pub(crate) fn place(text: &str) -> Result<ResolvedPath, FileError> {
    if text.is_empty() {
        return Err(Code::NoEntry.into());
    }
    if text.contains('\0') {
        return Err(FileError::new(Code::Invalid, "a path has no NUL in it"));
    }
    if text.len() > PATH_BYTES {
        let advice = format!("a path has at most {PATH_BYTES} bytes");
        return Err(FileError::new(Code::NameTooLong, advice));
    }
    let parts = parts(text)?;
    let mut parts = parts.into_iter();
    let (root, skips) = match parts.next() {
        None => (Root::Top, false),
        Some(WORKSPACE) => (Root::Workspace, true),
        Some(SCRATCH) => (Root::Scratch, false),
        Some(FOLDERS) => match parts.next() {
            None => (Root::Folders, false),
            Some(name) => (Root::Folder(name.to_owned()), false),
        },
        Some(_) => return Err(outside()),
    };
    let mut parts = parts.peekable();
    // `./workspace/x` means the same as `x`, from any caller that made it absolute.
    if skips {
        parts.next_if_eq(&WORKSPACE);
    }
    if parts.peek() == Some(&OWN) {
        let advice = format!("`{OWN}` is reserved for the host's own files");
        return Err(FileError::new(Code::Access, advice));
    }
    let path = parts.collect::<Vec<_>>().join("/");
    Ok(ResolvedPath { root, path })
}

/// The names on the way from `/`. Relative paths begin in the workspace.
fn parts(text: &str) -> Result<Vec<&str>, FileError> {
    let mut parts = if text.starts_with('/') {
        Vec::new()
    } else {
        vec![WORKSPACE]
    };
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(outside)?;
            }
            name if name.len() > NAME_BYTES => {
                let advice = format!("a name has at most {NAME_BYTES} bytes");
                return Err(FileError::new(Code::NameTooLong, advice));
            }
            name => parts.push(name),
        }
    }
    if parts.len() > DEPTH {
        let advice = format!("folders are nested at most {DEPTH} deep");
        return Err(FileError::new(Code::NameTooLong, advice));
    }
    Ok(parts)
}

fn outside() -> FileError {
    FileError::new(
        Code::Access,
        "it leads out of the workspace; write a path relative to it, such as `data/x.csv`",
    )
}

/// The folder that something is in, and what it is called there.
pub(crate) fn parent(path: &str) -> Option<&str> {
    if path.is_empty() {
        return None;
    }
    Some(path.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// The folders that something is in, the outermost first; the root is not among them.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Something in a folder.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else if name.is_empty() {
        folder.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Whether a path that was read from a file is as [`place`] would have made it.
pub(crate) fn is_clean(path: &str) -> bool {
    let place = place(&format!("/{SCRATCH}/{path}"));
    place.is_ok_and(|place| place.root == Root::Scratch && place.path == path && !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_workspace(text: &str) -> String {
        let place = place(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(place.root, Root::Workspace, "{text}");
        place.path
    }

    fn refused(text: &str) -> Code {
        place(text).expect_err(text).code
    }

    #[test]
    fn one_file_has_many_names() {
        for name in [
            "x",
            "./x",
            "/workspace/x",
            "./workspace/x",
            "workspace/x",
            "a/../x",
            "//workspace///./x",
            "/workspace/workspace/x",
            "x/",
        ] {
            assert_eq!(in_workspace(name), "x", "{name}");
        }
        assert_eq!(in_workspace("."), "");
        assert_eq!(place("/").unwrap().root, Root::Top);
        assert_eq!(
            place("/folders/a/b").unwrap().root,
            Root::Folder("a".into())
        );
        assert_eq!(place("../tmp/b").unwrap().root, Root::Scratch);
    }

    #[test]
    fn nothing_leads_out() {
        for name in [
            "..",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "/workspace/../../x",
            "../../..",
        ] {
            let place = place(name);
            assert!(
                place
                    .as_ref()
                    .is_err_and(|error| error.code == Code::Access)
                    || place.is_ok_and(|place| place.root == Root::Top),
                "{name}"
            );
        }
        assert_eq!(refused("a\0b"), Code::Invalid);
        assert_eq!(refused(""), Code::NoEntry);
        assert_eq!(refused(&"a/".repeat(2048)), Code::NameTooLong);
        assert_eq!(refused(&"a/".repeat(100)), Code::NameTooLong);
        assert_eq!(refused(&"a".repeat(256)), Code::NameTooLong);
        assert_eq!(refused(".ampoule/journal"), Code::Access);
        assert_eq!(refused("/folders/x/a/../.ampoule"), Code::Access);
    }

    #[test]
    fn ancestors_are_the_folders_on_the_way() {
        assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!(parent("a/b"), Some("a"));
        assert_eq!(parent("a"), Some(""));
        assert_eq!(parent(""), None);
        assert!(is_clean("a/b") && !is_clean("a/../b") && !is_clean("") && !is_clean(".ampoule/x"));
    }
}
