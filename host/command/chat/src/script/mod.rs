//! Scripts in calls: whole ones, and those that a model still writes.
//!
//! - `partial`: a script out of arguments that are not whole yet
//! - `highlight`: scripts in colours

mod highlight;
mod partial;
#[cfg(test)]
mod tests;

use ampoule::Language;
use serde_json::{Map, Value};

pub use highlight::{Highlighter, Span, SpanKind};
pub use partial::PartialScript;

use crate::conversation::ToolCall;

/// The tool whose argument is a script.
pub const TOOL: &str = "execute_code";

/// A script in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The source.
    pub code: String,
    /// The language, if the call says it.
    pub language: Option<String>,
}

impl Script {
    /// Its language; that of the code where the call does not say it.
    pub fn language(&self) -> Language {
        let named = self.language.as_deref().and_then(Language::named);
        named.unwrap_or_else(|| Language::of_code(&self.code))
    }
}

/// The script of a call, if it has one.
pub fn of_call(call: &ToolCall) -> Option<Script> {
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).ok()?;
    let code = arguments.get("code").filter(|_| call.tool == TOOL)?;
    let language = arguments.get("language").and_then(Value::as_str);
    Some(Script {
        code: code.as_str()?.to_owned(),
        language: language.map(str::to_owned),
    })
}
