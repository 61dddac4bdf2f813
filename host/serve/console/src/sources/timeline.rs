//! The calls of a run, over time: put together from its events, its record and the audit log.

use std::collections::BTreeMap;
use std::time::SystemTime;

use ampoule::Record;
use ampoule_audit::{Entry, Event};
use serde_json::Value;

use super::disclosure::Disclosure;
use crate::model::{CallRow, DecisionRow, Usage};

/// The largest arguments or answer that the list of calls shows, as JSON in bytes.
const SHOWN: usize = 16 << 10;

/// The calls of a run by their numbers, and what else the audit log has of the run.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    calls: BTreeMap<u64, CallRow>,
    pub(crate) decisions: Vec<DecisionRow>,
    pub(crate) labels: Vec<String>,
    pub(crate) tokens: Option<u64>,
    pub(crate) direct_tokens: Option<u64>,
}

impl Timeline {
    /// The calls that an outcome lists.
    pub(crate) fn of(calls: Vec<CallRow>) -> Self {
        let calls = calls.into_iter().map(|call| (call.call, call));
        Self {
            calls: calls.collect(),
            ..Self::default()
        }
    }

    /// The calls, in the order in which they were made.
    pub(crate) fn calls(&mut self) -> Vec<CallRow> {
        std::mem::take(&mut self.calls).into_values().collect()
    }

    /// Adds to what a run used what the audit log knows.
    pub(crate) fn add_to(&self, usage: &mut Usage) {
        usage.tokens = self.tokens;
        usage.direct_tokens = self.direct_tokens;
    }

    fn call(&mut self, number: u64, server: &str, tool: &str) -> &mut CallRow {
        self.calls.entry(number).or_insert_with(|| CallRow {
            call: number,
            server: server.to_owned(),
            tool: tool.to_owned(),
            arguments: None,
            at_ms: None,
            wall_ms: None,
            end: "running".to_owned(),
            answer: None,
            error: None,
            result_bytes: None,
            account: None,
        })
    }

    /// Adds the events of a run.
    pub(crate) fn events(&mut self, events: &Value) {
        for event in events.as_array().map_or(&[][..], Vec::as_slice) {
            let Some(number) = event["call"].as_u64() else {
                continue;
            };
            let text = |key: &str| event[key].as_str().unwrap_or_default();
            let at = event["atMs"].as_f64();
            let call = self.call(number, text("server"), text("tool"));
            match text("event") {
                "call-started" => call.at_ms = at,
                "call-ended" => {
                    call.wall_ms = event["wallMs"].as_f64();
                    call.end = text("end").to_owned();
                    call.result_bytes = event["resultBytes"].as_u64();
                    if let (None, Some(at), Some(took)) = (call.at_ms, at, call.wall_ms) {
                        call.at_ms = Some((at - took).max(0.0));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds what a record has: arguments and answers, and when calls were made. Whether nothing was
    /// withheld.
    pub(super) fn record(&mut self, record: &Record, disclosure: Disclosure<'_>) -> bool {
        let mut is_whole = true;
        for recorded in record.calls() {
            let number = u64::from(recorded.call);
            let call = self.call(number, &recorded.server, &recorded.tool);
            call.at_ms = Some(recorded.at as f64 / 1e3);
            if let Some(took) = recorded.took {
                call.wall_ms = Some(took as f64 / 1e3);
                if call.end == "running" {
                    let end = if recorded.answered {
                        "returned"
                    } else {
                        "failed"
                    };
                    call.end = end.to_owned();
                }
            } else if call.end == "running" {
                call.end = "cancelled".to_owned();
            }
            call.arguments = Some(Value::Object(recorded.arguments));
            answer(call, record.answer(recorded.call));
            is_whole &= withhold(call, disclosure);
            call.arguments = call.arguments.take().and_then(shown);
            call.answer = call.answer.take().and_then(shown);
        }
        is_whole
    }

    /// Adds an event of the audit log about the run. `began`: when the run did.
    pub(crate) fn audit(&mut self, entry: &Entry, began: Option<SystemTime>) {
        let at = began.and_then(|began| entry.at.duration_since(began).ok());
        let at = at.map(|at| at.as_secs_f64() * 1e3);
        match &entry.event {
            Some(Event::CallAsked(asked)) => {
                let call = self.call(asked.call, &asked.server, &asked.tool);
                call.at_ms = call.at_ms.or(at);
                if call.arguments.is_none() {
                    let written = serde_json::to_value(&asked.arguments).ok();
                    call.arguments = written.and_then(shown);
                }
            }
            Some(Event::CallEnded(ended)) => {
                let call = self.call(ended.call, &ended.server, &ended.tool);
                call.account = ended.account.as_deref().map(ToOwned::to_owned);
                if call.end == "running" {
                    call.end = ended.outcome.name().to_owned();
                    call.wall_ms = Some(ended.took_us as f64 / 1e3);
                    call.result_bytes = Some(ended.bytes);
                }
            }
            Some(Event::Decision(said)) => {
                if let (Some(number), "denied") = (said.call, said.decision.name()) {
                    self.call(number, &said.server, &said.tool).end = "denied".to_owned();
                }
                self.decisions.push(DecisionRow {
                    call: said.call,
                    server: said.server.to_string(),
                    tool: said.tool.to_string(),
                    decision: said.decision.name().to_owned(),
                    policy: said.policy.as_deref().map(ToOwned::to_owned),
                    reason: said.reason.as_deref().map(ToOwned::to_owned),
                });
            }
            Some(Event::RunEnded(ended)) => {
                self.tokens = ended.tokens;
                self.direct_tokens = ended.direct_tokens;
                self.labels = ended.labels.iter().map(ToString::to_string).collect();
            }
            _ => {}
        }
    }
}

/// What a call was answered, or why it failed.
pub(crate) fn answer(call: &mut CallRow, recorded: Option<Value>) {
    let error = recorded.as_ref().and_then(|it| it.get("error")?.as_str());
    call.error = error.map(ToOwned::to_owned);
    call.answer = recorded.filter(|_| call.error.is_none());
}

/// Takes out of a call what the viewer may not read. Whether nothing was withheld.
pub(super) fn withhold(call: &mut CallRow, disclosure: Disclosure<'_>) -> bool {
    let is_shown = |value: &Option<Value>| {
        let value = value.as_ref();
        value.is_none_or(|value| disclosure.allows_json(value))
    };
    let error = call.error.as_deref().unwrap_or_default();
    let is_whole = is_shown(&call.arguments) && is_shown(&call.answer) && disclosure.allows(error);
    if !is_whole {
        (call.arguments, call.answer, call.error) = (None, None, None);
    }
    is_whole
}

/// A value, unless it is too long for a list.
fn shown(value: Value) -> Option<Value> {
    (value.to_string().len() <= SHOWN).then_some(value)
}
