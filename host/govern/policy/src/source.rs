//! Files of policies: from a folder, or given.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::diagnostic::{Diagnostics, PolicyDiagnostic, PolicyError};
use crate::{Labels, Roles};

/// How large all files together may be, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// How many there may be.
const MOST_FILES: usize = 1_000;
/// How files of policies end.
const ENDING: &str = ".cedar";

/// A file of policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, for people.
    pub name: Arc<str>,
    /// What is in it: policies of Cedar.
    pub text: Arc<str>,
}

/// Everything that policies are made of. The default is nothing: everything is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Files of Cedar.
    pub files: Vec<File>,
    /// Roles.
    pub roles: Roles,
    /// Labels.
    pub labels: Labels,
    /// Labels that runs may get otherwise than by `labels`: policies may look for them too.
    pub other_labels: Vec<String>,
    /// What happens to a call that no policy permits. `None`: it is allowed if no role and no file
    /// permits anything, and denied otherwise.
    pub fallback: Option<Fallback>,
}

/// Policies of Cedar, for what roles can't say: `[policies]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PolicySettings {
    /// The folder of the policies, in files `*.cedar`. Default: `policies` beside this file, if
    /// there is one.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// What happens to a call that no policy permits. Default: `allow` as long as there is no role
    /// and no `permit`, `deny` from the first on.
    pub fallback: Option<Fallback>,
}

/// What happens to a call that no policy permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// It is allowed.
    Allow,
    /// It is denied.
    Deny,
}

/// Reads the policies of a folder: all of its `*.cedar`, in the order of their names. Links to files
/// are followed. What begins with a dot is left out: so editors call what they are still writing.
///
/// # Errors
///
/// Everything that can't be read, and files that are being written while they are read: all of the
/// folder counts, or nothing.
pub fn read_folder(path: &Path) -> Result<Vec<File>, PolicyError> {
    let mut found = Diagnostics::default();
    let read = Dir::open_ambient_dir(path, ambient_authority())
        .and_then(|folder| files_of(&folder, &mut found));
    let files = read.unwrap_or_else(|error| {
        let told = format!("the folder of policies can't be read: {error}");
        found.add(PolicyDiagnostic::error(None, told));
        Vec::new()
    });
    found.unless(|_| files)
}

fn files_of(folder: &Dir, found: &mut Diagnostics) -> io::Result<Vec<File>> {
    let mut names = names(folder, found)?;
    names.sort_unstable();
    if names.len() > MOST_FILES {
        let told = format!("there are {} files; there may be {MOST_FILES}", names.len());
        found.add(PolicyDiagnostic::error(None, told));
        names.clear();
    }
    let mut left = MOST_BYTES;
    let mut files = Vec::new();
    let mut seen = Vec::new();
    for name in names {
        match file(folder, &name, left) {
            Ok((text, metadata)) => {
                left -= text.len() as u64;
                seen.push((name.clone(), metadata));
                files.push(File {
                    name: name.into(),
                    text: text.into(),
                });
            }
            Err(error) => {
                let told = format!("`{name}` can't be read: {error}");
                found.add(PolicyDiagnostic::error(None, told));
            }
        }
    }
    for (name, before) in seen {
        let now = folder.metadata(&name);
        if !now.is_ok_and(|now| is_same(&now, &before)) {
            let told = format!("`{name}` is being written; it is read again when that is done");
            found.add(PolicyDiagnostic::error(None, told));
        }
    }
    Ok(files)
}

fn names(folder: &Dir, found: &mut Diagnostics) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let shown = name.to_string_lossy();
        if !shown.ends_with(ENDING) || shown.starts_with('.') || entry.file_type()?.is_dir() {
            continue;
        }
        match name.to_str() {
            Some(name) => names.push(name.to_owned()),
            None => {
                let told = format!("`{shown}` has a name that is not UTF-8; rename it");
                found.add(PolicyDiagnostic::error(None, told));
            }
        }
    }
    Ok(names)
}

fn file(folder: &Dir, name: &str, most: u64) -> io::Result<(String, Metadata)> {
    // Follows links, also those out of the folder: whoever writes here may do anything. To open a
    // pipe would wait for whoever writes into it.
    if !folder.metadata(name)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let file = folder.open(name)?;
    let metadata = file.metadata()?;
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let told = format!("there is more than policies may have: {MOST_BYTES} bytes in all");
        return Err(io::Error::other(told));
    }
    Ok((text, metadata))
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    one.len() == other.len() && one.modified().ok() == other.modified().ok()
}
