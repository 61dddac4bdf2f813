//! A peer that can be started.

use std::collections::HashMap;
use std::env;
use std::process::Command;

use super::SetupFolder;

/// A peer that can be started.
#[derive(Clone)]
pub(crate) struct StartablePeer {
    pub(super) command: Vec<String>,
    pub(super) cleanup: Vec<String>,
    pub(super) environment: HashMap<&'static str, String>,
}

impl StartablePeer {
    /// The driver, with only its own environment.
    pub(crate) fn command(&self, more: &[(&str, String)]) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env_clear();
        for name in ["PATH", "HOME"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(&self.environment);
        if !self.cleanup.is_empty() {
            command.env(
                "COMPARE_CLEANUP",
                serde_json::json!(self.cleanup).to_string(),
            );
        }
        command.envs(more.iter().map(|(name, value)| (name, value)));
        command
    }

    /// As it stands in the report.
    pub(crate) fn shown(&self, place: &SetupFolder) -> String {
        let words = self.command.iter().map(|word| {
            let word = word.replace(&place.folder.display().to_string(), "target/compare");
            let word = word.replace(&place.peers.display().to_string(), "peers");
            // The rest of a path is this machine's.
            match word.starts_with('/') && word.len() > 1 {
                true => word.rsplit('/').next().unwrap_or_default().to_owned(),
                false => word,
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}
