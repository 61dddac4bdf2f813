//! Results as servers really send them: what is well-formed is kept, whatever else came with it.

use ampoule_mcp::envelope::present;
use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::json::{depth, parsed_bytes};
use ampoule_untrusted::text::one_line;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::handshake::Era;

/// How deep a structured result, or a content block, may be nested: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// How much more than their text content blocks may take while they are looked at, in bytes: about
/// a hundred thousand blocks.
const MAX_CONTENT_OVERHEAD: u64 = 64 << 20;

/// How much is shown of what a server answered instead of a result, in bytes.
const SHOWN_BYTES: usize = 80;

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

/// The result of `tools/call` of this tool. Its structured part is not parsed; of its content, each
/// block is read by itself.
pub(super) fn tool_result(raw: &RawValue, tool: &str, era: Era) -> Result<ToolResult, CallError> {
    let unreadable = |why: &dyn std::fmt::Display| {
        let tool = one_line(tool);
        CallError::Protocol(format!("the answer from `{tool}` can't be read: {why}"))
    };
    // Structs are read from arrays as well.
    if !raw.get().starts_with('{') {
        return Err(unreadable(&"it is not an object"));
    }
    let result: CallToolResult<'_> =
        serde_json::from_str(raw.get()).map_err(|error| unreadable(&error))?;
    match result.result_type.map(RawValue::get) {
        None | Some(r#""complete""#) => {}
        Some(r#""input_required""#) => {
            let why = "the tool wants to ask its user something before it goes on, and scripts run unattended; give it what it needs as arguments, or use another tool";
            return Err(CallError::Protocol(why.to_owned()));
        }
        Some(other) => {
            let other = one_line(&other[..other.floor_char_boundary(SHOWN_BYTES)]);
            return Err(CallError::Protocol(format!(
                "the server answered with {other} instead of a result, which is not supported"
            )));
        }
    }
    let content = result
        .content
        .map_or(Ok(Vec::new()), content)
        .map_err(|why| unreadable(&why))?;
    // Servers written for the older protocol fill in what is absent with null; since, null is a
    // value like any other.
    let structured_content = result
        .structured_content
        .filter(|value| era == Era::Stateless || value.get() != "null");
    if let Some(value) = structured_content
        && depth(value.get()) > MAX_DEPTH
    {
        return Err(unreadable(&format_args!(
            "its structured content is nested deeper than {MAX_DEPTH} levels"
        )));
    }
    Ok(ToolResult {
        content,
        structured_content: structured_content.map(ToOwned::to_owned),
        is_error: result.is_error.is_some_and(|flag| flag.get() == "true"),
    })
}

/// The blocks. One that can't be read is there as a note, so that the others keep their places.
fn content(raw: &RawValue) -> Result<Vec<Value>, String> {
    let text = raw.get();
    if parsed_bytes(text) > text.len() as u64 + MAX_CONTENT_OVERHEAD {
        return Err("its content has too many parts".to_owned());
    }
    if !text.starts_with('[') {
        return Ok(vec![block(raw)]);
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(blocks.into_iter().map(block).collect())
}

fn block(raw: &RawValue) -> Value {
    let read = if depth(raw.get()) > MAX_DEPTH {
        Err(format!("it is nested deeper than {MAX_DEPTH} levels"))
    } else {
        serde_json::from_str(raw.get()).map_err(|error| error.to_string())
    };
    read.unwrap_or_else(|why| {
        let note = format!("[a part of the answer can't be read: {why}]");
        json!({ "type": "text", "text": note })
    })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
