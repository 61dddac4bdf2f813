//! Sessions, files and skills.

use serde::Serialize;
use utoipa::ToSchema;

/// A session, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// Its name.
    pub name: String,
    /// Its principal; absent for the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The number of its last run.
    pub run: u64,
    /// By how many runs it can be rewound.
    pub back: u64,
    /// What it takes on disk, in bytes.
    pub bytes: u64,
    /// When it was last used.
    pub used: String,
}

/// A session, with its history.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    /// The row of the list.
    #[serde(flatten)]
    pub row: SessionRow,
    /// The states that it can be rewound to, the oldest first; the last is its present state.
    pub history: Vec<SessionHead>,
}

/// The state of a session after a run.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionHead {
    /// The number of the run.
    pub run: u64,
    /// The language.
    pub language: String,
    /// The size of its memory, in bytes.
    pub memory_bytes: u64,
    /// The top-level names.
    pub variables: Vec<SessionVariable>,
    /// How many further names there are.
    pub more: u64,
}

/// A top-level name of a session.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionVariable {
    /// The name.
    pub name: String,
    /// The kind of its value.
    pub kind: String,
    /// The size of its value, where it has one: elements, characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// A file of a workspace.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileRow {
    /// Its path in the workspace.
    pub path: String,
    /// `file`, `folder`, `link` or `other`.
    pub kind: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was changed.
    pub modified: String,
}

/// A skill, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRow {
    /// Its name.
    pub name: String,
    /// The newest version.
    pub version: u32,
    /// `own`, `approved` or `operator`.
    pub origin: String,
    /// The language; absent for a skill without code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// What it does.
    pub description: String,
    /// What has changed in the tools that it needs, a sentence each.
    pub notes: Vec<String>,
}

/// A skill, with its source.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillDetail {
    /// The row of the list; `version` is the version that is shown.
    #[serde(flatten)]
    pub row: SkillRow,
    /// How a script imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import: Option<String>,
    /// When it was saved.
    pub saved: String,
    /// The run that saved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What it offers.
    pub functions: Vec<SkillFunction>,
    /// The tools that it calls, as `server.tool`.
    pub needs: Vec<String>,
    /// The text for models.
    pub instructions: String,
    /// Its files.
    pub files: Vec<SkillFile>,
    /// Its example.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The stored versions, the oldest first.
    pub versions: Vec<u32>,
    /// The version that every principal can import.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<u32>,
    /// The unified difference from the approved version, else from the version before; empty where
    /// nothing differs.
    pub diff: String,
    /// Whether the viewer may approve it.
    pub can_approve: bool,
}

/// A function that a skill offers.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillFunction {
    /// Its name.
    pub name: String,
    /// Its signature.
    pub signature: String,
}

/// A file of a skill.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillFile {
    /// Its path in the skill.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// What the test of a skill came to.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillTest {
    /// The version that was tested.
    pub version: u32,
    /// Whether the code loads, and the example runs.
    pub passed: bool,
    /// Whether there is an example: without one, only the code was loaded.
    pub has_example: bool,
    /// What is wrong, and where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What has changed in the tools that it needs, a sentence each.
    pub changes: Vec<String>,
}
