//! Runs, with their calls.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

/// The runs that are wanted: those that match everything that is given.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RunFilter {
    /// Of this principal.
    pub principal: Option<String>,
    /// In this state: `running`, `waiting`, `ended`, or an ending such as `threw`.
    pub state: Option<String>,
    /// In this language.
    pub language: Option<String>,
    /// Whose id, client or principal contains this text.
    pub search: Option<String>,
}

/// Where a run is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A process has it.
    Live,
    /// It waits on disk, or its outcome does.
    Parked,
    /// A record on disk. Only such a run can be replayed.
    Record,
}

/// A run, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// The id of the run, whole.
    pub run: String,
    /// Where it is known from.
    pub place: Place,
    /// `running`, `parked` or `kept alive` while it is active; then `returned`, `threw`, `trapped`,
    /// `limit`, `cancelled` or `failed`. A parked run that no process owns is `left`.
    pub state: String,
    /// When it began.
    pub since: String,
    /// Its principal; absent for the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The client, as the client calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The toolkit that it is within.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// The script's language; `component`, `call` or `undo`.
    pub language: String,
    /// The number of calls.
    #[serde(rename = "callCount")]
    pub calls: u64,
    /// The fuel that it used.
    pub fuel: u64,
    /// Its largest memory, in bytes, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// How long it took, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<f64>,
    /// The tools whose calls wait for approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// The process that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether its calls and answers are recorded, so that it can be replayed.
    pub recorded: bool,
}

/// A run, with everything that is known of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDetail {
    /// The row of the list.
    #[serde(flatten)]
    pub row: RunRow,
    /// The script; absent where a run has none. Active runs show its beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The names of the modules beside the script.
    pub modules: Vec<String>,
    /// The run whose calls it takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// What it printed.
    pub output: String,
    /// Whether `output` is all that it printed.
    pub output_whole: bool,
    /// The value that the script returned, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Its calls, in the order in which they were made.
    pub calls: Vec<CallRow>,
    /// What it used.
    pub usage: Usage,
    /// Decisions of policies that were more than to let a call pass.
    pub decisions: Vec<DecisionRow>,
    /// The labels that it ended with, or has so far.
    pub labels: Vec<String>,
    /// The files that it changed. Known of recorded runs.
    pub files: Vec<FileChange>,
    /// What became of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionChange>,
    /// Whether policies or `[privacy]` withhold a part of it from the viewer, as they do from the
    /// viewer's model: the output, the value, or the arguments and answers of calls.
    pub withheld: bool,
    /// Whether the viewer can cancel it now.
    pub can_cancel: bool,
}

/// Why a run failed.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// `threw`, `trapped`, `limit` and the like.
    pub ending: String,
    /// What the model was shown.
    pub message: String,
    /// The line of the script, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The stack, in lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
}

/// A call of a run: one bar of the waterfall.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// Its number in the run, from 0.
    pub call: u64,
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, as they were sent. Absent where nothing has them, or where they are withheld
    /// from the viewer; without a record, as `[audit] arguments` writes them, for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// When it began, in milliseconds after the run began, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<f64>,
    /// How long it took; absent while it is under way, or if the run did not wait for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<f64>,
    /// `running`, `returned`, `failed`, `cancelled`, `denied`.
    pub end: String,
    /// The tool's result. Absent where nothing has it, or where it is too long for a list: then the
    /// call alone shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// The size of the answer, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes: Option<u64>,
    /// Why the call failed, as the script was told, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The account that the server saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// What a run used.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The fuel.
    pub fuel: u64,
    /// Its largest memory, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<f64>,
    /// The tokens that the model read and wrote for it, from the audit log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The tokens that the same calls would have cost, made directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_tokens: Option<u64>,
}

/// A decision of a policy about a call.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRow {
    /// The call's number, if it is about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// `allowed`, `denied`, `asked` and the like.
    pub decision: String,
    /// The id of the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A file that a run changed.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Its path, as the run had it.
    pub path: String,
    /// `created`, `changed` or `removed`.
    pub change: String,
    /// Its size afterwards, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The unified difference from what was there. Absent where a text is not short, or is withheld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What became of a run's session.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionChange {
    /// The session's name.
    pub name: String,
    /// The number of the run in it, if the run was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
    /// The variables that differ from those before the run. Absent where the session no longer has
    /// these states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<VariableChange>>,
}

/// A variable of a session that a run changed. A value of the same kind and size counts as the same.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariableChange {
    /// The name.
    pub name: String,
    /// `created`, `changed` or `removed`.
    pub change: String,
    /// The kind of its value, after the run or, of a variable that is gone, before it.
    pub kind: String,
    /// The size of that value, where it has one: elements, characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// Something that happened in a run, as it happens: an event of the stream. `event` says what:
/// `output`, `call-started`, `call-ended`, `progress`, `parked`, `woken`, `used`, and at last `ended`.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(transparent)]
pub struct RunEvent(
    /// An object with `event`, mostly `atMs`, and what belongs to the kind: `text` of an output;
    /// `call`, `server` and `tool` of a call; `end` and `wallMs` of its end; `outcome` of the end of
    /// the run.
    pub Value,
);

impl RunEvent {
    /// What happened.
    pub fn kind(&self) -> &str {
        self.0["event"].as_str().unwrap_or_default()
    }
}

/// What a replay came to.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayResult {
    /// Whether it ended in the same way, to the last byte.
    pub same: bool,
    /// The first difference, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    /// The call that it stopped before, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_before: Option<String>,
    /// How many calls got recorded answers.
    pub answered: u64,
    /// Whether the recorded run was cut short from outside.
    pub cut_short: bool,
    /// Notes about the replay, a sentence each.
    pub notes: Vec<String>,
    /// `returned`, `threw` and the like.
    pub ending: String,
    /// What it printed.
    pub output: String,
    /// The value that the script returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// The fuel that it used.
    pub fuel: u64,
}
