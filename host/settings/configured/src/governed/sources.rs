//! The sources of policies: the configuration's roles, labels and approvals, and Cedar files.

use std::fmt::Write as _;
use std::path::PathBuf;

use ampoule_config::Config;
use ampoule_policy::{File, PolicyError, Sources, read_folder};

/// The folder of policies beside the configuration, where no other is named.
const FOLDER: &str = "policies";
/// The name of the policy from `[approvals] ask`.
const ASK: &str = "[approvals] ask";

/// All sources of policies.
///
/// # Errors
///
/// The folder can't be read as it is now.
pub fn sources(config: &Config) -> Result<Sources, PolicyError> {
    let governance = &config.governance;
    let mut files = match folder(config) {
        Some(folder) => read_folder(&folder)?,
        None => Vec::new(),
    };
    files.extend(asked(&governance.approvals.ask));
    Ok(Sources {
        files,
        roles: governance.roles.clone(),
        labels: governance.labels.clone(),
        other_labels: Vec::new(),
        fallback: governance.policies.fallback,
    })
}

/// The folder of policies: the one that is named, or the one beside the configuration if it is
/// there.
pub fn folder(config: &Config) -> Option<PathBuf> {
    let is_named = config.governance.policies.folder.is_some();
    place(config).filter(|folder| is_named || folder.is_dir())
}

/// Where that is, or may come to be.
pub(super) fn place(config: &Config) -> Option<PathBuf> {
    let beside = || {
        let file = std::path::absolute(config.source.as_ref()?).ok()?;
        Some(file.parent()?.join(FOLDER))
    };
    config.governance.policies.folder.clone().or_else(beside)
}

/// The calls that need an approval, as a policy: classes and patterns of tools have the same names
/// in Cedar.
fn asked(tools: &[String]) -> Option<File> {
    let (last, others) = tools.split_last()?;
    let mut text = "@id(\"approvals: ask\")\n@ask\nforbid(principal, action in [".to_owned();
    for tools in others {
        // Writing to a string can't fail.
        let _ = write!(text, "Action::\"{tools}\", ");
    }
    let _ = writeln!(text, "Action::\"{last}\"], resource);");
    Some(File {
        name: ASK.into(),
        text: text.into(),
    })
}
