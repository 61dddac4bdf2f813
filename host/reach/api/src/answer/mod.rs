//! What scripts get of a response.
//!
//! - `headers`: the headers that scripts may see

mod headers;

use std::collections::BTreeMap;

use ampoule_outbound::Blot;
use ampoule_tools::{CallContext, CallError, ToolResult};
use ampoule_untrusted::json::{depth, readable};
use ampoule_untrusted::text::one_line;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

pub use self::headers::{comes_with_answers, may_be_told, told};
use crate::media::{essence, is_json, is_text};

/// How deep JSON may be nested that scripts get.
const MAX_DEPTH: usize = 127;

/// How much of what a server says of a failure is in the message, in bytes.
const SAID_BYTES: usize = 500;

/// What scripts find in `data` of the error where the status says that a call failed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    status: u16,
    body: &'a RawValue,
    /// In how many seconds the server wants to be asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    /// Those that say how to go on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
}

/// The result of a call by its response, without secrets. Where the call went well, `value` makes the
/// value of the body.
///
/// # Errors
///
/// It is larger than what the run may be told, or can't be read.
pub fn of(
    response: &Response<Bytes>,
    operation: &str,
    blot: &Blot,
    context: &CallContext,
    value: impl FnOnce(Box<RawValue>) -> Result<Box<RawValue>, CallError>,
) -> Result<ToolResult, CallError> {
    let status = response.status();
    let bytes = blot.bytes(response.body());
    let body = body(&bytes, response.headers())?;
    let fits = |value: Box<RawValue>| match value.get().len() as u64 {
        bytes if bytes > context.result_bytes() => Err(CallError::ResultTooLarge { bytes }),
        _ => Ok(value),
    };
    if status.is_success() {
        let value = value(fits(body)?)?;
        return Ok(ToolResult {
            structured_content: Some(fits(value)?),
            ..ToolResult::default()
        });
    }
    let body = fits(body)?;
    let unreadable = |error: serde_json::Error| CallError::Protocol(error.to_string());
    let retry_after = response.headers().get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let failure = Failure {
        status: status.as_u16(),
        body: &body,
        retry_after,
        headers: told(response.headers(), blot),
    };
    let message = message(operation, status, &body);
    Ok(ToolResult {
        content: vec![json!({ "type": "text", "text": message })],
        structured_content: Some(to_raw_value(&failure).map_err(unreadable)?),
        is_error: true,
        meta: None,
    })
}

/// A body as a value: JSON as it came, a text, nothing, or bytes.
fn body(bytes: &[u8], headers: &HeaderMap) -> Result<Box<RawValue>, CallError> {
    let unreadable = |error: serde_json::Error| {
        CallError::Protocol(format!("the response can't be passed on: {error}"))
    };
    if bytes.is_empty() {
        return Ok(RawValue::NULL.to_owned());
    }
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let plain = kind.map(essence);
    let text = std::str::from_utf8(bytes).ok();
    let may_be_json = plain.as_deref().is_none_or(is_json);
    if may_be_json {
        let text = readable(bytes);
        if depth(&text) > MAX_DEPTH {
            return Err(CallError::Protocol(format!(
                "the response is nested deeper than {MAX_DEPTH} levels"
            )));
        }
        if let Ok(json) = RawValue::from_string(text.trim().to_owned()) {
            return Ok(json);
        }
    }
    let is_text = may_be_json || plain.as_deref().is_some_and(is_text);
    match text {
        Some(text) if is_text => to_raw_value(text).map_err(unreadable),
        _ if is_text && plain.is_some() => {
            // Of another character set, as far as it can be read.
            to_raw_value(&String::from_utf8_lossy(bytes)).map_err(unreadable)
        }
        _ => {
            let kind = plain.as_deref().unwrap_or("application/octet-stream");
            to_raw_value(&json!({ "base64": STANDARD.encode(bytes), "type": kind }))
                .map_err(unreadable)
        }
    }
}

/// What a failure is: its status, and what the server says of it.
fn message(operation: &str, status: StatusCode, body: &RawValue) -> String {
    let reason = status.canonical_reason().unwrap_or_default();
    let operation = one_line(operation);
    let head = format!("{operation}: HTTP {} {reason}", status.as_u16());
    match said(body) {
        Some(said) => format!("{}: {said}", head.trim_end()),
        None => head.trim_end().to_owned(),
    }
}

/// What a body says of a failure, in a line.
fn said(body: &RawValue) -> Option<String> {
    let value: Value = serde_json::from_str(body.get()).ok()?;
    let text = match &value {
        Value::String(text) => {
            let is_page = text.trim_start().starts_with('<');
            text.lines()
                .find(|line| !line.trim().is_empty())
                .filter(|_| !is_page)?
        }
        value => in_members(value, 0)?,
    };
    let cut = &text[..text.floor_char_boundary(SAID_BYTES)];
    Some(one_line(cut.trim()).into_owned())
}

/// The text of a member that is called as errors are.
fn in_members(value: &Value, level: usize) -> Option<&str> {
    const NAMES: [&str; 9] = [
        "message",
        "error_description",
        "detail",
        "error",
        "errors",
        "title",
        "reason",
        "description",
        "msg",
    ];
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text),
        Value::Array(items) if level < 4 => in_members(items.first()?, level + 1),
        Value::Object(_) if level < 4 => {
            let mut members = NAMES.iter().filter_map(|name| value.get(name));
            members.find_map(|member| in_members(member, level + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
