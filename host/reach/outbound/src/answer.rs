//! What a script gets of a response.

use ampoule_tools::{CallContext, CallError, ToolResult};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::blot::Blot;
use crate::redirects::FinalResponse;

/// A response, as a script gets it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    status: u16,
    status_text: &'static str,
    headers: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    url: String,
    redirected: bool,
}

/// The schema of what a script gets.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": { "type": "integer" },
            "statusText": { "type": "string" },
            "headers": { "type": "array", "items": { "type": "array", "items": { "type": "string" } } },
            "body": { "type": "string" },
            "base64": { "type": "string", "description": "The body, where it is not text" },
            "url": { "type": "string" },
            "redirected": { "type": "boolean" },
        },
        "required": ["status", "statusText", "headers", "url", "redirected"],
    })
}

/// What a script gets of a response: all of it but secrets.
///
/// # Errors
///
/// It is larger than what the run may be told.
pub(crate) fn of(
    followed: &FinalResponse,
    blot: &Blot,
    context: &CallContext,
) -> Result<ToolResult, CallError> {
    let FinalResponse {
        response,
        target,
        redirected,
    } = followed;
    let body = blot.bytes(response.body());
    let text = std::str::from_utf8(&body)
        .ok()
        .filter(|text| is_plain(text));
    let has_length = body.len() == response.body().len();
    let answer = Answer {
        status: response.status().as_u16(),
        status_text: response.status().canonical_reason().unwrap_or_default(),
        headers: headers(response.headers(), has_length, blot),
        body: text,
        base64: text.is_none().then(|| STANDARD.encode(&body)),
        url: blot.text(target.url.as_str()),
        redirected: *redirected,
    };
    let written: Box<RawValue> = to_raw_value(&answer).map_err(|error| {
        CallError::Protocol(format!("the response can't be passed on: {error}"))
    })?;
    let bytes = written.get().len() as u64;
    if bytes > context.result_bytes() {
        return Err(CallError::ResultTooLarge { bytes });
    }
    Ok(ToolResult {
        structured_content: Some(written),
        ..ToolResult::default()
    })
}

/// Whether JSON has it as briefly as base64 would.
fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn headers(headers: &HeaderMap, has_length: bool, blot: &Blot) -> Vec<(String, String)> {
    let kept = headers
        .iter()
        .filter(|(name, _)| has_length || **name != CONTENT_LENGTH);
    let pair = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let value = blot.bytes(value.as_bytes());
        // Bytes, written as the first 256 characters.
        let text = value.iter().copied().map(char::from).collect();
        (name.as_str().to_owned(), text)
    };
    kept.map(pair).collect()
}
