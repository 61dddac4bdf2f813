//! What a script gets of a tool's answer. The same rules hold for every binding and every language.

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_untrusted::json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CallError, CallState, FailureKind, ToolResult};

/// How deeply JSON that crosses the boundary may be nested.
const MAX_DEPTH: usize = 127;

/// How a call ended, as the guest gets it.
#[derive(Debug)]
pub enum CallOutcome {
    /// A JSON document.
    Value(String),
    /// What the guest throws as a `ToolError`.
    Failure(ToolFailure),
    /// The answer was too large to be read; this much of it had arrived.
    TooLarge {
        /// This many bytes.
        bytes: u64,
    },
}

/// Why a call has no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// Of which kind that is.
    pub kind: FailureKind,
    /// What the tool or the host says of it.
    pub message: String,
    /// The answer's content blocks, as a JSON array.
    pub content: String,
    /// The answer's structured content, as a JSON document, as it came. It is what the tool says of
    /// the failure, so the schema of results says nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl ToolFailure {
    /// One without content blocks and data.
    pub fn new(kind: FailureKind, message: String) -> Self {
        Self {
            kind,
            message,
            content: "[]".to_owned(),
            data: None,
        }
    }

    /// That of a result of so many bytes, where the run did not end for it.
    pub fn too_large(bytes: u64) -> Self {
        Self::new(
            FailureKind::Protocol,
            format!("the result has {bytes} bytes"),
        )
    }
}

impl CallOutcome {
    /// A failure without content blocks and data.
    pub fn failed(kind: FailureKind, message: String) -> Self {
        Self::Failure(ToolFailure::new(kind, message))
    }

    /// What is known of whether the tool did what was asked for.
    pub fn state(&self) -> CallState {
        match self {
            Self::Value(_) | Self::TooLarge { .. } => CallState::Answered,
            Self::Failure(failure) => failure.kind.state(),
        }
    }

    /// What the host holds for it.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Value(json) => json.len() as u64,
            Self::Failure(failure) => {
                let data = failure.data.as_ref().map_or(0, String::len);
                (failure.message.len() + failure.content.len() + data) as u64
            }
            Self::TooLarge { bytes } => *bytes,
        }
    }
}

/// The reader of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A script, as one value, whatever the answer is made of.
    Script,
    /// A function with a type: what the tool promised, or content blocks if it promised nothing.
    Typed,
    /// Somebody who wants the answer as it came: an object with `content`, and `structuredContent`
    /// and `_meta` where there are any.
    Whole,
}

/// An answer of a tool that [wraps its results](ampoule_projection::Tool::wraps_result), as if it
/// did not. One that is not wrapped stays as it is, and so does what is said of a failure.
pub(super) async fn unwrapped(
    answer: Result<ToolResult, CallError>,
    effort: &Effort,
) -> Result<Result<ToolResult, CallError>, EffortError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapper<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let mut result = match answer {
        Ok(result) if !result.is_error => result,
        answer => return Ok(answer),
    };
    let bytes = result
        .structured_content
        .as_ref()
        .map_or(0, |structured| structured.get().len());
    let take_off = move |_: &Effort| {
        if let Some(structured) = &mut result.structured_content
            && structured.get().starts_with('{')
            && let Ok(Wrapper { result: value }) = serde_json::from_str(structured.get())
        {
            *structured = value.to_owned();
        }
        Ok(Ok(result))
    };
    effort.work(effort::BYTE * bytes as u64, take_off).await
}

/// What the guest gets of an answer. An error is a failure in either form.
pub(super) async fn outcome_of(
    answer: Result<ToolResult, CallError>,
    form: Form,
    has_output_schema: bool,
    effort: &Effort,
) -> Result<CallOutcome, EffortError> {
    let result = match answer {
        Ok(result) => result,
        Err(CallError::ResultTooLarge { bytes }) => return Ok(CallOutcome::TooLarge { bytes }),
        Err(error) => return Ok(CallOutcome::failed(error.kind(), error.to_string())),
    };
    // What is neither read nor written costs nothing: structured content continues as it came.
    let rewritten = result.is_error
        || result.structured_content.is_none()
        || form == Form::Whole
        || form == Form::Typed && !has_output_schema;
    let price = move |result: &ToolResult, most: u64| match rewritten {
        true => effort::BYTE * json::bytes_of(&result.content, most / effort::BYTE),
        false => 0,
    };
    let little = price(&result, effort::MOST_IN_PLACE);
    if little <= effort::MOST_IN_PLACE {
        effort.spend(little)?;
        return Ok(written(result, form, has_output_schema));
    }
    let much = effort.elsewhere(move |effort| {
        effort.spend(price(&result, u64::MAX))?;
        Ok(written(result, form, has_output_schema))
    });
    much.await
}

