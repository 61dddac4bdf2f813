//! Calls that wait for a person.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What has become of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalState {
    /// It waits for an answer.
    Open,
    /// A person answered.
    Answered,
    /// Nobody answered in time.
    Expired,
}

/// A question, as the list shows it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRow {
    /// The question's id.
    pub id: String,
    /// What has become of it.
    pub state: ApprovalState,
    /// The run that waits.
    pub run: String,
    /// Its principal; absent for the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Its client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What would be called, in a few words.
    pub summary: String,
    /// When it was asked.
    pub asked_at: String,
    /// Until when it can be answered.
    pub expires_at: String,
}

/// A question, with everything that a person needs to answer it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDetail {
    /// The row of the list.
    #[serde(flatten)]
    pub row: ApprovalRow,
    /// The session of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The toolkit of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// The calls that would be made.
    pub calls: Vec<ApprovalCall>,
    /// What the run has done so far, a line for each tool.
    pub done: Vec<String>,
    /// The script, where the run is known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The script's language, where the script is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Binds an answer to the calls that are shown: an answer sends it back. Absent once the
    /// question is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<String>,
    /// Whether the tools can be allowed for the rest of the run.
    pub offers_run: bool,
    /// Whether the tools can be allowed for an hour: only within a session.
    pub offers_hour: bool,
    /// The answer, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Whether the viewer may answer it.
    pub can_answer: bool,
}

/// A call that would be made.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalCall {
    /// Its number in the run, from 0.
    pub call: u32,
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, as people are shown them: what is configured to be hidden is hidden.
    pub arguments: Vec<ShownArgument>,
    /// How many further arguments there are.
    pub more_arguments: usize,
    /// The line of the script that makes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The policy that wants a person to be asked.
    pub policy: String,
    /// Why.
    pub reason: String,
}

/// An argument, as people are shown it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShownArgument {
    /// The argument's name.
    pub name: String,
    /// Its value as text, or what is said in place of a hidden one.
    pub text: String,
    /// Whether the value is hidden.
    pub hidden: bool,
}

/// An answer to a question.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// `allow-once`, `allow-run`, `allow-hour` or `deny`.
    pub answer: String,
    /// The reason of a denial, which the script gets.
    #[serde(default)]
    pub reason: String,
    /// The `seen` of the question: the answer is refused if a call was added since.
    pub seen: String,
    /// The numbers of the calls that are allowed; the others are denied. Default: all.
    #[serde(default)]
    pub only: Option<Vec<u32>>,
}

/// An answer that was given.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDone {
    /// The question's id.
    pub id: String,
    /// The answer, in a sentence.
    pub answer: String,
}
