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

/// What a model reads of a call that was not made.
const NOT_DONE: &str = "(not done: the task was stopped before this call began)";
/// What a model reads of a call that was under way when its task was stopped.
const UNKNOWN: &str = "(UNKNOWN: the task was stopped while this call was under way, and Ampoule ended the call. What the call did until then is done: nothing, a part, or all of it. Find out what was done before you continue. Do not repeat the call without telling the person.)";

impl Conversation {
    /// The calls that it has, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            _ => &[],
        })
    }

    /// The calls of the last answer are about to be made, one after the other.
    pub(crate) fn begin_results(&mut self) {
        let results = Vec::new();
        self.messages.push(Message::Results { results });
    }

    /// Adds what a call came to.
    pub(crate) fn add_result(&mut self, result: ToolOutput) {
        match self.messages.last_mut() {
            Some(Message::Results { results }) => results.push(result),
            _ => self.messages.push(Message::Results {
                results: vec![result],
            }),
        }
    }

    /// The calls of the last answer that have no result, and whether the first of them may be under way.
    fn open_calls(&self) -> (Vec<String>, bool) {
        let (calls, done) = match &self.messages[..] {
            [
                ..,
                Message::Assistant { calls, .. },
                Message::Results { results },
            ] => (calls, Some(results.len())),
            [.., Message::Assistant { calls, .. }] => (calls, None),
            _ => return (Vec::new(), false),
        };
        let open = calls.iter().skip(done.unwrap_or_default());
        (open.map(|call| call.id.clone()).collect(), done.is_some())
    }

    /// Gives results to the calls that are not made any more.
    pub(crate) fn refuse_open_calls(&mut self) {
        for call in self.open_calls().0 {
            self.add_result(stopped(call, NOT_DONE));
        }
    }

    /// Gives results to all calls without one, as an interruption leaves them: endpoints refuse a
    /// conversation in which a result is missing. The result of a call that was under way, which this
    /// returns, says that nobody knows what the call did.
    pub fn close(&mut self) -> Option<ToolOutput> {
        let (open, is_under_way) = self.open_calls();
        let mut unknown = None;
        for (place, call) in open.into_iter().enumerate() {
            let result = match place == 0 && is_under_way {
                true => unknown.insert(stopped(call, UNKNOWN)).clone(),
                false => stopped(call, NOT_DONE),
            };
            self.add_result(result);
        }
        unknown
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

fn stopped(call: String, why: &str) -> ToolOutput {
    ToolOutput {
        call,
        text: why.to_owned(),
        is_error: true,
    }
}
