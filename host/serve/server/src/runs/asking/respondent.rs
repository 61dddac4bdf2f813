//! Answers the servers behind a run, by asking the run's client.

use ampoule::{Abilities, Ask, AskKind, LogLevel, Notice, Respondent};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::question::Reply;
use super::route::AskRoute;
use crate::runs::call_notes::{CallNotes, CallRefusal};
use crate::runs::lines::Lines;
use crate::runs::progress::ToolProgress;

/// What of a request is passed on: the rest is about the connection that it came from.
const OF_ELICITATION: [&str; 5] = ["mode", "message", "requestedSchema", "url", "elicitationId"];
const OF_SAMPLING: [&str; 9] = [
    "messages",
    "modelPreferences",
    "systemPrompt",
    "temperature",
    "maxTokens",
    "stopSequences",
    "metadata",
    "tools",
    "toolChoice",
];

/// A client that answers for one run.
#[derive(Debug)]
pub(crate) struct RunRespondent {
    pub(crate) route: AskRoute,
    pub(crate) abilities: Abilities,
    /// Where the progress of calls goes, if the client wants it.
    pub(crate) tool_progress: Option<ToolProgress>,
    /// Where what servers log goes.
    pub(crate) lines: Lines,
    /// Where reports of the call go, if the run is a single call.
    pub(crate) notes: Option<CallNotes>,
}

impl Respondent for RunRespondent {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Reply> {
        let Ask {
            server,
            kind,
            mut params,
            name,
            ..
        } = ask;
        // Of several calls, two may have the same name for something.
        let name = name.filter(|_| self.notes.is_some());
        let passed_on: &[&str] = match kind {
            AskKind::Sampling => &OF_SAMPLING,
            AskKind::Form | AskKind::Url => &OF_ELICITATION,
            _ => &[],
        };
        params.retain(|name, _| passed_on.contains(&name.as_str()));
        if let (AskKind::Form | AskKind::Url, Some(Value::String(message))) =
            (kind, params.get_mut("message"))
        {
            // The reader should see that the server asks, not Ampoule.
            *message = format!("{server} asks: {message}");
        }
        let params = Value::Object(params);
        self.route.ask_by_name(kind.method(), params, name).boxed()
    }

    fn follows_progress(&self) -> bool {
        self.tool_progress.is_some()
    }

    fn log_level(&self) -> Option<LogLevel> {
        self.lines.level()
    }

    fn hear(&self, notice: Notice) -> bool {
        match notice {
            Notice::Progress { .. } => {
                let progress = self.tool_progress.as_ref();
                progress
                    .inspect(|progress| progress.hear(&notice))
                    .is_some()
            }
            Notice::Log { server, params } => self.lines.hear(&server, params),
            Notice::Done { elicitation, .. } => match &self.route {
                AskRoute::Request(link) => link.done(&elicitation),
                // Since 2026-07-28, clients get no such notification.
                AskRoute::Waiter(_) => false,
            },
            Notice::Task { .. } => {
                let notes = self.notes.as_ref();
                notes.inspect(|notes| notes.note_task()).is_some()
            }
            Notice::Refused { code, required, .. } => {
                let refusal = CallRefusal { code, required };
                let notes = self.notes.as_ref();
                notes.map(|notes| notes.note_refusal(refusal)).is_some()
            }
            _ => false,
        }
    }
}
