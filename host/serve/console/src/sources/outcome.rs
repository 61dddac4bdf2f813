//! How a run ended: from the outcome as `ampoule run --json` has it.

use ampoule_untrusted::text::visible;
use serde_json::Value;

use crate::error::WITHHELD;
use crate::model::{CallRow, Failure, SessionChange, Usage};

/// What is shown of an outcome.
#[derive(Debug, Default)]
pub(crate) struct ShownOutcome {
    pub(crate) ending: String,
    pub(crate) output: String,
    pub(crate) value: Option<Value>,
    pub(crate) failure: Option<Failure>,
    pub(crate) usage: Usage,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) session: Option<SessionChange>,
}

impl ShownOutcome {
    /// Leaves only how the run ended, and what it used.
    pub(crate) fn withhold(&mut self) {
        self.output.clear();
        self.value = None;
        if let Some(failure) = &mut self.failure {
            *failure = Failure {
                ending: std::mem::take(&mut failure.ending),
                message: WITHHELD.to_owned(),
                line: None,
                column: None,
                stack: None,
            };
        }
    }
}

/// Reads an outcome.
pub(crate) fn read(outcome: &Value) -> ShownOutcome {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ending = text(&outcome["ending"]);
    let usage = &outcome["usage"];
    let lines = outcome["output"].as_array();
    let output = lines.map(|lines| {
        let lines = lines.iter().map(|line| text(&line["text"]) + "\n");
        lines.collect::<String>()
    });
    let calls = usage["calls"].as_array().map_or(&[][..], Vec::as_slice);
    let call = |(number, call): (usize, &Value)| CallRow {
        call: number as u64,
        server: text(&call["server"]),
        tool: text(&call["tool"]),
        arguments: None,
        at_ms: None,
        wall_ms: call["wallMs"].as_f64(),
        end: text(&call["end"]),
        answer: None,
        error: None,
        result_bytes: call["resultBytes"].as_u64(),
        account: None,
    };
    ShownOutcome {
        output: output.unwrap_or_else(|| text(&outcome["output"])),
        value: outcome.get("value").cloned(),
        failure: failure(&ending, outcome),
        usage: Usage {
            fuel: usage["fuel"].as_u64().unwrap_or_default(),
            memory_bytes: usage["peakMemoryBytes"].as_u64(),
            wall_ms: usage["wallMs"].as_f64(),
            ..Usage::default()
        },
        calls: calls.iter().enumerate().map(call).collect(),
        session: session(&outcome["session"]),
        ending,
    }
}

/// Why a run failed; none if it returned.
fn failure(ending: &str, outcome: &Value) -> Option<Failure> {
    if ending == "returned" {
        return None;
    }
    let error = &outcome["error"];
    let words = |key: &str| error[key].as_str().filter(|text| !text.is_empty());
    let message = match (words("name"), words("message"), error.as_str()) {
        (Some(name), Some(message), _) => format!("{name}: {message}"),
        (None, Some(message), _) => message.to_owned(),
        (Some(name), None, _) => name.to_owned(),
        (None, None, Some(text)) => text.to_owned(),
        (None, None, None) => match (outcome["limit"].as_str(), ending) {
            (Some(limit), _) => format!(
                "the limit `{limit}` was reached: {} of {} {}",
                outcome["used"],
                outcome["allowed"],
                outcome["unit"].as_str().unwrap_or_default()
            ),
            (None, "cancelled") => "the run was cancelled".to_owned(),
            (None, other) => format!("the run ended: {other}"),
        },
    };
    let location = &error["location"];
    Some(Failure {
        ending: ending.to_owned(),
        message: visible(&message).into_owned(),
        line: location["line"].as_u64(),
        column: location["column"].as_u64(),
        stack: words("stack").map(ToOwned::to_owned),
    })
}

fn session(session: &Value) -> Option<SessionChange> {
    Some(SessionChange {
        name: session["name"].as_str()?.to_owned(),
        run: session["run"]
            .as_u64()
            .filter(|_| session["kept"].as_bool() == Some(true)),
        variables: None,
    })
}

/// Why a run failed, from what a process says in few words of a run that has ended.
pub(crate) fn in_short(ended: &Value) -> Option<Failure> {
    let ending = ended["ending"].as_str()?;
    let said = ended["said"].as_str().unwrap_or_default();
    (ending != "returned").then(|| Failure {
        ending: ending.to_owned(),
        message: visible(said).into_owned(),
        line: None,
        column: None,
        stack: None,
    })
}
