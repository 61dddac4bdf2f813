//! The three forms on the wire: what is sent, and what the events of an answer mean.
//!
//! - `chat_completions`, `responses`: OpenAI's; `anthropic`: Anthropic's

mod anthropic;
mod chat_completions;
mod responses;

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

/// Reads the events of an answer.
pub(super) struct Reader(Form);

impl Reader {
    pub(super) fn new(form: Form) -> Self {
        Self(form)
    }

    /// Reads the data of an event.
    pub(super) fn read(
        &mut self,
        data: &str,
        reply: &mut ReplyBuilder,
    ) -> Result<(), EndpointError> {
        if data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            reply.is_whole = true;
            return Ok(());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|_| EndpointError::broken("an event of it is not JSON"))?;
        match self.0 {
            Form::ChatCompletions => chat_completions::read(&event, reply),
            Form::Responses => responses::read(&event, reply),
            Form::Anthropic => anthropic::read(&event, reply),
        }
    }
}

/// The arguments of a call as an object, for endpoints that take no other: nothing, where they are
/// not one.
fn object(arguments: &str) -> Map<String, Value> {
    serde_json::from_str(arguments).unwrap_or_default()
}
