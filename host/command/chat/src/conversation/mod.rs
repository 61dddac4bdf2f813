//! What was said so far, in no form of an endpoint.
//!
//! - `shorten`: a conversation that a model can't read any more
//! - `saved`: conversations on disk; `markdown`: one, for people to read

mod markdown;
mod saved;
mod shorten;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use saved::{ConversationError, ConversationName, ConversationStore};
pub use shorten::Shortening;

/// A conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    /// What was said, in order. Each call of a message has its result in the next one.
    pub messages: Vec<Message>,
}

/// One turn of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub enum Message {
    /// What the person says.
    User {
        /// The text.
        text: String,
    },
    /// What the model says and calls.
    Assistant {
        /// The text.
        text: String,
        /// The calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What its endpoint wants back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        opaque: Vec<Value>,
    },
    /// What the calls came to.
    Results {
        /// One for each call of the message before.
        results: Vec<ToolOutput>,
    },
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The endpoint's name for it.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments as the model wrote them: JSON, unless it made a mistake.
    pub arguments: String,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The call's id.
    pub call: String,
    /// What the model reads.
    pub text: String,
    /// It failed.
    pub is_error: bool,
}

impl Conversation {
    /// What the model said last.
    pub fn last_text(&self) -> Option<&str> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                Message::Assistant { text, .. } if !text.is_empty() => Some(text.as_str()),
                _ => None,
            })
    }

    /// The calls that it has, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            _ => &[],
        })
    }

    /// Calls without results, as an interruption leaves them, get one that says so: endpoints refuse
    /// a conversation in which a result is missing.
    pub fn close(&mut self, why: &str) {
        let Some(Message::Assistant { calls, .. }) = self.messages.last() else {
            return;
        };
        if calls.is_empty() {
            return;
        }
        let results = calls.iter().map(|call| ToolOutput {
            call: call.id.clone(),
            text: why.to_owned(),
            is_error: true,
        });
        let results = results.collect();
        self.messages.push(Message::Results { results });
    }

    /// How many bytes a model reads of it, about.
    pub fn bytes(&self) -> usize {
        let bytes = |message: &Message| match message {
            Message::User { text } => text.len(),
            Message::Assistant { text, calls, .. } => {
                let calls = calls
                    .iter()
                    .map(|call| call.tool.len() + call.arguments.len());
                text.len() + calls.sum::<usize>()
            }
            Message::Results { results } => results.iter().map(|result| result.text.len()).sum(),
        };
        self.messages.iter().map(bytes).sum()
    }
}
