//! From a run's outcome to what its client reads.

use std::sync::{Arc, Weak};

use ampoule::{Ending, Error, Grant, GrantedTools, Outcome, Run};
use ampoule_effort::{self as effort, Effort};
use futures::FutureExt;

use super::answer::{Answer, CallValue};
use super::asking::dialogues::Registration;
use super::code::CodeKind;
use super::handle::SharedAnswer;
use super::registry::RunRecord;
use super::report::{self, Report};
use super::service::{CUT_TOKENS, Runs};
use super::stored_output::StoredOutput;
use super::telemetry;
use crate::content::cut::Room;

/// An active run, and how to report its outcome.
pub(super) struct StartedRun {
    pub(super) run: Run,
    pub(super) telemetry: ampoule_telemetry::Run,
    pub(super) kind: CodeKind,
    /// Where results that are too large for an answer are stored, if they are.
    pub(super) stored: Option<StoredOutput>,
    /// Pays for the work on its answer.
    pub(super) effort: Effort,
    pub(super) record: Weak<RunRecord>,
    /// As long as its client can be asked.
    pub(super) registration: Option<Registration>,
    /// What it may call.
    pub(super) grant: Grant,
    /// Its client's name.
    pub(super) client: Option<String>,
    /// Whether its client shows the apps of tools.
    pub(super) shows_apps: bool,
    /// Whether its client gets what it gives as it is.
    pub(super) gives_value: bool,
}

impl Runs {
    /// How much of a run one answer holds.
    pub(super) fn room(&self) -> Room {
        Room {
            bytes: self.answer_bytes,
            tokens: CUT_TOKENS,
        }
    }

    /// What a client reads of a run, once it is over. Large results are cut on a thread of their
    /// own.
    pub(super) fn answer(&self, started: StartedRun) -> SharedAnswer {
        let (room, telemetry) = (self.room(), self.telemetry.clone());
        let tool_usage = self.tool_usage.clone();
        // What is shared has the run, too.
        let shared = Arc::downgrade(&self.shared);
        let answered = async move {
            let StartedRun {
                run,
                telemetry: told,
                kind,
                stored,
                effort,
                record,
                registration,
                grant,
                client,
                shows_apps,
                gives_value,
            } = started;
            let id = run.id();
            let outcome = telemetry::outcome(&telemetry, told, run).await;
            // No further questions.
            drop(registration);
            if let Some(record) = record.upgrade() {
                record.end(&outcome);
            }
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(error) => return not_run(&error),
            };
            if gives_value {
                return Answer::of_value(value_of(outcome));
            }
            if let Some(tool_usage) = tool_usage
                && !outcome.usage.calls.is_empty()
                && let Some(shared) = shared.upgrade()
                && let Ok(tools) =
                    (shared.runtime).tools_of(grant, effort.principal(), client.as_deref())
            {
                tool_usage.count(effort.principal(), &outcome, |server, tool| {
                    is_visible(&tools, server, tool)
                });
            }
            let returned = match &outcome.ending {
                Ending::Returned(Some(value)) => value.get().len(),
                _ => 0,
            };
            let printed: usize = (outcome.output.lines().iter())
                .map(|line| line.text.len())
                .sum();
            let emitted: usize = (outcome.emitted.iter().chain(&outcome.error_content))
                .map(|value| value.get().len())
                .sum();
            let price = effort::BYTE * (returned + printed + emitted) as u64;
            let report = move |_: &Effort| {
                Ok(report::answer(Report {
                    run: id,
                    outcome: &outcome,
                    kind,
                    room,
                    stored: stored.as_ref(),
                    shows_apps,
                }))
            };
            let reported = effort.work(price, report).await;
            reported.unwrap_or_else(|broken_off| Answer::host_failed(&broken_off))
        };
        answered.boxed().shared()
    }
}

/// What a run gave, as it is.
fn value_of(outcome: Outcome) -> CallValue {
    if let Some(why) = outcome.withheld {
        return CallValue::Failed(why);
    }
    match outcome.ending {
        Ending::Returned(Some(value)) => CallValue::Given(value),
        Ending::Returned(None) => CallValue::Failed("the server gave nothing".to_owned()),
        Ending::Threw(thrown) => CallValue::Failed(thrown.message),
        other => CallValue::Failed(other.to_string()),
    }
}

/// Whether a tool is among these, by the names of its server and its own.
fn is_visible(tools: &GrantedTools, server: &str, tool: &str) -> bool {
    let mut servers = tools.servers();
    let known = servers.find(|known| **known.name() == *server);
    let known = known.and_then(|server| tools.known_tools_of(server));
    known.is_some_and(|known| known.iter().any(|known| **known.name() == *tool))
}

/// Why the outcome is missing.
pub(crate) fn not_run(error: &Error) -> Answer {
    if error.is_request() || error.is_busy() {
        Answer::failure(&error.to_string())
    } else {
        Answer::host_failed(error)
    }
}
