//! Calls that are made at each save.

use std::time::Instant;

use ampoule::{DirectCall, Ending, Grant, Runtime};
use ampoule_untrusted::{document, text};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::exit::Failure;

/// The largest answer that a report has, in bytes.
const MOST_BYTES: usize = 64 << 10;

/// A call, as the command line has it.
pub(super) struct ToolCall {
    tool: String,
    arguments: Box<RawValue>,
}

/// A call that was made, and its answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallView {
    pub(super) tool: String,
    pub(super) arguments: Box<RawValue>,
    pub(super) took_ms: u64,
    /// The answer, unless it is too large for a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<Box<RawValue>>,
    /// How large the answer is, in bytes.
    pub(super) bytes: usize,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl ToolCall {
    /// The calls of pairs of words: a tool, and its arguments as JSON.
    pub(super) fn all(words: &[String]) -> Result<Vec<Self>, Failure> {
        let pairs = words.chunks_exact(2);
        pairs.map(|pair| Self::new(&pair[0], &pair[1])).collect()
    }

    fn new(tool: &str, arguments: &str) -> Result<Self, Failure> {
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::usage(format!("--call {}: {why}", text::one_line(tool)))
        };
        let members: Result<Map<String, Value>, _> = document::read(arguments);
        members.map_err(|error| wrong(&error.about("the text")))?;
        // As it is written: numbers keep all their digits.
        let arguments = RawValue::from_string(arguments.to_owned());
        Ok(Self {
            tool: tool.to_owned(),
            arguments: arguments.map_err(|error| wrong(&error))?,
        })
    }

    /// Makes the call, as a client without a script does: with all limits of a run.
    pub(super) async fn make(&self, runtime: &Runtime, server: &str) -> Result<CallView, Failure> {
        let qualified = self.tool.strip_prefix(server);
        let tool = qualified.and_then(|rest| rest.strip_prefix('.'));
        let tool = tool.unwrap_or(&self.tool);
        let call = DirectCall::new(server, tool, self.arguments.clone());
        let begun = Instant::now();
        let outcome = runtime.isolate(call).grant(Grant::all()).run().await?;
        let took = begun.elapsed();
        let (value, error) = match outcome.ending {
            Ending::Returned(value) => (value, None),
            other => (None, Some(other.to_string())),
        };
        let bytes = value.as_ref().map_or(0, |value| value.get().len());
        Ok(CallView {
            tool: self.tool.clone(),
            arguments: self.arguments.clone(),
            took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            value: value.filter(|_| bytes <= MOST_BYTES),
            bytes,
            error: error.map(|error| cut(&error)),
        })
    }
}

/// As much of a text as a report has.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MOST_BYTES)].to_owned()
}