pub(super) fn written(result: ToolResult, form: Form, has_output_schema: bool) -> CallOutcome {
    if result.is_error {
        return CallOutcome::Failure(ToolFailure {
            kind: FailureKind::Failed,
            message: failure_message(&result),
            content: Value::Array(result.content).to_string(),
            data: result.structured_content.map(text_of_json),
        });
    }
    match form {
        Form::Script => script_value(result, has_output_schema),
        Form::Typed if has_output_schema => promised_structure(result),
        Form::Typed => blocks(result),
        Form::Whole => whole(&result),
    }
}

/// The rules: the structured content is the value. Else, where the tool promises no structure, a
/// single text block is that is a JSON object or array, or the list of several such. Else a single
/// text block is a text, and all else the list of content blocks.
fn script_value(result: ToolResult, has_output_schema: bool) -> CallOutcome {
    if let Some(structured) = result.structured_content {
        return CallOutcome::Value(text_of_json(structured));
    }
    if !has_output_schema && let Some(json) = json_documents(&result.content) {
        return CallOutcome::Value(json);
    }
    CallOutcome::Value(match single_text(&result.content) {
        Some(text) => Value::from(text).to_string(),
        None => Value::Array(result.content).to_string(),
    })
}

/// The value of a single text block that is a JSON document; the list of them where there are
/// several blocks, and all are such.
fn json_documents(content: &[Value]) -> Option<String> {
    let texts = content.iter().map(text_of).collect::<Option<Vec<_>>>()?;
    match *texts {
        [] => None,
        [text] => is_json_document(text, MAX_DEPTH).then(|| text.to_owned()),
        _ => {
            let all = texts
                .iter()
                .all(|text| is_json_document(text, MAX_DEPTH - 1));
            all.then(|| format!("[{}]", texts.join(",")))
        }
    }
}

/// The structured content; else a single text block that is a JSON document, as servers send it to
/// clients that know no structured content.
fn promised_structure(result: ToolResult) -> CallOutcome {
    if let Some(structured) = result.structured_content {
        return CallOutcome::Value(text_of_json(structured));
    }
    match single_text(&result.content) {
        Some(text) if serde_json::from_str::<&RawValue>(text).is_ok() => {
            CallOutcome::Value(text.to_owned())
        }
        _ => CallOutcome::Failure(ToolFailure {
            kind: FailureKind::Protocol,
            message: "the tool declares a structured result, but returned none".into(),
            content: Value::Array(result.content).to_string(),
            data: None,
        }),
    }
}

/// The content blocks; structured content that came without any, as a text.
fn blocks(result: ToolResult) -> CallOutcome {
    let mut content = result.content;
    if let (true, Some(structured)) = (content.is_empty(), result.structured_content) {
        content.push(serde_json::json!({"type": "text", "text": structured.get()}));
    }
    CallOutcome::Value(Value::Array(content).to_string())
}

/// The answer as it came. What was not parsed is not parsed for this.
fn whole(result: &ToolResult) -> CallOutcome {
    let content = serde_json::to_string(&result.content).unwrap_or_else(|_| "[]".to_owned());
    let mut json = format!("{{\"content\":{content}");
    let more = [
        ("structuredContent", &result.structured_content),
        ("_meta", &result.meta),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            json += &format!(",\"{name}\":{}", value.get());
        }
    }
    json.push('}');
    CallOutcome::Value(json)
}

/// A document as it came.
fn text_of_json(json: Box<RawValue>) -> String {
    Box::<str>::from(json).into_string()
}

fn text_of(block: &Value) -> Option<&str> {
    if block.get("type")?.as_str()? == "text" {
        block.get("text")?.as_str()
    } else {
        None
    }
}

fn single_text(content: &[Value]) -> Option<&str> {
    match content {
        [block] => text_of(block),
        _ => None,
    }
}

/// Whether a text is a JSON object or array. What is nested deeper than a guest can parse is none.
fn is_json_document(text: &str, most_levels: usize) -> bool {
    text.trim_start().starts_with(['{', '['])
        && json::depth(text) <= most_levels
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

fn failure_message(result: &ToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(text_of).collect();
    match &result.structured_content {
        Some(structured) if texts.is_empty() => said_in(structured),
        _ if texts.is_empty() => "the tool failed without a reason".to_owned(),
        _ => texts.join("\n"),
    }
}

/// What a structure says of a failure: the text of a key that is called so, or all of it.
fn said_in(structured: &RawValue) -> String {
    /// How much of it is looked at and shown, in bytes.
    const MOST_BYTES: usize = 16 << 10;
    let json = structured.get();
    let short = &json[..json.floor_char_boundary(MOST_BYTES)];
    let whole: Option<Value> = match short.len() == json.len() {
        true => serde_json::from_str(json).ok(),
        false => None,
    };
    let said = whole.as_ref().and_then(|whole| {
        let mut keys = ["message", "error", "detail", "reason"].iter();
        keys.find_map(|key| whole.get(key)?.as_str())
    });
    said.unwrap_or(short).to_owned()
}

#[cfg(test)]
mod tests;
