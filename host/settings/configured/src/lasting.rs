//! What is stored of runs, and for runs: sessions, records, parked runs, skills, and files; each in
//! the configured folder, or in the user's data folder.

use std::path::PathBuf;

use ampoule::{RecordOptions, RuntimeBuilder, SkillOptions, Workspace, Workspaces, data_folder};
use ampoule_config::Config;
use ampoule_untrusted::text;

use super::SetupError;

/// Where workspaces are, in the user's folder of data.
const WORKSPACES: &str = "workspaces";
/// Where sessions are in the user's folder of data.
const SESSIONS: &str = "sessions";
/// Where skills are there.
const SKILLS: &str = "skills";
/// Where records are there.
const RECORDS: &str = "records";
/// Where parked runs are in the user's folder of data.
const PARKED: &str = "parked";

/// Sets up all of it in a runtime.
pub(super) fn given(
    mut builder: RuntimeBuilder,
    config: &Config,
) -> Result<RuntimeBuilder, SetupError> {
    // Without a place for sessions, runs have no sessions.
    if let Some(folder) = placed(&config.sessions.folder, SESSIONS) {
        builder = builder.sessions(folder, config.sessions.limits());
    }
    if let Some(folder) = data_folder() {
        // Servers report their secrets themselves.
        let mut options = RecordOptions::default();
        options.keep = config.records.keep;
        options.limits = config.records.limits();
        options.secrets = config.telemetry.headers.values().cloned().collect();
        builder = builder.records(folder.join(RECORDS), options);
        builder = builder.parked(folder.join(PARKED), config.runs.parked);
        if config.runs.park {
            builder = builder.park_after(config.runs.park_after);
        }
    }
    if let Some(skills) = &config.skills {
        let folder = placed(&skills.folder, SKILLS).ok_or_else(|| nowhere("skills"))?;
        let mut options = SkillOptions::default();
        options.limits = skills.limits();
        options.folders.clone_from(&skills.folders);
        options.save = skills.save;
        builder = builder.skills(folder, options);
    }
    files(builder, config)
}

/// The configured folder, or else the one of this name in the user's data folder.
pub(super) fn placed(named: &Option<PathBuf>, usual: &str) -> Option<PathBuf> {
    let usual = || Some(data_folder()?.join(usual));
    named.clone().or_else(usual)
}

pub(super) fn nowhere(table: &str) -> SetupError {
    SetupError::new(format!(
        "{table}.folder: no data folder was found: name a folder, or set HOME or XDG_DATA_HOME"
    ))
}

/// Where workspaces are, unless another folder is named.
pub fn workspaces() -> Option<PathBuf> {
    placed(&None, WORKSPACES)
}

/// The files of runs.
fn files(mut builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, SetupError> {
    let workspace = config.workspace.clone().unwrap_or_default();
    if config.workspace.is_some() {
        let folder = placed(&workspace.folder, WORKSPACES).ok_or_else(|| nowhere("workspace"))?;
        let workspaces = Workspaces::new(folder, workspace.sharing(), workspace.quota());
        builder = builder.workspaces(workspaces);
    }
    for (name, folder) in &config.folders {
        match Workspace::folder(&folder.path, folder.writable, workspace.quota()) {
            Ok(opened) => builder = builder.folder(name.to_string(), opened),
            // A missing folder does not disable the others.
            Err(error) => {
                let path = folder.path.to_string_lossy();
                let path = text::one_line(&path);
                tracing::warn!("folders.{name}: {path}: {error}; runs do not have this folder");
            }
        }
    }
    Ok(builder)
}
