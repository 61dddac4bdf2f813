//! What a model is asked, in no form.

use serde_json::{Map, Value};

use crate::conversation::Message;

/// A tool, as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Map<String, Value>,
}

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What holds for the whole conversation.
    pub instructions: &'a str,
    /// What was said so far.
    pub messages: &'a [Message],
    /// What it may call.
    pub tools: &'a [ToolDefinition],
    /// Whether its reasoning comes back with its answer, for the next request. Only OpenAI's responses
    /// have that, and only some models.
    pub wants_reasoning: bool,
}
