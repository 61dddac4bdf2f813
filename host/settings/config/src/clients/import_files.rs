//! The files that an entry of `import` names.

use std::path::{Path, PathBuf};

use super::super::User;
use super::super::error::ConfigError;
use super::super::read::Entry;
use super::{Client, named};

/// The most files that a path with `*` stands for.
const MAX_FILES: usize = 1000;

/// A file to import.
#[derive(Debug)]
pub(crate) struct FoundFile {
    pub(super) file: PathBuf,
    /// Whose it is, where that is known before it is read.
    pub(super) client: Option<&'static Client>,
    /// What a server is called whose file has but one.
    pub(super) name: Option<String>,
}

/// The files that an entry of `import` names: a client's own, a path, or a path with `*` in it.
pub(crate) fn files(
    entry: &Entry<'_>,
    folder: &Path,
    user: &User,
) -> Result<Vec<FoundFile>, ConfigError> {
    let written = entry.text()?;
    if let Some(client) = Client::called(written) {
        let file = client.file(user).filter(|file| file.exists());
        return Ok(file
            .map(|file| found(file, Some(client)))
            .into_iter()
            .collect());
    }
    // In a file, paths are relative to its folder.
    let at_home = User {
        folder: folder.to_owned(),
        ..user.clone()
    };
    let path = named::path(written, &at_home).map_err(|message| entry.refuse(message))?;
    if path.to_string_lossy().contains('*') {
        return Ok(matching(&path)
            .into_iter()
            .map(|file| found(file, None))
            .collect());
    }
    if !path.exists() {
        return Err(entry.refuse("the file does not exist"));
    }
    let client = Client::of_file(&path, user);
    Ok(vec![found(path, client)])
}

pub(super) fn found(file: PathBuf, client: Option<&'static Client>) -> FoundFile {
    let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
    let name = match stem(&file).as_deref() {
        Some("config" | "mcp" | "server") => file.parent().and_then(stem),
        own => own.map(ToOwned::to_owned),
    };
    FoundFile { file, client, name }
}

/// The files whose paths this one describes, in their order; each `*` stands for any part of a
/// name, but those that begin with a dot.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let part = part.as_os_str();
        let written = part.to_string_lossy();
        let Some((before, after)) = written.split_once('*') else {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let matches = |name: &str| {
            !name.starts_with('.')
                && name.len() >= before.len() + after.len()
                && name.starts_with(before)
                && name.ends_with(after)
        };
        let mut deeper = Vec::new();
        for folder in &found {
            let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let names = names.take(MAX_FILES).map(|entry| entry.file_name());
            deeper.extend(
                names
                    .filter(|name| name.to_str().is_some_and(matches))
                    .map(|name| folder.join(name)),
            );
        }
        deeper.sort();
        deeper.truncate(MAX_FILES);
        found = deeper;
    }
    found.retain(|file| file.is_file());
    found
}
