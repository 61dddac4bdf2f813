//! What scripts get of a response.

use std::collections::BTreeMap;

use ampoule_outbound::Blot;
use ampoule_tools::{CallContext, CallError, ToolResult};
use ampoule_untrusted::json::{depth, readable};
use ampoule_untrusted::text::one_line;
use bytes::Bytes;
use http::Response;
use http::header::RETRY_AFTER;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// How deep JSON may be nested that scripts get.
const MAX_DEPTH: usize = 127;

/// How much of what a server says of a failure is in the message, in bytes.
const SAID_BYTES: usize = 500;

/// The code of errors by which servers say that they don't know who asks.
const UNAUTHENTICATED: &str = "UNAUTHENTICATED";
/// No response that refuses a call has more bytes.
const MAX_REFUSAL_BYTES: usize = 64 << 10;

/// What is taken of a response.
#[derive(Clone)]
pub(crate) struct ResponsePart {
    /// The tool that was called.
    pub(crate) tool: String,
    /// The field of the data that is the result; the whole data where there is none.
    pub(crate) field: Option<String>,
}

/// A response of GraphQL.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    errors: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct ErrorMessage {
    message: String,
}

/// What scripts find in `data` of the error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Failure<'a> {
    errors: &'a [&'a RawValue],
    /// What there is of a result, for all that.
    data: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// In how many seconds the server wants to be asked again.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

/// The result of a call by its response, without secrets.
///
/// # Errors
///
/// It is larger than what the run may be told, or is not what GraphQL's servers answer.
pub(crate) fn of(
    response: &Response<Bytes>,
    taken: &ResponsePart,
    blot: &Blot,
    context: &CallContext,
) -> Result<ToolResult, CallError> {
    let bytes = blot.bytes(response.body());
    let size = bytes.len() as u64;
    if size > context.result_bytes() {
        return Err(CallError::ResultTooLarge { bytes: size });
    }
    let text = readable(&bytes);
    if depth(&text) > MAX_DEPTH {
        return Err(CallError::Protocol(format!(
            "the response is nested deeper than {MAX_DEPTH} levels"
        )));
    }
    let answer = serde_json::from_str::<Answer<'_>>(&text).ok();
    let status = response.status();
    match answer {
        Some(Answer {
            errors: Some(errors),
            data,
        }) if !errors.is_empty() => {
            let retry_after = response.headers().get(RETRY_AFTER);
            let failure = Failure {
                errors: &errors,
                data,
                status: (!status.is_success()).then(|| status.as_u16()),
                retry_after: retry_after.and_then(|it| it.to_str().ok()?.trim().parse().ok()),
            };
            failed(&taken.tool, &failure)
        }
        _ if !status.is_success() => {
            ampoule_api::answer::of(response, &taken.tool, blot, context, Ok)
        }
        Some(Answer {
            data: Some(data), ..
        }) => value(data, taken),
        _ => Err(CallError::Protocol(
            "the response has neither `data` nor `errors`, so it is not a GraphQL response"
                .to_owned(),
        )),
    }
}

fn value(data: &RawValue, taken: &ResponsePart) -> Result<ToolResult, CallError> {
    let value = match &taken.field {
        None => data.to_owned(),
        Some(field) => {
            let fields = serde_json::from_str::<BTreeMap<String, &RawValue>>(data.get());
            let mut fields = fields.unwrap_or_default();
            let value = fields.remove(field).ok_or_else(|| {
                CallError::Protocol(format!("the response has no `{field}` in its `data`"))
            })?;
            value.to_owned()
        }
    };
    Ok(ToolResult {
        structured_content: Some(value),
        ..ToolResult::default()
    })
}

fn failed(tool: &str, failure: &Failure<'_>) -> Result<ToolResult, CallError> {
    let first = failure.errors.first();
    let first = first.and_then(|it| serde_json::from_str::<ErrorMessage>(it.get()).ok());
    let said = first.map_or_else(|| "it failed".to_owned(), |told| told.message);
    let cut = &said[..said.floor_char_boundary(SAID_BYTES)];
    let more = match failure.errors.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        more => format!(" (and {more} more errors)"),
    };
    let message = format!("{}: {}{more}", one_line(tool), one_line(cut.trim()));
    let told = |error: serde_json::Error| CallError::Protocol(error.to_string());
    Ok(ToolResult {
        content: vec![json!({ "type": "text", "text": message })],
        structured_content: Some(to_raw_value(failure).map_err(told)?),
        is_error: true,
        meta: None,
    })
}

/// Whether a server of GraphQL says in its errors that it does not know who asks, and did nothing: it
/// answers with `data`, be it null, as soon as it began, and what was begun is not sent twice.
pub(crate) fn refuses(response: &Response<Bytes>) -> bool {
    let body = response.body();
    if body.len() > MAX_REFUSAL_BYTES || !contains(body, UNAUTHENTICATED.as_bytes()) {
        return false;
    }
    let answer: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let errors = answer.get("errors").and_then(Value::as_array);
    let is_unknown = |error: &Value| {
        let code = error.pointer("/extensions/code");
        code.and_then(Value::as_str) == Some(UNAUTHENTICATED)
    };
    !answer.contains_key("data") && errors.is_some_and(|errors| errors.iter().any(is_unknown))
}

fn contains(body: &[u8], word: &[u8]) -> bool {
    body.windows(word.len()).any(|part| part == word)
}

/// What the errors of a response say, for people.
pub(crate) fn error_of(text: &str) -> Option<String> {
    let answer: Answer<'_> = serde_json::from_str(text).ok()?;
    let errors = answer.errors?;
    let told: ErrorMessage = serde_json::from_str(errors.first()?.get()).ok()?;
    Some(ampoule_api::line(&told.message))
}

#[cfg(test)]
mod tests;
