//! One call of a tool, as the whole of a run, which has no guest; and its failure, as scripts throw
//! it.

use ampoule_projection::Idiom;
use ampoule_tools::{Form, ToolFailure};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::outcome::Thrown;

/// How much of an error's data its message has, in bytes.
const DATA_BYTES: usize = 2_000;

/// One call of a tool, as the whole of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DirectCall {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) arguments: Box<RawValue>,
    /// Whether its value is the whole answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) whole: bool,
}

impl DirectCall {
    /// A call of the tool of that server, with these arguments: an object, as the tool's schema has
    /// it.
    pub fn new(
        server: impl Into<String>,
        tool: impl Into<String>,
        arguments: Box<RawValue>,
    ) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            arguments,
            whole: false,
        }
    }

    /// The same, with the whole answer for a value: an object with `content`, and
    /// `structuredContent` and `_meta` where the answer has them.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    pub(crate) fn form(&self) -> Form {
        match self.whole {
            true => Form::Whole,
            false => Form::Script,
        }
    }

    /// The call in a line, as scripts write it: what stands for it in lists and digests.
    pub fn text(&self) -> String {
        let Self {
            server,
            tool,
            arguments,
            ..
        } = self;
        format!("{server}.{tool}({arguments})")
    }

    /// How tools are named and declared for it.
    pub(crate) fn idiom(&self) -> Idiom {
        Idiom::default()
    }

    /// What a caller wrote for it, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.server.len() + self.tool.len() + self.arguments.get().len()) as u64
    }
}

/// A failure of the call, in the words in which scripts throw it.
pub(crate) fn failed(server: &str, tool: &str, failure: ToolFailure) -> Thrown {
    let ToolFailure { message, data, .. } = failure;
    let mut message = format!("{server}.{tool}: {message}");
    // Tools often tell it in the message, too.
    if let Some(data) = data.filter(|data| !message.contains(&**data)) {
        let shown = &data[..data.floor_char_boundary(DATA_BYTES)];
        let cut = match shown.len() < data.len() {
            true => "…",
            false => "",
        };
        message += &format!("\nThe error's `data`: {shown}{cut}");
    }
    tool_error(message)
}

/// The error of a call that was not made, or that failed.
pub(crate) fn tool_error(message: String) -> Thrown {
    Thrown {
        name: "ToolError".to_owned(),
        message,
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    }
}
