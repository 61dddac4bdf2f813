//! Keeps governance out of the reach of runs: no folder that runs have leads to it.
//!
//! A run that can read the data folder has the keys that sign answers, and a run that can write
//! policies needs no answer.

use std::path::{Path, PathBuf};

use ampoule::data_folder;
use ampoule_config::{Config, GovernanceConfig};
use ampoule_untrusted::text;

use super::parts::audit_folder;
use super::sources::folder as policies;
use crate::{SetupError, workspaces};

/// Refuses a configuration whose folders for runs lead there.
pub(super) fn all_apart(config: &Config) -> Result<(), SetupError> {
    let workspace = config.workspace.as_ref();
    if let Some(folder) = workspace.and_then(|workspace| workspace.folder.as_ref()) {
        apart(config, folder, "workspace.folder", true)?;
    }
    for (name, folder) in &config.folders {
        let what = format!("folders.{name}");
        apart(config, &folder.path, &what, folder.writable)?;
    }
    Ok(())
}

/// Refuses a folder for runs that holds, or lies in, what governs them. `what` says which it is, and
/// whether runs may change it.
///
/// # Errors
///
/// It does, or the real path is unknown.
pub fn apart(config: &Config, folder: &Path, what: &str, writable: bool) -> Result<(), SetupError> {
    if config.governance == GovernanceConfig::default() && policies(config).is_none() {
        return Ok(());
    }
    let folder = real(folder);
    let data = data_folder();
    // Workspaces are there, unless they are elsewhere.
    let workspaces = workspaces().map(|folder| real(&folder));
    if workspaces.is_some_and(|workspaces| folder.starts_with(workspaces)) {
        return Ok(());
    }
    let mut governing = Vec::from_iter(data);
    if let Some(audit) = &config.governance.audit {
        governing.push(audit_folder(audit)?);
    }
    if writable {
        governing.extend(config.source.clone());
        governing.extend(policies(config));
    }
    let is_near = |place: &PathBuf| {
        let place = real(place);
        place.starts_with(&folder) || folder.starts_with(&place)
    };
    let Some(place) = governing.into_iter().find(is_near) else {
        return Ok(());
    };
    let (folder, place) = (folder.to_string_lossy(), place.to_string_lossy());
    Err(SetupError::new(format!(
        "{what}: runs must not have {}, which holds their governance ({})",
        text::one_line(&folder),
        text::one_line(&place)
    )))
}

/// Where a path really leads, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for there in path.ancestors() {
        if let (Ok(found), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return found.join(rest);
        }
    }
    path
}
