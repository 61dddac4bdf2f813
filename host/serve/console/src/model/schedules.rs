//! Schedules and hooks.

use serde::Serialize;
use utoipa::ToSchema;

/// What starts runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// A clock.
    Schedule,
    /// Messages of another system.
    Hook,
}

/// A schedule or a hook, with what became of its runs.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleRow {
    /// Its name.
    pub name: String,
    /// What starts its runs.
    pub kind: ScheduleKind,
    /// The times in words, with the time zone; the address of a hook.
    pub started_by: String,
    /// What runs: the path of a script, or a skill and its function.
    pub program: String,
    /// On whose behalf; absent for the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The next time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The time that the last run is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// The outcome of the last run: `returned`, `threw`, `under way`, `missed` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The id of the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// How many times wait for a run to end.
    pub waiting: u64,
    /// How many of its runs are under way.
    pub under_way: u64,
    /// Whether the viewer can start a run of it now.
    pub can_start: bool,
}
