//! Results as servers really send them: what is well-formed is kept, whatever else came with it.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::handshake::Era;
use crate::binding::{CallError, ToolResult};
use crate::json::{depth, parsed_bytes};
use crate::projection::{Hints, Tool};
use crate::wire::envelope::present;

/// How deep a structured result may be nested: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// How much more than their text content blocks may take while they are looked at, in bytes: about a hundred thousand blocks.
const MAX_CONTENT_OVERHEAD: u64 = 64 << 20;

/// The longest name that a tool may have, in bytes.
const MAX_NAME_BYTES: usize = 256;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallToolResult<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    is_error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result_type: Option<&'a RawValue>,
}

/// The result of `tools/call`. Its structured part is not parsed.
pub(super) fn tool_result(raw: &RawValue, era: Era) -> Result<ToolResult, CallError> {
    let unreadable = |what: &str, error: &dyn std::fmt::Display| {
        CallError::Failed(format!("the server's {what} can't be read: {error}"))
    };
    // Structs are read from arrays as well.
    if !raw.get().starts_with('{') {
        return Err(unreadable("answer", &"it is not an object"));
    }
    let result: CallToolResult<'_> =
        serde_json::from_str(raw.get()).map_err(|error| unreadable("answer", &error))?;
    match result.result_type.map(RawValue::get) {
        None | Some(r#""complete""#) => {}
        Some(r#""input_required""#) => {
            let why = "the tool wants to ask its user something before it goes on, and scripts run unattended; give it what it needs as arguments, or use another tool";
            return Err(CallError::Failed(why.to_owned()));
        }
        Some(other) => {
            let other: String = other.chars().take(80).collect();
            return Err(CallError::Failed(format!(
                "the server answered with {other} instead of a result, which is not supported"
            )));
        }
    }
    let content = match result.content {
        None => Vec::new(),
        Some(content)
            if parsed_bytes(content.get()) > content.get().len() as u64 + MAX_CONTENT_OVERHEAD =>
        {
            return Err(unreadable("answer", &"its content has too many parts"));
        }
        Some(content) => match serde_json::from_str(content.get())
            .map_err(|error| unreadable("answer", &error))?
        {
            Value::Array(blocks) => blocks,
            single => vec![single],
        },
    };
    // Servers written for the older protocol fill in what is absent with null; since, null is a value like any other.
    let structured_content = result
        .structured_content
        .filter(|value| era == Era::Stateless || value.get() != "null");
    if let Some(value) = structured_content
        && depth(value.get()) > MAX_DEPTH
    {
        return Err(unreadable(
            "structured answer",
            &format_args!("it is nested deeper than {MAX_DEPTH} levels"),
        ));
    }
    Ok(ToolResult {
        content,
        structured_content: structured_content.map(ToOwned::to_owned),
        is_error: result.is_error.is_some_and(|flag| flag.get() == "true"),
    })
}

/// What a JSON-RPC error says, in a sentence, however long the server made it.
pub(super) fn error_text(error: &RawValue) -> String {
    let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
    let mut text = match error.get("message") {
        Some(Value::String(message)) if !message.is_empty() => message.clone(),
        _ => "the server refused".to_owned(),
    };
    if let Some(code) = error.get("code").filter(|code| code.is_number()) {
        text += &format!(" (error {code})");
    }
    if let Some(data) = error.get("data").filter(|data| !data.is_null()) {
        text += &format!("; {data}");
    }
    text
}

/// The code of a JSON-RPC error.
pub(super) fn error_code(error: &RawValue) -> Option<i64> {
    serde_json::from_str::<Value>(error.get())
        .ok()?
        .get("code")?
        .as_i64()
}

/// A page of `tools/list`, its tools not decoded.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) tools: Vec<Value>,
    pub(super) next_cursor: Option<String>,
    /// How long it was.
    pub(super) bytes: u64,
}

/// Reads a page.
pub(super) fn page(raw: &RawValue) -> Result<Page, String> {
    let mut page: Value = serde_json::from_str(raw.get())
        .map_err(|error| format!("its list of tools can't be read: {error}"))?;
    let Some(Value::Array(tools)) = page.get_mut("tools").map(Value::take) else {
        return Err("its answer to tools/list has no list of tools".to_owned());
    };
    let next_cursor = page
        .get("nextCursor")
        .and_then(Value::as_str)
        .map(ToOwned::to_owned);
    Ok(Page {
        tools,
        next_cursor,
        bytes: raw.get().len() as u64,
    })
}

/// Reads a tool. What is wrong with it comes second: a tool that can be called in spite of that is there nevertheless.
pub(super) fn tool(value: Value) -> (Option<Tool>, Vec<String>) {
    let mut problems = Vec::new();
    let Value::Object(mut object) = value else {
        return (
            None,
            vec![format!("an entry is {} instead of a tool", kind(&value))],
        );
    };
    let name = match object.remove("name") {
        Some(Value::String(name)) if (1..=MAX_NAME_BYTES).contains(&name.len()) => name,
        Some(Value::String(name)) => {
            return (
                None,
                vec![format!("a tool's name has {} bytes", name.len())],
            );
        }
        other => {
            return (
                None,
                vec![format!(
                    "a tool's name is {}",
                    kind(&other.unwrap_or_default())
                )],
            );
        }
    };
    let input_schema = match object.remove("inputSchema") {
        Some(Value::Object(schema)) => schema,
        other => {
            let what = kind(&other.unwrap_or_default());
            return (
                None,
                vec![format!("tool `{name}` has no input schema: it is {what}")],
            );
        }
    };
    let hints = object.remove("annotations").unwrap_or_default();
    let mut text = |key: &str| match object.remove(key) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            problems.push(format!("tool `{name}`: its {key} is {}", kind(&other)));
            None
        }
    };
    let (title, description) = (text("title"), text("description"));
    let title = title.or_else(|| {
        hints
            .get("title")
            .and_then(Value::as_str)
            .map(ToOwned::to_owned)
    });
    let output_schema = match object.remove("outputSchema") {
        None | Some(Value::Null) => None,
        Some(schema @ (Value::Object(_) | Value::Bool(_))) => Some(schema),
        Some(other) => {
            problems.push(format!(
                "tool `{name}`: its output schema is {}",
                kind(&other)
            ));
            None
        }
    };
    let hint = |key: &str| hints.get(key).and_then(Value::as_bool);
    let annotations = Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
    };
    (
        Some(Tool {
            name,
            title,
            description,
            input_schema,
            output_schema,
            annotations,
        }),
        problems,
    )
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "missing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
