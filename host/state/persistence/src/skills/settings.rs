//! What an operator chooses: `[skills]`.

use std::path::PathBuf;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::skills::limits::SkillLimits;

/// Code that scripts save for later ones. Without this table, there are no skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SkillSettings {
    /// The folder of the skills that scripts save. Default: `ampoule/skills` in the user's folder
    /// of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// Folders with skills of your own, each a folder with a `SKILL.md`.
    #[serde(deserialize_with = "ampoule_fields::paths")]
    pub folders: Vec<PathBuf>,
    /// Whether scripts may save skills. Default: true.
    pub save: bool,
    /// How many skills a principal may have. Default: 256.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub most: usize,
    /// How large a skill may be. Default: `256KiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub each: u64,
    /// How many versions of each skill are stored; the oldest are removed. Default: 20.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub versions: usize,
}

impl Default for SkillSettings {
    fn default() -> Self {
        let limits = SkillLimits::default();
        Self {
            folder: None,
            folders: Vec::new(),
            save: true,
            most: limits.skills,
            each: limits.bytes,
            versions: limits.versions,
        }
    }
}

impl SkillSettings {
    /// What skills may take.
    pub fn limits(&self) -> SkillLimits {
        SkillLimits {
            bytes: self.each,
            skills: self.most,
            versions: self.versions,
            ..SkillLimits::default()
        }
    }
}
