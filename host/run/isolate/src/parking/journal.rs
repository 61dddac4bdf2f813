//! What is kept of what the host knows of a run.

use std::time::Duration;

use ampoule_tools::{CallOutcome, CallState, ToolFailure};
use ampoule_workspace::FilesSnapshot;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::call_log::CallNotes;
use crate::calls::CallId;
use crate::output::Line;
use crate::undo::UndoNotes;
use crate::usage::{CallEnd, CallUsage};
use crate::world::HostTime;

/// What the host knows of a run that waits, besides its memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Journal {
    /// When it was kept.
    pub(crate) time: HostTime,
    /// When it continues if no call ends, in nanoseconds since 1970.
    pub(crate) due: Option<u64>,
    /// How much of its wall time it had used.
    pub(crate) wall_used: Duration,
    /// Its clock stood still: a person was asked.
    #[serde(default)]
    pub(crate) stood_still: bool,
    pub(crate) fuel_left: u64,
    pub(crate) fuel_at_last_call: Option<u64>,
    pub(crate) peak_memory: u64,
    pub(crate) peak_host: u64,
    pub(crate) output: Vec<Line>,
    pub(crate) output_bytes: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) emitted: Vec<Box<RawValue>>,
    pub(crate) told_of_servers: bool,
    pub(crate) parked: u32,
    /// The servers and names of the tools that the guest resolved.
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) usage: Vec<KeptUsage>,
    pub(crate) calls: Vec<JournalCall>,
    /// What is noted of the calls that may change something.
    #[serde(default)]
    pub(crate) notes: CallNotes,
    /// What is noted of what takes calls back.
    #[serde(default)]
    pub(crate) undo: UndoNotes,
    /// The session that it is a run of.
    pub(crate) session: Option<ParkedSession>,
    /// Its files, if it has used any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<FilesSnapshot>,
}

/// The session that a run is one of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParkedSession {
    /// What it is called.
    pub name: String,
    /// How many runs the script may go back.
    pub back: u32,
    /// A run that throws is kept, too.
    pub always: bool,
}

/// A call that has not been taken.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JournalCall {
    pub(crate) call: CallId,
    /// What the guest sent, where it is not too large: it may have to be sent again.
    pub(crate) arguments: Option<String>,
    /// The tool may have it.
    pub(crate) sent: bool,
    /// The guest wants the whole answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) whole: bool,
    /// Whether it can be made again without doing more than once what it does.
    pub(crate) repeatable: bool,
}

/// A call that has not ended.
#[derive(Debug, Clone, Copy)]
pub struct OpenCall<'a> {
    /// Which of the run's calls it is, counted from 0.
    pub call: CallId,
    /// The binding's name.
    pub server: &'a str,
    /// The tool's name.
    pub tool: &'a str,
    /// What the guest sent, as JSON.
    pub arguments: Option<&'a str>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// With this value, as JSON.
    Value(String),
    /// With a failure.
    Failure(ToolFailure),
}

impl Answer {
    pub(crate) fn of(outcome: &CallOutcome) -> Self {
        match outcome {
            CallOutcome::Value(json) => Self::Value(json.clone()),
            CallOutcome::Failure(failure) => Self::Failure(failure.clone()),
            CallOutcome::TooLarge { bytes } => Self::Failure(ToolFailure::too_large(*bytes)),
        }
    }

    pub(crate) fn outcome(self) -> CallOutcome {
        match self {
            Self::Value(json) => CallOutcome::Value(json),
            Self::Failure(failure) => CallOutcome::Failure(failure),
        }
    }
}

/// [`CallUsage`], to the nanosecond.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeptUsage {
    server: String,
    tool: String,
    end: CallEnd,
    state: CallState,
    wall_time: Duration,
    argument_bytes: u64,
    result_bytes: u64,
}

impl From<&CallUsage> for KeptUsage {
    fn from(usage: &CallUsage) -> Self {
        Self {
            server: usage.server.to_string(),
            tool: usage.tool.to_string(),
            end: usage.end,
            state: usage.state,
            wall_time: usage.wall_time,
            argument_bytes: usage.argument_bytes,
            result_bytes: usage.result_bytes,
        }
    }
}

impl From<KeptUsage> for CallUsage {
    fn from(kept: KeptUsage) -> Self {
        Self {
            server: kept.server.into(),
            tool: kept.tool.into(),
            end: kept.end,
            state: kept.state,
            wall_time: kept.wall_time,
            argument_bytes: kept.argument_bytes,
            result_bytes: kept.result_bytes,
        }
    }
}

impl Journal {
    /// The time since it was kept is not the run's.
    pub fn stand_still(&mut self) {
        self.stood_still = true;
    }

    /// The session that it is a run of.
    pub fn session(&self) -> Option<&ParkedSession> {
        self.session.as_ref()
    }

    /// Its files, if it has used any.
    pub fn files(&self) -> Option<&FilesSnapshot> {
        self.files.as_ref()
    }

    /// When it continues if no call ends, in nanoseconds since 1970.
    pub fn due(&self) -> Option<u64> {
        self.due
    }

    /// How many calls it has made, and how many of them have not ended.
    pub fn calls(&self) -> (usize, usize) {
        (self.usage.len(), self.calls.len())
    }

    /// What its calls have used so far.
    pub fn usage(&self) -> Vec<CallUsage> {
        self.usage.iter().cloned().map(CallUsage::from).collect()
    }

    /// The calls that have not ended, with the arguments as they were sent; those that are too large
    /// to be kept are `None`.
    pub fn open_calls(&self) -> impl Iterator<Item = OpenCall<'_>> {
        self.calls.iter().filter_map(|call| {
            let usage = self.usage.get(call.call as usize)?;
            Some(OpenCall {
                call: call.call,
                server: &usage.server,
                tool: &usage.tool,
                arguments: call.arguments.as_deref(),
            })
        })
    }

    /// Its memory at its largest, in bytes.
    pub fn peak_memory_bytes(&self) -> u64 {
        self.peak_memory
    }

    /// What it printed so far.
    pub fn output(&self) -> &[Line] {
        &self.output
    }
}

/// A duration in nanoseconds.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
