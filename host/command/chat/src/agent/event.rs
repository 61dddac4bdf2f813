//! What happens during a task, for a terminal or a program.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Bound, Ending, TaskEnd};
use crate::conversation::ToolOutput;
use crate::endpoint::Usage;
use crate::tools::ProgressListener;

/// Something that happens during a task. As JSON, `type` says what it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Event {
    /// A conversation begins.
    Begin {
        /// The model.
        model: String,
        /// The endpoint.
        endpoint: String,
        /// The session of its scripts.
        session: Option<String>,
        /// The names of the tools that it sees.
        tools: Vec<String>,
    },
    /// More of what the model says.
    Text {
        /// What comes next.
        text: String,
    },
    /// The model begins to write a call.
    Writing {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
    },
    /// More of a script that the model writes.
    Code {
        /// The call.
        call: String,
        /// What comes next.
        text: String,
    },
    /// A call is made.
    Call {
        /// The call.
        call: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: Value,
    },
    /// How far a call is.
    Progress {
        /// The call.
        call: String,
        /// In words.
        message: String,
    },
    /// A script called a tool of a server.
    ToolCall {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// How long that took.
        milliseconds: u64,
        /// It failed.
        is_error: bool,
    },
    /// What a call came to.
    Result {
        /// The call.
        call: String,
        /// What the model reads.
        text: String,
        /// It failed.
        is_error: bool,
    },
    /// A request is sent again; the texts since the last result do not count.
    Retry {
        /// Why.
        why: String,
        /// After so long.
        wait_ms: u64,
    },
    /// The conversation became too long for the model, and was shortened.
    Shortened {
        /// What was left out.
        what: String,
    },
    /// What a request took, with those that were sent again for it.
    Usage {
        /// Its tokens.
        #[serde(flatten)]
        usage: Usage,
    },
    /// Somebody is asked: an answer is `{"id": …, "action": "accept", "content": {…}}`.
    Question {
        /// The question.
        id: u64,
        /// The parameters of MCP's `elicitation/create`.
        params: Value,
    },
    /// The task ended.
    End {
        /// How: `answered`, `refused`, `cut`, `bound`, `cancelled`, `failed`.
        ending: &'static str,
        /// Which bound was reached.
        #[serde(skip_serializing_if = "Option::is_none")]
        bound: Option<Bound>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What the model said last.
        text: String,
        /// How often the model was asked.
        steps: u32,
        /// Its tokens.
        usage: Usage,
        /// What that cost, if prices are known.
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
        /// How long it took.
        milliseconds: u64,
    },
}

impl Event {
    pub(super) fn of_result(result: &ToolOutput) -> Self {
        Self::Result {
            call: result.call.clone(),
            text: result.text.clone(),
            is_error: result.is_error,
        }
    }

    pub(super) fn of_end(end: &TaskEnd, cost: Option<f64>) -> Self {
        let (bound, message) = match &end.ending {
            Ending::Bound(bound) => (Some(*bound), None),
            Ending::Failed(why) => (None, Some(why.clone())),
            _ => (None, None),
        };
        Self::End {
            ending: match &end.ending {
                Ending::Answered => "answered",
                Ending::Refused => "refused",
                Ending::Cut => "cut",
                Ending::Bound(_) => "bound",
                Ending::Cancelled => "cancelled",
                Ending::Failed(_) => "failed",
            },
            bound,
            message,
            text: end.text.clone(),
            steps: end.spending.steps,
            usage: end.spending.usage,
            cost,
            milliseconds: u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// Where events come out.
pub type EventReceiver = mpsc::UnboundedReceiver<Event>;

/// Where events go. What waits there is bounded by the size of the models' answers and of results.
#[derive(Debug, Clone)]
pub struct EventSender(mpsc::UnboundedSender<Event>);

/// A way for events.
pub fn channel() -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (EventSender(sender), receiver)
}

impl EventSender {
    /// Sends an event.
    pub fn send(&self, event: Event) {
        // Nobody may listen any more.
        let _ = self.0.send(event);
    }

    /// Sends the progress of a call.
    pub(crate) fn progress(&self, call: &str) -> ProgressListener {
        let (events, call) = (self.clone(), call.to_owned());
        Arc::new(move |message| {
            let call = call.clone();
            events.send(Event::Progress { call, message });
        })
    }
}
