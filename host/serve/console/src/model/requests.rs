//! What people ask to be done with runs, sessions and skills.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A script to run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewRun {
    /// The script.
    pub code: String,
    /// `typescript`, `javascript` or `python`. Default: Ampoule looks at the code.
    #[serde(default)]
    pub language: Option<String>,
    /// The session that it is a run of.
    #[serde(default)]
    pub session: Option<String>,
    /// The toolkit that narrows its tools.
    #[serde(default)]
    pub toolkit: Option<String>,
    /// Seconds until it is stopped. Default: the operator's limit.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

/// A run that has begun.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartedRun {
    /// The id of the run.
    pub run: String,
}

/// How to replay a record.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplayRequest {
    /// A script in place of the recorded one: each call gets the answer of the first recorded call
    /// with the same tool and arguments. Default: the recorded script.
    #[serde(default)]
    pub code: Option<String>,
    /// Stops before this call, from 0. Default: at the end.
    #[serde(default)]
    pub until: Option<u32>,
}

/// How far to rewind a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindRequest {
    /// How many runs to undo.
    pub runs: usize,
}

/// The copy of a session.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForkRequest {
    /// The name of the copy.
    pub name: String,
}

/// A script that becomes a skill.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSkill {
    /// The name: small letters, digits and single hyphens between them.
    pub name: String,
    /// What it is for, and when: models search by it.
    pub description: String,
    /// `typescript`, `javascript` or `python`.
    pub language: String,
    /// A module that offers functions, or a script, which becomes the function `run`.
    pub code: String,
}

/// The version of a skill that was shown.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveRequest {
    /// The version that was shown: a newer one may have been saved since.
    pub version: u32,
}

/// An earlier version of a skill.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VersionRequest {
    /// The version. Default: the one before the approved one.
    #[serde(default)]
    pub version: Option<u32>,
}
