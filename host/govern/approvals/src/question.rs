//! What a person is asked.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arguments::{self, HideRule, ShownArgument};
use crate::digest::Digest;
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::keys::Keys;
use crate::limits::{ApprovalLimits, DONE, REASON_BYTES};

/// Whose calls they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Caller {
    /// The run, as it displays.
    pub run: String,
    /// On whose behalf it happens; the local user's if nobody is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The client that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The toolkit that it is within.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// The session that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A call that somebody is to be asked about.
#[derive(Clone, Copy)]
pub struct CallRequest<'a> {
    /// Which of the run's calls it is: its place in the run's usage, also after it slept.
    pub number: u32,
    /// The binding's name.
    pub server: &'a str,
    /// The tool's name.
    pub tool: &'a str,
    /// The arguments, exactly as they will be sent.
    pub arguments: &'a Map<String, Value>,
    /// Which of them are not shown.
    pub hides: HideRule<'a>,
    /// The line of the script that makes the call, from 1.
    pub line: Option<u32>,
    /// The policy that wants somebody to be asked. What is allowed for a run or a session is so for
    /// calls that the same policy asks about, and no others.
    pub policy: &'a str,
    /// Why, as a sentence for a person.
    pub reason: &'a str,
    /// Whether it can only be allowed once.
    pub once_only: bool,
}

/// A call, as it is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProposedCall {
    /// Which of the run's calls it is, counted from 0; in a plan, its place there.
    pub number: u32,
    /// The binding's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, as they are shown.
    pub arguments: Vec<ShownArgument>,
    /// How many further arguments there are.
    pub more_arguments: usize,
    /// Binds an answer to server, tool and arguments.
    pub digest: Digest,
    /// The line of the script that makes the call, from 1.
    pub line: Option<u32>,
    /// The policy that wants somebody to be asked.
    pub policy: String,
    /// Why.
    pub reason: String,
    /// Whether it can only be allowed once.
    pub once_only: bool,
}

impl ProposedCall {
    pub(crate) fn new(wanted: &CallRequest<'_>, keys: &Keys, limits: &ApprovalLimits) -> Self {
        let (arguments, more_arguments) =
            arguments::arguments(wanted.arguments, wanted.hides, limits);
        Self {
            number: wanted.number,
            server: wanted.server.to_owned(),
            tool: wanted.tool.to_owned(),
            arguments,
            more_arguments,
            digest: Digest::of_call(&keys.digests, wanted.server, wanted.tool, wanted.arguments),
            line: wanted.line,
            policy: wanted.policy.to_owned(),
            reason: arguments::bounded(wanted.reason, REASON_BYTES),
            once_only: wanted.once_only,
        }
    }

    /// Its tool with the server, as people read it: `mail.send`.
    pub fn full_name(&self) -> String {
        arguments::name(&format!("{}.{}", self.server, self.tool))
    }
}

/// What a run did of a tool before it asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolActivity {
    /// The binding's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// How many calls were answered.
    pub answered: u32,
    /// How many failed.
    pub failed: u32,
}

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Calls that a run waits with.
    Calls,
    /// All that a run would do, which was only tried: the calls are made later, in this order.
    Plan,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What it is called.
    pub id: QuestionId,
    /// What kind of question it is.
    pub kind: Kind,
    /// Whose calls they are.
    pub caller: Caller,
    /// The calls. While nobody has answered, further ones may be added at the end.
    pub calls: Vec<ProposedCall>,
    /// What the run has done so far: the 20 tools that it called first.
    pub done: Vec<ToolActivity>,
    /// When it was asked, in seconds since 1970.
    pub asked_at: u64,
    /// Until when it can be answered, in seconds since 1970.
    pub expires_at: u64,
}

/// What somebody was shown of a question: the first so many of its calls, exactly as they were. An
/// answer is to these, and to no call that was added since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionView {
    /// How many of the calls.
    pub calls: usize,
    /// Binds to all that is shown of them.
    pub digest: Digest,
}

impl Question {
    pub(crate) fn new(
        kind: Kind,
        caller: Caller,
        calls: Vec<ProposedCall>,
        mut done: Vec<ToolActivity>,
        now: u64,
        limits: &ApprovalLimits,
    ) -> Result<Self, QuestionError> {
        done.truncate(DONE);
        Ok(Self {
            id: QuestionId::new()?,
            kind,
            caller,
            calls,
            done,
            asked_at: now,
            expires_at: now.saturating_add(limits.expires.as_secs()),
        })
    }

    /// What is seen of it with the first so many calls.
    pub(crate) fn seen_with(
        &self,
        calls: usize,
        keys: &Keys,
    ) -> Result<QuestionView, QuestionError> {
        let shown = self.calls.get(..calls).ok_or(QuestionError::Changed)?;
        if shown.is_empty() {
            return Err(QuestionError::Changed);
        }
        let all = (&self.id, self.kind, &self.caller, shown, self.expires_at);
        let digest = Digest::of(&keys.files, &all).map_err(std::io::Error::other)?;
        Ok(QuestionView { calls, digest })
    }

    /// Whether the calls can be allowed for the whole run.
    pub fn offers_run(&self) -> bool {
        self.kind == Kind::Calls && !self.calls.iter().any(|call| call.once_only)
    }

    /// Whether they can be allowed for the session.
    pub fn offers_session(&self) -> bool {
        self.offers_run() && self.caller.session.is_some()
    }

    /// How often each tool is called, in the order in which they come first.
    pub fn tools(&self) -> Vec<(String, usize)> {
        let mut tools: Vec<(String, usize)> = Vec::new();
        for call in &self.calls {
            let name = call.full_name();
            match tools.iter_mut().find(|(known, _)| *known == name) {
                Some((_, calls)) => *calls += 1,
                None => tools.push((name, 1)),
            }
        }
        tools
    }
}
