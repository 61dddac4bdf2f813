//! Results as servers really send them: what is well-formed is kept, whatever else came with it.

use std::collections::BTreeMap;

use ampoule_mcp::envelope::present;
use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::json::{depth, parsed_bytes};
use ampoule_untrusted::text::one_line;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::asks::{InputRequest, InputRequired};
use super::handshake::Era;

/// How deep a structured result, or a content block, may be nested: as deep as `serde_json` reads.
const MAX_DEPTH: usize = 127;

/// How much more than their text content blocks may take while they are looked at, in bytes: about
/// a hundred thousand blocks.
const MAX_CONTENT_OVERHEAD: u64 = 64 << 20;

/// How much an `input_required` result may take once it is parsed, in bytes.
const MAX_WANTED_BYTES: u64 = 4 << 20;

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
    #[serde(borrow, default)]
    input_requests: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_state: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// What an `input_required` result wants, if it is one.
pub(super) fn wanted(raw: &RawValue) -> Option<Result<InputRequired, String>> {
    // Most results are none, and large ones are not to be read twice.
    if !raw.get().starts_with('{') || !raw.get().contains(r#""input_required""#) {
        return None;
    }
    let result: CallToolResult<'_> = serde_json::from_str(raw.get()).ok()?;
    if result.result_type.map(RawValue::get) != Some(r#""input_required""#) {
        return None;
    }
    let small = |part: &&RawValue| parsed_bytes(part.get()) <= MAX_WANTED_BYTES;
    let parts = [result.input_requests, result.request_state];
    if !parts.iter().flatten().all(small) {
        return Some(Err("it is too much".to_owned()));
    }
    let requests: BTreeMap<String, InputRequest> = match result.input_requests {
        Some(requests) => match serde_json::from_str(requests.get()) {
            Ok(requests) => requests,
            Err(error) => return Some(Err(error.to_string())),
        },
        None => BTreeMap::new(),
    };
    Some(Ok(InputRequired {
        requests: requests.into_iter().collect(),
        state: result
            .request_state
            .and_then(|state| serde_json::from_str(state.get()).ok()),
    }))
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
        Some(other) => {
            let other = one_line(&other[..other.floor_char_boundary(SHOWN_BYTES)]);
            return Err(CallError::Protocol(format!(
                "the server answered with {other} instead of a result, which is not supported"
            )));
        }
    }
    let is_error = result.is_error.is_some_and(|flag| flag.get() == "true");
    let mut content = result
        .content
        .filter(|content| content.get() != "null")
        .map(content)
        .transpose()
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
    if structured_content.is_none() && !is_error {
        // A tool that says nothing at all said an empty text: an empty list is what one says that
        // found nothing.
        content.get_or_insert_with(|| vec![json!({ "type": "text", "text": "" })]);
    }
    let is_readable =
        |meta: &&RawValue| meta.get().starts_with('{') && depth(meta.get()) <= MAX_DEPTH;
    Ok(ToolResult {
        content: content.unwrap_or_default(),
        structured_content: structured_content.map(ToOwned::to_owned),
        is_error,
        meta: result.meta.filter(is_readable).map(ToOwned::to_owned),
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

/// A block. A text alone is one of text.
fn block(raw: &RawValue) -> Value {
    let read = if depth(raw.get()) > MAX_DEPTH {
        Err(format!("it is nested deeper than {MAX_DEPTH} levels"))
    } else {
        serde_json::from_str(raw.get()).map_err(|error| error.to_string())
    };
    let read = read.map(|block: Value| match block {
        Value::String(text) => json!({ "type": "text", "text": text }),
        block => block,
    });
    read.unwrap_or_else(|why| {
        let note = format!("[a part of the answer can't be read: {why}]");
        json!({ "type": "text", "text": note })
    })
}

#[cfg(test)]
mod tests;
