//! The three forms on the wire: what is sent, and what the events of an answer mean.
//!
//! - `chat_completions`, `responses`: OpenAI's; `anthropic`: Anthropic's

mod anthropic;
mod chat_completions;
mod responses;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::address::Form;
use super::error::EndpointError;
use super::inquiry::Request;
use super::reply::ReplyBuilder;

impl Form {
    /// The body of a request.
    pub(super) fn body(self, model: &str, request: &Request<'_>) -> Value {
        match self {
            Self::ChatCompletions => chat_completions::body(model, request),
            Self::Responses => responses::body(model, request),
            Self::Anthropic => anthropic::body(model, request),
        }
    }
}

/// What ends the events of chat completions. Some gateways end those of other forms with it, too.
const DONE: &str = "[DONE]";

/// Reads the events of an answer.
pub(super) struct Reader<'a> {
    form: Form,
    /// The key, which no error shows.
    key: Option<&'a str>,
}

/// What an event means, or the error that it is.
type EventResult = Result<(), Value>;

impl<'a> Reader<'a> {
    pub(super) fn new(form: Form, key: Option<&'a str>) -> Self {
        Self { form, key }
    }

    /// Whether the number of tokens comes after the end of the answer.
    pub(super) fn counts_after_the_end(&self) -> bool {
        self.form == Form::ChatCompletions
    }

    /// Reads the data of an event.
    pub(super) fn read(&self, data: &str, reply: &mut ReplyBuilder) -> Result<(), EndpointError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if data == DONE {
            reply.is_over = true;
            // Some servers give no reason for the end.
            reply.is_whole |= self.form == Form::ChatCompletions && reply.has_content();
            return Ok(());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|_| EndpointError::broken("an event of it is not JSON"))?;
        let read = match self.form {
            Form::ChatCompletions => chat_completions::read(&event, reply),
            Form::Responses => responses::read(&event, reply),
            Form::Anthropic => anthropic::read(&event, reply),
        };
        read.map_err(|error| EndpointError::of_event(&error, self.key))
    }
}

/// The arguments of a call as an object, for endpoints that take no other: nothing, where they are
/// not one.
fn object(arguments: &str) -> Map<String, Value> {
    serde_json::from_str(arguments).unwrap_or_default()
}
