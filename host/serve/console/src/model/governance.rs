//! Policies, the audit log, statistics, principals.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// The policies that hold.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyOverview {
    /// Whether there are policies. Without any, everything that is granted is allowed.
    pub any: bool,
    /// Their fingerprint.
    pub fingerprint: String,
    /// All of them as Cedar, with those made from roles and labels. Only for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cedar: Option<String>,
    /// The roles. Only for operators.
    pub roles: Vec<RoleRow>,
    /// Their warnings.
    pub problems: Vec<PolicyProblem>,
}

/// A role of `[roles]`.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleRow {
    /// Its name.
    pub name: String,
    /// The principals and groups that have it.
    pub members: Vec<String>,
    /// The tools that they may call.
    pub tools: Vec<String>,
}

/// A warning about a policy.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyProblem {
    /// `error` or `warning`.
    pub severity: String,
    /// The file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// A case to test: a call, and who would make it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyCase {
    /// The principal. Default: the viewer. Others are for operators.
    #[serde(default)]
    pub principal: Option<String>,
    /// The groups of the principal.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The client's name.
    #[serde(default)]
    pub client: Option<String>,
    /// The toolkit.
    #[serde(default)]
    pub toolkit: Option<String>,
    /// `server.tool {"argument": 1}`, or `model`.
    pub call: String,
    /// The labels of what the run has read.
    #[serde(default)]
    pub labels: Vec<String>,
}

/// The decision about a case, and why.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    /// `allow`, `deny` or `ask`.
    pub decision: String,
    /// Whether the tool exists for the principal.
    pub exists: bool,
    /// The policies that decide.
    pub by: Vec<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What else is to be done, such as redactions.
    pub obligations: Vec<String>,
    /// The labels, each with where it is from.
    pub labels: Vec<LabelOrigin>,
    /// The policies that were looked at. Only for operators.
    pub considered: Vec<ConsideredPolicy>,
    /// The whole explanation, as `ampoule policy explain` prints it.
    pub explanation: String,
}

/// A label, and where it is from.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelOrigin {
    /// The label.
    pub label: String,
    /// Where it is from.
    pub from: String,
}

/// A policy that was looked at.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsideredPolicy {
    /// Its id.
    pub id: String,
    /// The file and line.
    pub place: String,
    /// `holds`, `does-not` or `failed`.
    pub verdict: String,
    /// Whether it decides.
    pub decides: bool,
    /// Its text.
    pub text: String,
}

/// The events that are wanted: those that match everything that is given.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditFilter {
    /// From this time on, in RFC 3339.
    pub since: Option<String>,
    /// Before this time, in RFC 3339.
    pub until: Option<String>,
    /// Of this run: its id, or the end of its id.
    pub run: Option<String>,
    /// Of this principal.
    pub principal: Option<String>,
    /// About these tools, such as `mail.send_*`.
    pub tool: Option<String>,
    /// Of this kind, such as `call-asked`.
    pub kind: Option<String>,
    /// With this outcome, such as `denied`.
    pub outcome: Option<String>,
}

/// An event of the audit log.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditLine {
    /// The chain and the number in it.
    pub id: String,
    /// When.
    pub at: String,
    /// What kind of event.
    pub kind: String,
    /// The event in a line, for a person.
    pub text: String,
    /// Its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Its principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// All that was written.
    pub event: Value,
}

/// Whether the audit log is intact.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainReport {
    /// Whether nothing was changed, removed, added or moved.
    pub whole: bool,
    /// The number of events.
    pub events: u64,
    /// The number of files.
    pub files: u64,
    /// The number of chains.
    pub chains: u64,
    /// The number of signatures.
    pub checkpoints: u64,
    /// The number of events that wait for a signature.
    pub unsigned: u64,
    /// The number of the log: a log that was rolled back has a smaller one.
    pub number: u64,
    /// The public key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What was found.
    pub findings: Vec<ChainFinding>,
    /// How many further findings there are.
    pub more: u64,
}

/// Something that is wrong with the log, or that its reader should know.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainFinding {
    /// `broken` or `note`.
    pub level: String,
    /// The file.
    pub file: String,
    /// The line; 0 is the whole file.
    pub line: u64,
    /// What was found.
    pub what: String,
}

/// Runs and calls, counted.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// From the first event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// To the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Everything in that time.
    pub all: StatisticsRow,
    /// By day, the oldest first.
    pub days: Vec<StatisticsRow>,
    /// By tool, the most used first.
    pub tools: Vec<StatisticsRow>,
    /// By principal, the most active first.
    pub principals: Vec<StatisticsRow>,
    /// Suggestions, a sentence each.
    pub advice: Vec<String>,
}

/// A row of the statistics.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatisticsRow {
    /// The day, tool or principal; empty for all.
    pub name: String,
    /// The runs.
    pub runs: u64,
    /// The runs that failed.
    pub failures: u64,
    /// The calls.
    pub calls: u64,
    /// The calls that failed.
    pub failed_calls: u64,
    /// The calls that were denied.
    pub denied: u64,
    /// The fuel.
    pub fuel: u64,
    /// The time that they took, in milliseconds.
    pub took_ms: f64,
    /// How long one run took at the median, in milliseconds; of a tool, one call. At most an eighth
    /// above the true time, as are the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<f64>,
    /// The same at the 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<f64>,
    /// The same at the 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_ms: Option<f64>,
    /// The bytes of results.
    pub bytes: u64,
    /// The tokens that models read and wrote.
    pub tokens: u64,
    /// The tokens that the same calls would have cost, made directly.
    pub direct_tokens: u64,
}

/// A principal that is known here.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrincipalRow {
    /// The name; `local` is the user of this machine.
    pub name: String,
    /// Whether the principal is an operator of the console.
    pub operator: bool,
    /// The groups.
    pub groups: Vec<String>,
    /// The tokens that the operator gave out, without the secret itself.
    pub tokens: Vec<TokenRow>,
}

/// A token, without the secret itself.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenRow {
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}
