//! What is recorded: one event for each thing that was done.
//!
//! An event is its own JSON: names in camel case, kinds in kebab case, what is not known left out.
//! Later versions may add members and kinds; what reads events passes over those it does not know.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::arguments::WrittenArguments;
use crate::log_events::{Checkpoint, Gap, Opened, Removed, Segment};
use crate::outcome::{CallOutcome, Verdict};

/// A name in an event: cheap to clone, as the same ones are in many.
pub type Name = Arc<str>;

/// One thing that was done. Each begins with `Default::default()`, so that what is added later need
/// not be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Event {
    /// A run begins.
    RunStarted(RunStarted),
    /// A run is over.
    RunEnded(RunEnded),
    /// A call is about to leave.
    CallAsked(CallAsked),
    /// What a call came to.
    CallEnded(CallEnded),
    /// What a policy said, where that is more than to let a call pass.
    Decision(Decision),
    /// A person is asked.
    Question(Question),
    /// What the person said.
    Answer(Answer),
    /// Somebody signed in, here or to a server; or did not.
    SignIn(SignIn),
    /// Another policy holds.
    PolicyChanged(PolicyChanged),
    /// Something was done with a skill.
    Skill(Skill),
    /// Something was done with a session.
    Session(Session),
    /// A configuration was loaded, or was not.
    Configuration(Configuration),
    /// A request was refused before it came to a run.
    RequestDenied(RequestDenied),
    /// The log's own: a file begins.
    Segment(Segment),
    /// The log's own: a process begins to write.
    Opened(Opened),
    /// The log's own: everything until here is signed.
    Checkpoint(Checkpoint),
    /// The log's own: there were events that could not be written.
    Gap(Gap),
    /// The log's own: old files were removed.
    Removed(Removed),
}

impl Event {
    /// Whether it may be written a moment later than it happens: it tells what has happened
    /// already, and without it the call is one of which nobody knows what it came to.
    pub(crate) fn may_wait(&self) -> bool {
        matches!(self, Self::CallEnded(_))
    }
}

/// A run begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RunStarted {
    /// The run's id.
    pub run: Name,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The program that asked for it, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Name>,
    /// The toolkit that it is within.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<Name>,
    /// The script's language; `component`, `call` for a call without a script, or `undo`.
    pub language: Name,
    /// The digest of the script.
    pub script: Name,
    /// The session that it is a run of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<Name>,
    /// How many tools it was granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<u64>,
    /// The run whose calls it takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Name>,
}

/// A run is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RunEnded {
    /// The run's id.
    pub run: Name,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The digest of the script.
    pub script: Name,
    /// `returned`, `threw`, `trapped`, `limit`, `cancelled`, and the like.
    pub outcome: Name,
    /// The limit that was hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Name>,
    /// The fuel that it used.
    pub fuel: u64,
    /// How long it took, in microseconds.
    pub took_us: u64,
    /// How many calls it made.
    pub calls: u64,
    /// The bytes that its calls brought.
    pub bytes: u64,
    /// The tokens that the model read and wrote for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// The tokens that the same calls would have cost, made directly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_tokens: Option<u64>,
    /// The labels that it ended with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Name>,
}

/// A call is about to leave. Once this is written, it may.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CallAsked {
    /// The run's id.
    pub run: Name,
    /// Which of the run's calls it is.
    pub call: u64,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The server's name.
    pub server: Name,
    /// The tool's name.
    pub tool: Name,
    /// The arguments.
    pub arguments: WrittenArguments,
    /// What the policy said.
    pub decision: Verdict,
    /// The id of the rule that said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Name>,
    /// The fingerprint of all rules that held then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Name>,
    /// What the run had read by then, as far as policies care.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Name>,
}

/// What a call came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CallEnded {
    /// The run's id.
    pub run: Name,
    /// Which of the run's calls it is.
    pub call: u64,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The server's name.
    pub server: Name,
    /// The tool's name.
    pub tool: Name,
    /// What it came to.
    pub outcome: CallOutcome,
    /// Whose account the server saw. Of a server with several accounts, the account's name: `work`, or
    /// `work/principal` where each principal has an own one. Of others that people sign in to:
    /// `principal`, the principal's own, or `shared`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Name>,
    /// How large the answer is, in bytes.
    pub bytes: u64,
    /// How long it took, in microseconds.
    pub took_us: u64,
}

/// What a policy said of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Decision {
    /// The run's id.
    pub run: Name,
    /// Which of the run's calls it is; none where it is about something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The server's name.
    pub server: Name,
    /// The tool's name.
    pub tool: Name,
    /// What it said.
    pub decision: Verdict,
    /// The id of the rule that said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Name>,
    /// The fingerprint of all rules that held then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Name>,
    /// Why, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Name>,
}

/// A person is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Question {
    /// The question's id.
    pub question: Name,
    /// The run that waits for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Name>,
    /// Which of the run's calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// On whose behalf; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The server's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Name>,
    /// The tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Name>,
    /// How it is asked: `elicitation`, `terminal`, `web`.
    pub how: Name,
    /// The digest of what is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Name>,
}

/// What a person said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Answer {
    /// The question's id.
    pub question: Name,
    /// The run that waited for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Name>,
    /// Who answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Name>,
    /// How: `elicitation`, `terminal`, `web`, `timeout`.
    pub how: Name,
    /// `allowed`, `denied`, `expired`, and the like.
    pub answer: Name,
    /// For how long or how much it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<Name>,
    /// The digest of what was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Name>,
}

/// Somebody signed in, or did not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct SignIn {
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The server that it was to; none if it was here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Name>,
    /// `signed-in`, `refreshed`, `signed-out`, `failed`.
    pub outcome: Name,
    /// How: `oauth`, `token`, `jwt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<Name>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Name>,
}

/// Another policy holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PolicyChanged {
    /// The fingerprint of what held before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<Name>,
    /// The fingerprint of what holds now.
    pub new: Name,
    /// Who changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Name>,
}

/// Something was done with a skill.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Skill {
    /// `saved`, `approved`, `removed`.
    pub action: Name,
    /// The skill's name.
    pub name: Name,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The digest of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Name>,
    /// The principal; none is the local user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The person that did it, where it was no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Name>,
    /// The run that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Name>,
}

/// Something was done with a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Session {
    /// `saved`, `rewound`, `forked`, `removed`.
    pub action: Name,
    /// The session's name.
    pub name: Name,
    /// Whose it is; none is the local user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The person that did it, where it was no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Name>,
    /// The run that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Name>,
    /// Which of the session's runs it is at then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The session that it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Name>,
}

/// A configuration was loaded, or was not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Configuration {
    /// `loaded`, `reloaded`, `failed`.
    pub outcome: Name,
    /// The digest of what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Name>,
    /// The servers that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Name>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Name>,
}

/// A request was refused before it came to a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RequestDenied {
    /// The client that asked, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<Name>,
    /// The program that asked, as it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Name>,
    /// The toolkit that it asked within.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<Name>,
    /// Where from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Name>,
    /// What was asked for.
    pub request: Name,
    /// Why it was refused.
    pub reason: Name,
}
