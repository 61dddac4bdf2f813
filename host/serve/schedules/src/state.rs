//! What is known of a schedule or a hook.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::plan;
use crate::timing::Timing;

/// The outcome of a run that did not start.
const NOT_STARTED: &str = "not started";

/// What is known of a schedule or a hook, between processes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    /// The schedule's times, as they were read: other ones begin anew.
    pub(crate) timing: String,
    /// The latest time that was looked at. Runs of it and of earlier ones have begun, wait, or were
    /// passed over.
    pub last: Option<Timestamp>,
    /// The times that wait for a run.
    pub queue: VecDeque<Timestamp>,
    /// The runs that have not ended.
    pub open: Vec<RunNote>,
    /// The run that ended last.
    pub ended: Option<RunNote>,
    /// The times that were passed over last.
    pub passed: Option<PassNote>,
    /// How many runs there were.
    pub(crate) count: u64,
}

/// What is known of a run that a clock or a message started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunNote {
    /// Which of the runs it is.
    pub number: u64,
    /// The time that it is the run of.
    pub due: Timestamp,
    /// The place that it takes.
    pub(crate) place: usize,
    /// Its id, from shortly before its start on.
    pub run: Option<String>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<String>,
}

/// Times that were passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassNote {
    /// The newest of them.
    pub due: Timestamp,
    /// Why.
    pub reason: PassReason,
}

/// Why a time was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassReason {
    /// No process was there.
    Missed,
    /// The last run was still under way.
    Busy,
}

impl State {
    /// The newest of its runs: one that is under way, or the one that ended last.
    pub fn newest(&self) -> Option<&RunNote> {
        let newest = self.open.iter().max_by_key(|note| note.number);
        newest.or(self.ended.as_ref())
    }

    /// The next time of the schedule. Where the clock was set back, times that were looked at before it
    /// do not come again.
    pub fn next(&self, timing: &Timing, now: Timestamp) -> Option<Timestamp> {
        let last = self.last.filter(|_| self.timing == timing.to_string());
        timing.next_after(plan::since(last, now).max(now))
    }

    /// The newest thing that happened, in a word or two, such as `returned`.
    pub fn outcome(&self) -> Option<&str> {
        let note = self.newest()?;
        let passed = self.passed.filter(|passed| passed.due > note.due);
        Some(match (passed, &note.outcome, &note.run) {
            (Some(passed), ..) if passed.reason == PassReason::Missed => "missed",
            (_, Some(outcome), _) => outcome,
            (_, None, Some(_)) => "under way",
            (_, None, None) => "starting",
        })
    }

    /// A new run of a time, in this place.
    pub(crate) fn begin(&mut self, due: Timestamp, place: usize) -> u64 {
        self.count += 1;
        self.open.push(RunNote {
            number: self.count,
            due,
            place,
            run: None,
            ended: None,
            outcome: None,
        });
        self.count
    }

    /// The run is about to start.
    pub(crate) fn starts(&mut self, number: u64, run: &str) {
        if let Some(note) = self.open.iter_mut().find(|note| note.number == number) {
            note.run = Some(run.to_owned());
        }
    }

    /// The run did not start: nothing has its id.
    pub(crate) fn not_started(&mut self, number: u64, now: Timestamp) {
        if let Some(note) = self.open.iter_mut().find(|note| note.number == number) {
            note.run = None;
        }
        self.end(number, NOT_STARTED, now);
    }

    /// The run has ended.
    pub(crate) fn end(&mut self, number: u64, outcome: &str, now: Timestamp) {
        let Some(at) = self.open.iter().position(|note| note.number == number) else {
            return;
        };
        let mut note = self.open.remove(at);
        note.ended = Some(now);
        note.outcome = Some(outcome.to_owned());
        self.ended = Some(note);
    }

    pub(crate) fn pass(&mut self, due: Timestamp, reason: PassReason) {
        if self.passed.is_none_or(|passed| passed.due < due) {
            self.passed = Some(PassNote { due, reason });
        }
    }
}
