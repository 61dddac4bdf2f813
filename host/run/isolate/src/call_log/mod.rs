//! The calls of a run that did not come to its end, for the script that comes after it: `arguments`
//! shortens what they sent, and `notes` is what a run keeps of its calls meanwhile.

mod arguments;
mod notes;

use std::fmt;
use std::sync::Arc;

use ampoule_tools::{CallState, FailureKind};
use ampoule_untrusted::text::one_line;
use serde::Serialize;

pub(crate) use notes::CallNotes;

use crate::usage::{CallEnd, CallUsage};

/// What stands above the lines.
const HEADING: &str = "Calls made until then, none of them undone. Continue after them:";
/// How much of a call's arguments one line shows, in bytes.
const SHOWN_BYTES: usize = 100;

/// The calls that a failed run made of tools that may change something: the next script continues
/// after them instead of repeating them. It displays as a heading and a line for each call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallLog {
    /// The first calls and the last ones, in the order in which they were started.
    pub calls: Vec<LoggedCall>,
    /// The calls between the first and the last ones, which have no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOutCalls>,
    /// How many calls were of tools that only read. They have no entry.
    pub reads: u32,
}

/// One call of a failed run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoggedCall {
    /// Which of the run's calls it is, counted from 0: its place in the usage.
    pub call: u32,
    /// The binding's name.
    pub server: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// The arguments as JSON, without long texts and without what is far behind: `…` stands for
    /// them.
    pub arguments: String,
    /// What is known of it.
    pub result: CallResult,
}

/// Calls that have no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LeftOutCalls {
    /// After how many of the entries they were made.
    pub after: usize,
    /// How many they are.
    pub count: u32,
    /// How many of them are not done.
    pub not_done: u32,
}

/// What is known of a call of a failed run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CallResult {
    /// The tool did it.
    Done,
    /// The tool answered that it failed.
    Failed,
    /// A policy or a person did not allow it. The tool never got it.
    Denied,
    /// The tool never got it.
    NotSent,
    /// The tool may have done it, or not.
    Unknown,
}

impl CallResult {
    /// What is known of a call that ended so, and has no value for this reason, if that is noted.
    fn of(usage: &CallUsage, failure: Option<FailureKind>) -> Self {
        match (usage.end, usage.state, failure) {
            (CallEnd::Returned, ..) => Self::Done,
            (_, CallState::NotSent, Some(FailureKind::Denied)) => Self::Denied,
            (_, CallState::NotSent, _) => Self::NotSent,
            // There was an answer, and nobody could read it.
            (_, CallState::Answered, Some(FailureKind::Protocol)) => Self::Unknown,
            // There was a value, and the run ended before the script got it.
            (CallEnd::Cancelled, CallState::Answered, _) => Self::Done,
            (_, CallState::Answered, _) => Self::Failed,
            _ => Self::Unknown,
        }
    }

    /// Whether the tool may have changed something.
    fn may_matter(self) -> bool {
        matches!(self, Self::Done | Self::Unknown)
    }
}

impl fmt::Display for CallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Denied => "denied, not sent",
            Self::NotSent => "not sent",
            Self::Unknown => "unknown whether done",
        })
    }
}

impl fmt::Display for LoggedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = self.arguments.floor_char_boundary(SHOWN_BYTES);
        let more = if cut < self.arguments.len() {
            "…"
        } else {
            ""
        };
        let (server, tool) = (one_line(&self.server), one_line(&self.tool));
        let arguments = one_line(&self.arguments[..cut]);
        write!(f, "{server}.{tool}({arguments}{more}): {}", self.result)
    }
}

impl fmt::Display for LeftOutCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.not_done {
            0 => write!(f, "… {} more, all done", self.count),
            not_done => write!(f, "… {} more, {not_done} of them not done", self.count),
        }
    }
}

impl fmt::Display for CallLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADING)?;
        for (place, call) in self.calls.iter().enumerate() {
            if let Some(left_out) = self.left_out.filter(|left_out| left_out.after == place) {
                write!(f, "\n{left_out}")?;
            }
            write!(f, "\n- {call}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
