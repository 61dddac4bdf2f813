//! What policies take out of arguments, results and output.
//!
//! A field is found where there is JSON. Of what can't be looked into, such as a sentence or a
//! picture, nothing is left: it may have the field's value in it. What a tool says of a failure is
//! not as its results are, so there a field is whatever is called like it.

use ampoule_policy::{Duty, Fields, Obligation, REDACTED};
use ampoule_tools::{CallError, ToolResult};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// The fields that duties take out of a result, or of output.
fn of_results(duties: &[Duty]) -> Vec<&Fields> {
    let fields = duties.iter().filter_map(|duty| match &duty.obligation {
        Obligation::Redact(fields) => Some(fields),
        _ => None,
    });
    fields.collect()
}

/// Takes fields out of arguments.
pub(crate) fn arguments(arguments: &mut Map<String, Value>, duties: &[Duty]) {
    for duty in duties {
        let Obligation::RedactArguments(fields) = &duty.obligation else {
            continue;
        };
        if fields.are_all() {
            // They stay an object.
            arguments.values_mut().for_each(|it| *it = REDACTED.into());
            continue;
        }
        let mut value = Value::Object(std::mem::take(arguments));
        fields.redact(&mut value);
        if let Value::Object(redacted) = value {
            *arguments = redacted;
        }
    }
}

/// Takes fields out of what came back. `is_wrapped`: the value that is meant is the member `result`.
pub(crate) fn answer(
    answer: Result<ToolResult, CallError>,
    duties: &[Duty],
    is_wrapped: bool,
) -> Result<ToolResult, CallError> {
    let fields = of_results(duties);
    if fields.is_empty() {
        return answer;
    }
    match answer {
        Ok(result) => self::result(result, &fields, is_wrapped),
        Err(error) => Err(self::error(error)),
    }
}

fn result(
    mut result: ToolResult,
    fields: &[&Fields],
    is_wrapped: bool,
) -> Result<ToolResult, CallError> {
    let taken_out = match (result.is_error, is_wrapped) {
        (true, _) => TakenOut::Wherever(fields),
        (false, true) => TakenOut::Within(fields),
        (false, false) => TakenOut::At(fields),
    };
    // Nobody knows what is in it.
    result.meta = None;
    if let Some(structured) = result.structured_content {
        let structured = self::structured(&structured, taken_out)?;
        // Its blocks say the same once more, or something that can't be looked into.
        result.content = vec![text(structured.get())];
        result.structured_content = Some(structured);
        return Ok(result);
    }
    result.content = blocks(result.content, taken_out);
    Ok(result)
}

/// Fields, and where in a value they are.
#[derive(Clone, Copy)]
enum TakenOut<'f> {
    /// Where they say.
    At(&'f [&'f Fields]),
    /// Where they say, of the member `result` if there is one.
    Within(&'f [&'f Fields]),
    /// Wherever something is called like them.
    Wherever(&'f [&'f Fields]),
}

impl TakenOut<'_> {
    fn of(self, value: &mut Value) {
        match self {
            Self::At(fields) => redact(value, fields),
            Self::Within(fields) => match value.get_mut("result") {
                Some(meant) => redact(meant, fields),
                None => redact(value, fields),
            },
            Self::Wherever(fields) => fields.iter().for_each(|fields| {
                fields.redact_wherever(value);
            }),
        }
    }

    /// The same of a value that is in no `result`.
    fn bare(self) -> Self {
        match self {
            Self::Within(fields) => Self::At(fields),
            other => other,
        }
    }
}

fn structured(structured: &RawValue, taken_out: TakenOut<'_>) -> Result<Box<RawValue>, CallError> {
    let unreadable = |error: serde_json::Error| {
        CallError::Protocol(format!("the result can't be read: {error}"))
    };
    let mut value: Value = serde_json::from_str(structured.get()).map_err(unreadable)?;
    taken_out.of(&mut value);
    to_raw_value(&value).map_err(unreadable)
}

fn redact(value: &mut Value, fields: &[&Fields]) {
    for fields in fields {
        fields.redact(value);
    }
}

/// Content blocks. A script has several texts of JSON as a list, so fields are looked for in that,
/// and in each by itself.
fn blocks(content: Vec<Value>, taken_out: TakenOut<'_>) -> Vec<Value> {
    let taken_out = taken_out.bare();
    let documents: Option<Vec<Value>> = content.iter().map(document).collect();
    let documents = match documents {
        Some(documents) if documents.len() > 1 => {
            let mut list = Value::Array(documents);
            taken_out.of(&mut list);
            match list {
                Value::Array(documents) => documents,
                redacted => return vec![text(redacted.as_str().unwrap_or(REDACTED))],
            }
        }
        Some(documents) => documents,
        None => content
            .iter()
            .map(|block| document(block).unwrap_or_else(|| REDACTED.into()))
            .collect(),
    };
    let redacted = documents.into_iter().map(|mut document| {
        taken_out.of(&mut document);
        match document {
            Value::String(redacted) => text(&redacted),
            document => text(&document.to_string()),
        }
    });
    redacted.collect()
}

/// The JSON in a text block.
fn document(block: &Value) -> Option<Value> {
    let is_text = block.get("type").and_then(Value::as_str) == Some("text");
    let text = block.get("text").and_then(Value::as_str);
    json_of(text.filter(|_| is_text)?)
}

/// A text that is an object or an array of JSON's.
fn json_of(text: &str) -> Option<Value> {
    let may_be = text.trim_start().starts_with(['{', '[']);
    may_be.then(|| serde_json::from_str(text).ok()).flatten()
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// An error: what a server says in it can't be looked into.
fn error(error: CallError) -> CallError {
    let told = || "a policy redacts what the tool said".to_owned();
    match error {
        CallError::Refused(_) => CallError::Refused(told()),
        CallError::Protocol(_) => CallError::Protocol(told()),
        CallError::Lost(_) => CallError::Lost(told()),
        CallError::NotReached(_) => CallError::NotReached(told()),
        other => other,
    }
}

/// Takes fields out of what goes to the model: it is JSON afterwards.
pub(crate) fn output(output: &mut String, duties: &[Duty]) {
    let fields = of_results(duties);
    if fields.is_empty() || output.is_empty() {
        return;
    }
    let redacted = json_of(output).map_or_else(
        || REDACTED.into(),
        |mut value| {
            redact(&mut value, &fields);
            value
        },
    );
    // A text that was JSON stays JSON.
    *output = redacted.to_string();
}
