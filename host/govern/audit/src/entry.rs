//! An event of the log, read.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Event;

/// What every line has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) v: u64,
    pub(crate) seq: u64,
    pub(crate) at: String,
    pub(crate) up: u64,
    pub(crate) kind: String,
}

/// No chain gets that far: what says so is not a line, and nothing has to be counted beyond.
const MOST_SEQ: u64 = 1 << 60;

impl Head {
    /// Of a line; none if it is none.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let head: Self = serde_json::from_slice(line).ok()?;
        (head.seq < MOST_SEQ).then_some(head)
    }
}

/// An event, with when and where it was recorded.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The chain that it is in.
    pub lane: u16,
    /// Its number there, counted from 1.
    pub seq: u64,
    /// When, by the system's clock.
    pub at: SystemTime,
    /// When, since the process opened the log.
    pub up: Duration,
    /// What kind of event, such as `call-asked`.
    pub kind: String,
    /// The event; none if it is of a later version, or too large to have been kept.
    pub event: Option<Event>,
    /// All that was written, as JSON on one line.
    pub line: String,
}

impl Entry {
    /// Of a line; none if it is none.
    pub(crate) fn of(lane: u16, line: &[u8]) -> Option<Self> {
        let head = Head::of(line)?;
        Some(Self {
            lane,
            seq: head.seq,
            at: humantime::parse_rfc3339(&head.at).ok()?,
            up: Duration::from_micros(head.up),
            event: serde_json::from_slice(line).ok(),
            kind: head.kind,
            line: String::from_utf8(line.to_vec()).ok()?,
        })
    }

    /// Where it is, as people name it: the chain and the number in it.
    pub fn id(&self) -> String {
        format!("{:03}:{}", self.lane, self.seq)
    }

    /// All that was written.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.line).unwrap_or_default()
    }

    /// The run that it is about.
    pub fn run(&self) -> Option<&str> {
        Some(match self.event.as_ref()? {
            Event::RunStarted(it) => &it.run,
            Event::RunEnded(it) => &it.run,
            Event::CallAsked(it) => &it.run,
            Event::CallEnded(it) => &it.run,
            Event::Decision(it) => &it.run,
            Event::Question(it) => it.run.as_ref()?,
            Event::Answer(it) => it.run.as_ref()?,
            Event::Skill(it) => it.run.as_ref()?,
            Event::Session(it) => it.run.as_ref()?,
            _ => return None,
        })
    }

    /// On whose behalf it was, or who did it; none is the local user, or nobody.
    pub fn principal(&self) -> Option<&str> {
        match self.event.as_ref()? {
            Event::RunStarted(it) => it.principal.as_deref(),
            Event::RunEnded(it) => it.principal.as_deref(),
            Event::CallAsked(it) => it.principal.as_deref(),
            Event::CallEnded(it) => it.principal.as_deref(),
            Event::Decision(it) => it.principal.as_deref(),
            Event::Question(it) => it.principal.as_deref(),
            Event::Answer(it) => it.by.as_deref(),
            Event::SignIn(it) => it.principal.as_deref(),
            Event::PolicyChanged(it) => it.by.as_deref(),
            Event::Skill(it) => it.principal.as_deref(),
            Event::Session(it) => it.principal.as_deref(),
            Event::RequestDenied(it) => it.principal.as_deref(),
            _ => None,
        }
    }

    /// The server and the tool that it is about.
    pub fn tool(&self) -> Option<(&str, &str)> {
        match self.event.as_ref()? {
            Event::CallAsked(it) => Some((&it.server, &it.tool)),
            Event::CallEnded(it) => Some((&it.server, &it.tool)),
            Event::Decision(it) => Some((&it.server, &it.tool)),
            Event::Question(it) => Some((it.server.as_deref()?, it.tool.as_deref()?)),
            _ => None,
        }
    }

    /// What came of it, in a word.
    pub fn outcome(&self) -> Option<&str> {
        Some(match self.event.as_ref()? {
            Event::RunEnded(it) => &it.outcome,
            Event::CallAsked(it) => it.decision.name(),
            Event::CallEnded(it) => it.outcome.name(),
            Event::Decision(it) => it.decision.name(),
            Event::Answer(it) => &it.answer,
            Event::SignIn(it) => &it.outcome,
            Event::Skill(it) => &it.action,
            Event::Session(it) => &it.action,
            Event::Configuration(it) => &it.outcome,
            Event::RequestDenied(_) => "denied",
            _ => return None,
        })
    }
}
