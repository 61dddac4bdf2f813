//! What is kept of runs, and for them: sessions, records, runs that are parked, skills, and files; each where
//! the configuration says, or in the user's folder of data.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use ampoule::{
    Keep, ParkedLimits, Quota, RecordLimits, RecordOptions, RuntimeBuilder, SessionLimits, Sharing,
    SkillOptions, Workspace, Workspaces, data_folder,
};
use ampoule_config::{
    Config, KeepRecords, RecordsConfig, RunsConfig, SessionsConfig, SkillsConfig,
};
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
/// After how long a script that waits is parked, if nothing else is said.
const PARK_AFTER: Duration = Duration::from_secs(10);

/// Gives a runtime all of it.
pub(super) fn given(
    mut builder: RuntimeBuilder,
    config: &Config,
) -> Result<RuntimeBuilder, SetupError> {
    if let Some((folder, limits)) = sessions(&config.sessions) {
        builder = builder.sessions(folder, limits);
    }
    if let Some(folder) = data_folder() {
        let secrets = config.telemetry.headers.values().cloned().collect();
        let options = records(&config.records, secrets);
        builder = builder.records(folder.join(RECORDS), options);
        builder = builder.parked(folder.join(PARKED), parked(&config.runs));
        if config.runs.park.unwrap_or(true) {
            builder = builder.park_after(config.runs.park_after.unwrap_or(PARK_AFTER));
        }
    }
    if let Some(config) = &config.skills {
        let (folder, options) = skills(config)?;
        builder = builder.skills(folder, options);
    }
    files(builder, config)
}

/// Where skills are, and what they may take.
fn skills(config: &SkillsConfig) -> Result<(PathBuf, SkillOptions), SetupError> {
    let usual = || Some(data_folder()?.join(SKILLS));
    let folder = config.folder.clone().or_else(usual).ok_or_else(|| {
        SetupError::new("skills.folder: no data folder was found, so it must be named")
    })?;
    let mut options = SkillOptions::default();
    let limits = &mut options.limits;
    limits.bytes = config.bytes.unwrap_or(limits.bytes);
    limits.skills = config.most.map_or(limits.skills, NonZeroUsize::get);
    limits.versions = config.versions.map_or(limits.versions, NonZeroUsize::get);
    options.folders.clone_from(&config.folders);
    options.save = config.save.unwrap_or(options.save);
    Ok((folder, options))
}

/// Where sessions are, and what they may take; none where there is no place for them.
fn sessions(config: &SessionsConfig) -> Option<(PathBuf, SessionLimits)> {
    let folder = config.folder.clone();
    let folder = folder.or_else(|| Some(data_folder()?.join(SESSIONS)))?;
    let mut limits = SessionLimits::default();
    limits.bytes = config.bytes.unwrap_or(limits.bytes);
    limits.heads = config.runs.map_or(limits.heads, NonZeroUsize::get);
    limits.sessions = config.most.map_or(limits.sessions, NonZeroUsize::get);
    limits.age = config.age.unwrap_or(limits.age);
    Some((folder, limits))
}

/// Which runs leave a record. What servers know of secrets, they say themselves.
fn records(config: &RecordsConfig, secrets: Vec<String>) -> RecordOptions {
    let (mut options, default) = (RecordOptions::default(), RecordLimits::default());
    options.keep = match config.keep {
        KeepRecords::None => Keep::None,
        KeepRecords::Failures => Keep::Failures,
        KeepRecords::All => Keep::All,
    };
    options.limits.age = config.age.unwrap_or(default.age);
    options.limits.bytes = config.size.unwrap_or(default.bytes);
    options.limits.each = config.each.unwrap_or(default.each);
    options.secrets = secrets;
    options
}

/// What parked runs may take.
fn parked(config: &RunsConfig) -> ParkedLimits {
    let mut limits = ParkedLimits::default();
    let count = |count: NonZeroU32| usize::try_from(count.get()).unwrap_or(usize::MAX);
    limits.runs = config.parked.map_or(limits.runs, count);
    limits.each = config.parked_each.map_or(limits.each, count);
    limits.bytes = config.parked_bytes.unwrap_or(limits.bytes);
    limits.all_bytes = config.parked_all_bytes.unwrap_or(limits.all_bytes);
    limits.age = config.parked_age.unwrap_or(limits.age);
    limits
}

/// Where workspaces are, unless another folder is named.
pub fn workspaces() -> Option<PathBuf> {
    data_folder().map(|folder| folder.join(WORKSPACES))
}

/// What runs have of files.
fn files(mut builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, SetupError> {
    let mut quota = Quota::default();
    if let Some(workspace) = &config.workspace {
        quota.bytes = workspace.bytes.unwrap_or(quota.bytes);
        quota.files = workspace.files.unwrap_or(quota.files);
        let folder = workspace.folder.clone().or_else(workspaces);
        let folder = folder.ok_or_else(|| {
            SetupError::new("workspace.folder: no data folder was found, so it must be named")
        })?;
        let sharing = match workspace.shared {
            true => Sharing::Project,
            false => Sharing::ByPrincipal,
        };
        builder = builder.workspaces(Workspaces::new(folder, sharing, quota));
    }
    for (name, folder) in &config.folders {
        match Workspace::folder(&folder.path, folder.writable, quota) {
            Ok(opened) => builder = builder.folder(name, opened),
            // One that is not there keeps nobody from all else.
            Err(error) => {
                let path = folder.path.to_string_lossy();
                let path = text::one_line(&path);
                tracing::warn!("folders.{name}: {path}: {error}; runs do not have it");
            }
        }
    }
    Ok(builder)
}
